import KioskPrintModel
import KioskQueueListings
import LPDProtocol
import QueueText

/// What must hold for whatever `lpq` and `lpoptions` say.
enum LpqProperties {
    static func check(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for dialect in LprSettings.Dialect.allCases {
            check(QueueListing(lines, dialect: dialect, queue: "receipt"), lines, dialect)
        }
        check(LPDListing(bytes, queue: "receipt"), of: bytes)
        checkSubmission(bytes)
        for line in lines {
            _ = PrinterOptions.attributes(line)
            _ = PrinterOptions.choices(line)
        }
    }

    private static func check(_ listing: QueueListing, _ lines: [Substring], _ dialect: LprSettings.Dialect) {
        guard listing.jobs.allSatisfy({ isNumber($0.number) }) else { fatalError("a number that lprm must not get") }
        guard listing.messages.count <= 8,
            listing.messages.allSatisfy({ $0.count <= QueueListing.maximumMessageLength })
        else {
            fatalError("messages without a bound")
        }
        // One more line that nobody understands never makes a list complete that was not, nor hides a queue's end.
        let more = QueueListing(lines + ["what nobody understands"], dialect: dialect, queue: "receipt")
        guard !more.isComplete || listing.isComplete else { fatalError("complete by nonsense") }
        guard more.jobs == listing.jobs else { fatalError("other jobs by nonsense") }
    }

    /// What a daemon says over LPD: of an unknown make nothing is known, and a part proves no job's absence.
    private static func check(_ listing: LPDListing, of bytes: [UInt8]) {
        guard listing.dialect != nil || listing.queue.jobs.isEmpty && !listing.queue.isComplete else {
            fatalError("jobs from nonsense")
        }
        guard listing.queue.jobs.allSatisfy({ isNumber($0.number) }) else {
            fatalError("a number that LPD must not get")
        }
        guard !LPDListing(bytes, queue: "receipt", isCut: true).queue.isComplete else {
            fatalError("complete though cut")
        }
    }

    /// Only five acknowledgements make a job accepted.
    private static func checkSubmission(_ octets: [UInt8]) {
        let job = LPDJob(number: 1, host: "till", owner: "till", title: "k1", fileName: "k1")
        var submission = LPDSubmission(job, queue: "receipt", length: 1)
        var action = submission.start()
        for (index, octet) in octets.prefix(8).enumerated() {
            if action == .sendDocument { action = submission.documentSent() }
            action = submission.receive(octet)
            guard action != .accepted || index == 4 && octets.prefix(5).allSatisfy({ $0 == 0 }) else {
                fatalError("accepted by other octets")
            }
            switch action {
            case .accepted, .refused, .premature: return
            case .send, .sendDocument: break
            }
        }
    }

    private static func isNumber(_ text: String) -> Bool {
        (1...18).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
