import ArgumentParser
import Foundation
import KioskAPI
import KioskPrintModel
import KioskTerminal
import Testing

@testable import kioskctl

@Suite struct KioskctlTextTests {
    // MARK: Jobs

    @Test func `a completed job ends with the printer's own confirmation`() throws {
        #expect(
            try JobText.outcome(Samples.completed())
                == "job 12 completed on till-1: printed (printer's own confirmation), 38 ms")
    }

    @Test(arguments: [
        (Evidence.printed, "printed (printer's own confirmation)"),
        (.processed, "processed (the printer worked through it)"),
        (.accepted, "accepted (its spooler accepted it, and reports no more)"),
        (.sent, "sent (the printer tells no more)"),
    ]) func `never says more than the evidence`(_ evidence: Evidence, _ words: String) throws {
        #expect(JobText.evidence(evidence) == words)
    }

    @Test func `says why a job failed, was canceled or is in doubt, and what to do`() throws {
        let failed = try Samples.job { job in
            job.state = .aborted
            job.printer = try Samples.printer("till-1")
            job.message = "the printer refused it: document-format-not-supported"
        }
        #expect(
            JobText.outcome(failed) == "job 12 failed on till-1: the printer refused it: document-format-not-supported")
        let canceled = try Samples.job { job in
            job.state = .canceled
            job.stateReasons = ["job-canceled-by-user"]
        }
        #expect(JobText.outcome(canceled) == "job 12 was canceled: job-canceled-by-user")
        let doubted = try Samples.job { job in
            job.state = .pendingHeld
            job.isUnconfirmed = true
            job.printer = try Samples.printer("till-1")
            job.message = "the connection broke after the last byte"
        }
        #expect(
            JobText.outcome(doubted)
                == "job 12 is unconfirmed on till-1: the connection broke after the last byte; look at the paper, "
                + "then `kioskctl release 12` or `kioskctl cancel 12`")
        #expect(
            try JobText.outcome(Samples.job { $0.stateReasons = ["printer-stopped"] })
                == "job 12 is pending: printer-stopped")
    }

    @Test(arguments: [
        ("connecting-to-destination", "connecting"), ("job-spooling", "uploading 50 %"),
        ("job-transforming", "converting"),
        ("job-outgoing", "sending 50 %"), ("job-queued", "queued"), ("job-printing", "printing"),
        ("printer-asked-for-job", nil),
    ]) func `says what is done with a job on its way`(_ reason: String, _ words: String?) throws {
        let job = try Samples.job { job in
            job.state = .processing
            job.stateReasons = [reason]
            job.bytesSent = 406
        }
        #expect(JobText.state(job) == words.map { "processing (\($0))" } ?? "processing")
        #expect(JobText.outcome(job) == "job 12 is \(words ?? "processing: \(reason)")")
        #expect(JobText.step(try Samples.completed()) == nil)
    }

    @Test(
        arguments: [
            (JobState.completed, false, 0), (.completed, true, 0), (.aborted, false, 3), (.canceled, false, 4),
            (.pendingHeld, true, 5), (.aborted, true, 5), (.pending, false, 6), (.processing, false, 6),
            (.processingStopped, false, 6), (.pendingHeld, false, 6),
        ] as [(JobState, Bool, Int32)])
    func `each end of a job has its exit code`(_ state: JobState, _ isUnconfirmed: Bool, _ code: Int32) throws {
        let job = try Samples.job { job in
            job.state = state
            job.isUnconfirmed = isUnconfirmed
        }
        #expect(ExitStatus.code(of: job).rawValue == code)
    }

    @Test func `lists jobs in columns that line up, whatever the names hold`() throws {
        let wide = try Samples.job(3) { job in
            job.name = "領収書\u{1B}[2Jx"
            job.role = try Samples.role("kitchen")
        }
        let doubted = try Samples.job(4) { job in
            job.state = .pendingHeld
            job.isUnconfirmed = true
            job.documentLength = 200_000_000
        }
        #expect(
            try JobText.table([Samples.completed(), doubted, wide], .plain) == """
                JOB  STATE                       ROLE     PRINTER      SIZE  EVIDENCE  CREATED                   NAME
                 12  completed                   receipt  till-1      812 B  printed   2026-11-21T03:40:00.000Z  receipt.txt
                  4  pending-held (unconfirmed)  receipt  -        200.0 MB  -         2026-11-21T03:40:00.000Z  receipt.txt
                  3  pending                     kitchen  -           812 B  -         2026-11-21T03:40:00.000Z  領収書\\u{1b}[2Jx

                """)
        #expect(JobText.table([], .plain) == "")
    }

    @Test func `shows all that is known of a job`() throws {
        var job = try Samples.completed()
        job.ticket.copies = 2
        #expect(
            JobText.details(job, .plain) == """
                job 12
                  name            receipt.txt
                  state           completed
                  evidence        printed (printer's own confirmation)
                  role            receipt
                  printer         till-1
                  user            till
                  document        text/plain, 812 B
                  copies          2
                  sent            812 B
                  attempts        1
                  at the printer  job 7
                  created         2026-11-21T03:40:00.000Z
                  completed       2026-11-21T03:40:00.038Z, after 38 ms

                """)
    }

    // MARK: Printers and roles

    @Test func `lists printers with their state and why`() throws {
        let ready = try Samples.status("till-1") { status in
            status.description = PrinterDescription(makeAndModel: "ACME T-20", jobTypes: [.receipt])
            status.roles = [try Samples.role("receipt")]
        }
        let stopped = try Samples.status(
            "till-2",
            Availability(
                .stopped,
                reasons: [
                    .init(keyword: "media-empty", severity: .error), .init(keyword: "toner-low", severity: .warning),
                ])
        ) { status in
            status.printer.name = "Till 2"
            status.jobCount = 3
        }
        let gone = try Samples.status(
            "office", Availability(.unreachable, message: "connection refused by 192.0.2.10:631"))
        #expect(
            PrinterText.table([ready, stopped, gone], .plain) == """
                PRINTER  STATE        JOB TYPES  ROLES    JOBS  NAME       WHY
                till-1   ready        receipt    receipt     0  ACME T-20  -
                till-2   stopped      unknown    -           3  Till 2     media-empty, toner-low-warning
                office   unreachable  unknown    -           0  -          connection refused by 192.0.2.10:631

                """)
    }

    @Test func `a printer's words cannot move the cursor`() throws {
        let hostile = try Samples.status("till-1") { status in
            status.description = PrinterDescription(
                name: "a\u{1B}]0;pwned\u{7}", location: "b\u{9B}2J\u{202E}", makeAndModel: "c\r\nd",
                mediaReady: ["e\u{8}"])
        }
        for text in [PrinterText.table([hostile], .plain), PrinterText.details(hostile, .plain)] {
            #expect(text.split(separator: "\n").allSatisfy { !String($0).hasControlCharacters })
        }
        let json = TerminalJSON.escape(try Samples.json(hostile))
        #expect(!json.hasControlCharacters)
        #expect(try APIJSON.decode(PrinterStatus.self, from: Array(json.utf8)) == hostile)
    }

    /// Embeddings, overrides and isolates with their ends, and the three marks (Unicode Standard Annex #9, §2).
    private static let directions: [UInt32] = Array(0x202A...0x202E) + Array(0x2066...0x2069) + [0x61C, 0x200E, 0x200F]

    @Test(arguments: directions)
    func `what turns the direction of a line is shown escaped, wherever another user's or a printer's words stand`(
        code: UInt32
    ) throws {
        let hostile = "receipt \(try #require(Unicode.Scalar(code))).pdf"
        let escaped = "\\u{\(String(code, radix: 16))}"
        var job = try Samples.job()
        (job.name, job.user, job.message, job.remarks, job.state) = (hostile, hostile, hostile, [hostile], .aborted)
        let status = try Samples.status("till-1", Availability(.stopped, message: hostile)) {
            $0.printer.name = hostile
        }
        let health = HealthReport(
            checks: [.init(code: "x", status: .critical, message: hostile)], printersAvailable: 0, printersSaved: 0,
            jobsWaiting: 0,
            jobsUnconfirmed: 0, oldestWaitingSeconds: nil)
        let event = EngineEvent(id: 1, time: Timestamp(millisecondsSince1970: 0), kind: .jobCreated, job: job)
        for text in [
            JobText.table([job], .plain), JobText.details(job, .plain), EventText.line(event, .plain),
            PrinterText.table([status], .plain), PrinterText.details(status, .plain),
            Console.messageLine(JobText.outcome(job)),
        ] {
            #expect(text.contains(escaped), "\(text)")
            #expect(!text.unicodeScalars.contains { $0.value == code })
        }
        #expect(!HealthText.line(health).unicodeScalars.contains { $0.value == code })
        let json = TerminalJSON.escape(try Samples.json(job))
        #expect(!json.unicodeScalars.contains { $0.value == code })
        #expect(try APIJSON.decode(Job.self, from: Array(json.utf8)) == job)
    }

    @Test func `lists roles with their standards`() throws {
        let roles = [
            Role(
                name: try Samples.role("receipt"),
                printers: [try Samples.printer("till-1"), try Samples.printer("till-2")]),
            Role(
                name: try Samples.role("baggage-tag"), printers: [], policy: .leastBusy, expiresAfter: 90,
                keep: Retention(jobs: 3600, documents: 0)),
        ]
        #expect(
            RoleText.table(roles, .plain) == """
                ROLE         PRINTERS        POLICY      JOB TYPE  UNCONFIRMED  EXPIRES  KEEPS JOBS  DOCUMENTS
                receipt      till-1, till-2  failover    receipt   reprint       10 min        30 d  1 d, 200MB
                baggage-tag  none            least-busy  any       hold            90 s         1 h  none

                """)
    }

    // MARK: Health

    @Test func `health is one line with performance data`() {
        let report = HealthReport(
            checks: [], printersAvailable: 3, printersSaved: 3, jobsWaiting: 1, jobsUnconfirmed: 0,
            oldestWaitingSeconds: 4)
        #expect(
            HealthText.line(report)
                == "KIOSKD OK - 3 of 3 printers available, 1 job waiting | printers_available=3;;;0;3 jobs_waiting=1;;;0 "
                + "jobs_unconfirmed=0;;;0 jobs_lost=0;;;0 oldest_waiting=4s;;;0")
    }

    @Test func `health tells the worst first, and no text can end the line or begin the data`() {
        let report = HealthReport(
            checks: [
                .init(code: "paper-low", status: .warning, message: "till-2: paper is low"),
                .init(code: "fine", status: .ok, message: "all well"),
                .init(code: "printer-unreachable", status: .critical, message: "till-1: no answer | x=1\nsecond line"),
            ], printersAvailable: 1, printersSaved: 2, jobsWaiting: 0, jobsUnconfirmed: 0, oldestWaitingSeconds: nil)
        let line = HealthText.line(report)
        #expect(
            line.hasPrefix(
                "KIOSKD CRITICAL - 1 of 2 printers available; till-1: no answer / x=1 second line; till-2: paper is low | "
            ))
        #expect(line.filter { $0 == "|" }.count == 1)
        #expect(!line.contains("\n"))
    }

    // MARK: Events

    @Test func `an event is one line`() throws {
        let time = try Samples.job().createdAt
        func line(
            _ kind: EngineEvent.Kind, job: Job? = nil, printer: PrinterStatus? = nil, message: String? = nil
        ) -> String {
            EventText.line(
                EngineEvent(id: 1, time: time, kind: kind, job: job, printer: printer, message: message), .plain)
        }
        let prefix = "2026-11-21T03:40:00.000Z  "
        #expect(try line(.jobCreated, job: Samples.job()) == prefix + "job 12  accepted for receipt: receipt.txt")
        #expect(
            try line(.jobChanged, job: Samples.completed())
                == prefix + "job 12  completed on till-1: printed (printer's own confirmation), 38 ms")
        #expect(
            try line(.jobProgress, job: Samples.job { $0.bytesSent = 400 }) == prefix + "job 12  sent 400 B of 812 B")
        #expect(
            try line(
                .printerChanged,
                printer: Samples.status(
                    "till-1", Availability(.stopped, reasons: [.init(keyword: "cover-open", severity: .error)])))
                == prefix + "till-1  stopped: cover-open")
        #expect(
            line(.registryRefused, message: "printers.yaml:3\n: no") == prefix
                + "registry  refused: printers.yaml:3\\n: no")
    }

    // MARK: Quantities and widths

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1999, "1.9 kB"), (999_999, "999.9 kB"),
            (1_000_000, "1.0 MB"),
            (200_000_000, "200.0 MB"), (2_147_483_648, "2.1 GB"), (Int64.max, "9223372.0 TB"),
        ] as [(Int64, String)]) func `bytes read well`(_ count: Int64, _ text: String)
    { #expect(Quantities.bytes(count) == text) }

    @Test(
        arguments: [
            (-5, "0 ms"), (38, "38 ms"), (1000, "1.0 s"), (59_999, "59.9 s"), (60_000, "1 min 0 s"),
            (3_600_000, "1 h 0 min"),
        ] as [(Int64, String)]) func `times read well`(_ milliseconds: Int64, _ text: String)
    {
        #expect(Quantities.time(milliseconds: milliseconds) == text)
    }

    @Test(arguments: [
        ("till", 4), ("領収書", 6), ("é", 1), ("e\u{301}", 1), ("🧾", 2), ("ｱ", 1), ("\u{200B}", 0), ("", 0), ("👨‍👩‍👧", 2),
        ("한글", 4),
    ]) func `a text is as wide as a terminal shows it`(_ text: String, _ width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test func `cuts a line where the terminal ends`() {
        #expect("領収書".cut(toWidth: 5) == "領収")
        #expect("till".cut(toWidth: 80) == "till")
        #expect("till".cut(toWidth: 0) == "")
    }

    @Test func `colours what a terminal shows, and only that`() throws {
        let jobs = [try Samples.completed()]
        #expect(JobText.table(jobs, Style(isColored: true)).contains("\u{1B}[32mcompleted\u{1B}[0m"))
        #expect(!JobText.table(jobs, .plain).contains("\u{1B}"))
        let plainWidth = JobText.table(jobs, .plain).split(separator: "\n").last?.count
        let colored = JobText.table(jobs, Style(isColored: true)).split(separator: "\n").last
        #expect(colored?.replacing("\u{1B}[32m", with: "").replacing("\u{1B}[0m", with: "").count == plainWidth)
    }
}
