import Foundation
import KioskPrintModel
import KioskQueueListings
import Testing

@testable import KioskLPD

/// What goes over the wire to line printer daemons, and what their octets mean: without a socket.
@Suite struct LPDProtocolTests {
    private static let job = LPDJob(
        number: 7, host: "till-1.example", owner: "Jo Doe", title: "k1 Receipt\n№ 7", fileName: "k1", copies: 2)

    @Test(arguments: [
        (LPDCommand.receiveJob(queue: "raw"), "\u{2}raw\n"), (.shortListing(queue: "raw"), "\u{3}raw\n"),
        (.longListing(queue: "raw"), "\u{4}raw\n"), (.wholeListing(queue: "raw"), "\u{9}raw\n"),
        (.removeJob(queue: "raw", agent: "till", number: "12"), "\u{5}raw till 12\n"),
        (.controlFile(name: "cfA007till", length: 55), "\u{2}55 cfA007till\n"),
        (.dataFile(name: "dfA007till", length: 5_000_000_000), "\u{3}5000000000 dfA007till\n"),
    ])
    func `commands are written as RFC 1179 has them`(command: LPDCommand, text: String) {
        #expect(String(decoding: command.bytes, as: UTF8.self) == text)
    }

    @Test func `a control file names the data once for each copy`() {
        #expect(
            String(decoding: Self.job.controlFile, as: UTF8.self) == """
                Htill-1.example
                PJoDoe
                Jk1 Receipt № 7
                ldfA007till-1.example
                ldfA007till-1.example
                UdfA007till-1.example
                Nk1

                """)
        #expect(Self.job.controlFileName == "cfA007till-1.example")
    }

    @Test func `what a control file cannot hold is cut or left out`() {
        let long = String(repeating: "ä", count: 500)
        let job = LPDJob(
            number: 5000, host: String(repeating: "h", count: 80), owner: "-é\n", title: long, fileName: long,
            copies: 1_000_000)
        #expect(job.number == 999)
        #expect(job.host.utf8.count == 31)
        #expect(job.owner == "kiosk")
        #expect(job.title.utf8.count == 98)
        #expect(job.fileName.utf8.count == 130)
        #expect(job.copies == 999)
        #expect(!job.controlFile.contains(0))
        #expect(LPDJob.owner(String(repeating: "o", count: 80)).utf8.count == 31)
    }

    @Test func `numbers come round after a thousand, and begin where the clock stands`() {
        let numbers = JobNumbers(milliseconds: 1_700_000_000_123)
        let first = (0..<1000).map { _ in numbers.next() }
        #expect(first[0] == 124)
        #expect(Set(first) == Set(0..<1000))
        #expect(numbers.next() == 124)
    }

    // MARK: Submission

    /// Submits with these octets as answers, and returns the actions as a transcript.
    private static func transcript(_ octets: [UInt8], order: LPDSubmission.Order = .controlFirst) -> [String] {
        var submission = LPDSubmission(job, queue: "raw", length: 9, order: order)
        var lines: [String] = []
        func note(_ action: LPDSubmission.Action) {
            switch action {
            case .send(let bytes):
                lines.append(String(decoding: bytes, as: UTF8.self).debugDescription)
            case .sendDocument:
                lines.append("document")
                note(submission.documentSent())
            case .accepted: lines.append("accepted")
            case .refused(let step, let octet): lines.append("refused \(step) \(octet)")
            case .premature: lines.append("premature")
            }
        }
        note(submission.start())
        for octet in octets { note(submission.receive(octet)) }
        return lines
    }

    private static let controlFile = "\(String(decoding: job.controlFile, as: UTF8.self))\0".debugDescription
    private static let control = ["\"\\u{02}\(job.controlFile.count) cfA007till-1.example\\n\"", controlFile]
    private static let data = ["\"\\u{03}9 dfA007till-1.example\\n\"", "document", "\"\\0\""]

    @Test func `a job is its control file and its data, each acknowledged, in either order`() {
        let begin = ["\"\\u{02}raw\\n\""]
        #expect(
            Self.transcript([0, 0, 0, 0, 0]) == begin + Self.control + Self.data + ["accepted"])
        #expect(
            Self.transcript([0, 0, 0, 0, 0], order: .dataFirst) == begin + Self.data + Self.control + ["accepted"])
    }

    @Test(arguments: 0..<5, [LPDSubmission.Order.controlFirst, .dataFirst])
    func `an octet other than zero refuses each step`(place: Int, order: LPDSubmission.Order) throws {
        let octets = [UInt8](repeating: 0, count: place) + [1]
        let last = try #require(Self.transcript(octets, order: order).last)
        #expect(last.hasPrefix("refused ") && last.hasSuffix(" 1"))
        if order == .controlFirst { #expect(last == "refused \(LPDSubmission.Step.allCases[place]) 1") }
    }

    @Test func `an acknowledgement of what was not sent yet is none`() {
        var submission = LPDSubmission(Self.job, queue: "raw", length: 9)
        _ = submission.start()
        for _ in 0..<3 { _ = submission.receive(0) }
        #expect(submission.receive(0) == .sendDocument)
        #expect(submission.receive(0) == .premature)
    }

    // MARK: Listings

    private static func captured(_ name: String) throws -> [UInt8] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Golden/lpq/\(name).txt")
        return Array(try Data(contentsOf: file))
    }

    @Test(arguments: [
        ("cups-idle", LprSettings.Dialect.cups, 0), ("cups-printing", .cups, 4), ("cups-stopped", .cups, 2),
        ("bsd-idle", .bsd, 0), ("bsd-printing", .bsd, 4), ("bsd-down", .bsd, 0), ("lprng-idle", .lprng, 0),
        ("lprng-printing", .lprng, 4), ("lprng-held", .lprng, 2),
    ])
    func `a listing shows which daemon wrote it`(name: String, dialect: LprSettings.Dialect, jobs: Int) throws {
        let listing = LPDListing(try Self.captured(name), queue: "receipt")
        #expect(listing.dialect == dialect)
        #expect(listing.queue.isComplete)
        #expect(listing.queue.jobs.count >= min(jobs, 1))
        #expect(!listing.queue.isMissing && !listing.isOnlyCount)
    }

    @Test func `LPRng's short listing has a count alone`() {
        #expect(LPDListing(Array("receipt@localhost 3 jobs\n".utf8), queue: "receipt").isOnlyCount)
    }

    @Test(arguments: [
        "", "\n", "no jobs", "Rank \n", "Printer ready\r\nFile(s)\n", "\u{1}", "receipt is ready\n",
        "Rank x\nno entries\n",
    ])
    func `what a printer says otherwise proves nothing`(text: String) {
        let listing = LPDListing(Array(text.utf8), queue: "receipt")
        #expect(listing.dialect == nil)
        #expect(!listing.queue.isComplete && listing.queue.jobs.isEmpty && !listing.queue.isMissing)
    }

    @Test(arguments: [
        "Unable to get printer receipt: successful-ok", "lpd: receipt: unknown printer",
        "Printer: receipt@localhost - ERROR: spool queue for 'receipt' does not exist on server localhost",
    ])
    func `a queue that is missing is known`(text: String) {
        #expect(LPDListing(Array(text.utf8), queue: "receipt").queue.isMissing)
    }

    @Test func `a job's title does not make a queue missing, and a cut listing proves no absence`() throws {
        let text = try Self.captured("cups-printing")
        let title = String(decoding: text, as: UTF8.self).replacing("bcdfghjk-1-1", with: "does not exist")
        #expect(!LPDListing(Array(title.utf8), queue: "receipt").queue.isMissing)
        #expect(!LPDListing(text, queue: "receipt", isCut: true).queue.isComplete)
        let endless = [UInt8](repeating: UInt8(ascii: "x"), count: LPDListing.maximumLength + 1)
        #expect(LPDListing(endless, queue: "receipt").dialect == nil)
    }
}
