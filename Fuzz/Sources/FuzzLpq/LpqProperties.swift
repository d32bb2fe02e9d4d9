import KioskPrintModel
import KioskQueueListings
import QueueText

/// What must hold for whatever `lpq` and `lpoptions` say.
enum LpqProperties {
    static func check(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for dialect in LprSettings.Dialect.allCases {
            check(QueueListing(lines, dialect: dialect, queue: "receipt"), lines, dialect)
        }
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

    private static func isNumber(_ text: String) -> Bool {
        (1...18).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
