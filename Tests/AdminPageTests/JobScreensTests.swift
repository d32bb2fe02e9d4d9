import KioskAPIMessages
import KioskPrintModel
import Testing

@testable import KioskAdminPage

/// The screens of the queue, of one job, of adding a printer and of the receipt editor.
@Suite struct JobScreensTests {
    private static let hostile = "</script><img src=x onerror=alert(1)>\"'&\u{202E}"

    private func job(_ id: Int64, _ state: JobState, unconfirmed: Bool = false) throws -> Job {
        var job = Job(
            id: id, name: Self.hostile, role: RoleName(rawValue: "receipt"), printer: PrinterID(rawValue: "till-1"),
            user: Self.hostile, format: .receiptLine, documentLength: 812, ticket: Ticket(),
            createdAt: Timestamp(millisecondsSince1970: 0), expiresAt: Timestamp(millisecondsSince1970: 600_000))
        (job.state, job.isUnconfirmed, job.message) = (state, unconfirmed, Self.hostile)
        return job
    }

    private func document(_ screen: PageScreen, _ texts: Texts) -> String {
        String(decoding: PageFrame(texts: texts, section: .jobs).document(screen).bytes, as: UTF8.self)
    }

    private func list(_ jobs: [Job], filter: JobsScreen.Filter = .init(), next: Int64? = nil) -> JobsScreen {
        JobsScreen(
            filter: filter, jobs: jobs, undecided: jobs.filter { $0.state == .pendingHeld }, next: next,
            roles: jobs.compactMap(\.role), printers: [])
    }

    @Test(arguments: [Languages.english, Languages.german])
    func `names, users and messages are shown as text`(texts: Texts) throws {
        let jobs = try [job(1, .pending), job(2, .pendingHeld, unconfirmed: true), job(3, .aborted)]
        var documents = [document(list(jobs).screen(texts), texts)]
        for job in jobs {
            let steps = [JobStep(.accepted, at: job.createdAt, message: Self.hostile)]
            documents.append(
                document(
                    JobScreen(
                        job: job, timeline: JobTimeline(job: job.id, steps: steps), printers: [], hasPreview: true,
                        isReprintable: true
                    ).screen(texts), texts))
        }
        for document in documents {
            #expect(!document.contains("<img src=x"))
            #expect(!document.contains("</script><img"))
            #expect(!document.contains("\u{202E}"))
            #expect(document.contains("&lt;/script&gt;"))
        }
    }

    @Test func `an unconfirmed job is never shown as completed, and asks for a decision`() throws {
        let texts = Languages.english
        let document = document(list([try job(7, .pendingHeld, unconfirmed: true)]).screen(texts), texts)
        #expect(document.contains("/jobs/7/release"))
        #expect(document.contains("/jobs/7/confirm"))
        #expect(document.contains(texts("job.state.unconfirmed")))
        #expect(!document.contains("badge good"))
    }

    @Test func `a job that is final cannot be cancelled, one that waits can`() throws {
        let texts = Languages.english
        let waiting = document(list([try job(8, .pending)]).screen(texts), texts)
        let done = document(list([try job(9, .completed)]).screen(texts), texts)
        #expect(waiting.contains("action=\"/jobs/8/cancel\""))
        #expect(!done.contains("/jobs/9/cancel"))
    }

    @Test(arguments: [
        (
            "role=receipt&state=held&since=day&name=a%20b&before=12",
            "/jobs?role=receipt&state=held&since=day&name=a%20b&before=12"
        ),
        ("role=NO!&state=odd&since=2&before=-3&printer=No", "/jobs"),
        ("", "/jobs"),
    ])
    func `a filter is read from an address and written back, without what means nothing`(
        query: String, path: String
    ) throws {
        #expect(JobsScreen.Filter(try QueryItems(query)).path == path)
    }

    @Test func `the next page keeps the filter`() throws {
        var filter = JobsScreen.Filter()
        filter.role = RoleName(rawValue: "receipt")
        let texts = Languages.english
        let document = document(list([try job(50, .completed)], filter: filter, next: 50).screen(texts), texts)
        #expect(document.contains("/jobs?role=receipt&amp;before=50"))
    }

    private func report(_ change: (inout ProbeReport) -> Void) throws -> ProbeReport {
        var report = ProbeReport(
            url: try PrinterURL("ipps://printer.example/ipp/print"),
            suggestedID: try #require(PrinterID(rawValue: "office")))
        report.steps = [.init(.reach, .passed, Self.hostile, advice: Self.hostile)]
        change(&report)
        return report
    }

    private func adding(_ report: ProbeReport?) -> String {
        let screen = AddPrinterScreen(report: report, recent: [], roles: [], profiles: ["generic-80mm"])
        return document(screen.screen(Languages.english), Languages.english)
    }

    @Test func `a printer whose key nobody accepted shows its fingerprint and cannot be saved`() throws {
        let key = try #require(Fingerprint(octets: [UInt8](repeating: 7, count: 32)))
        let document = adding(
            try report {
                $0.needs = [.trust]
                $0.hostKey = HostKey(algorithm: "ssh-ed25519", fingerprint: key)
            })
        #expect(document.contains(key.openSSH))
        #expect(!document.contains("value=\"save\""))
        #expect(!document.contains("<img src=x"))
    }

    @Test func `a printer that answers is saved under the proposed id`() throws {
        let document = adding(try report { _ in })
        #expect(document.contains("value=\"office\""))
        #expect(document.contains("value=\"save\">"))
    }

    @Test func `nothing is proposed to be saved before a probe`() {
        #expect(!adding(nil).contains("value=\"save\""))
    }

    @Test func `a receipt that ends the text area stays in it`() {
        let screen = ReceiptScreen(
            markup: "</textarea><script>", target: "", targets: [], papers: [:],
            problems: [Problem.Finding(line: 1, message: Self.hostile)])
        let document = document(screen.screen(Languages.english), Languages.english)
        #expect(document.contains("&lt;/textarea&gt;&lt;script&gt;</textarea>"))
        #expect(!document.contains("<img src=x"))
    }
}
