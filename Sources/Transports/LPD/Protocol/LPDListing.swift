package import KioskPrintModel
package import KioskQueueListings

/// What a daemon said about a queue (RFC 1179 §5.3): free text. The three makes of daemons each have their own.
package struct LPDListing: Hashable, Sendable {
    /// The make whose text it is; nil for any other. Printers write what they like, or nothing.
    package let dialect: LprSettings.Dialect?
    /// The queue and its jobs; of an unknown make nothing is known.
    package let queue: QueueListing

    /// Why the daemon tells this computer nothing, in the words of BSD's; nil where it does not say so.
    package let refusal: String?

    /// The most octets of a listing that are read; a longer one is not complete.
    package static let maximumLength = 256 * 1024

    /// Reads a listing. `isCut`: whether more of it followed, or was lost.
    package init(_ octets: [UInt8], queue name: String, isCut: Bool = false) {
        let text = String(decoding: octets.prefix(Self.maximumLength), as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        dialect = Self.dialect(of: lines, queue: name)
        var listing = dialect.map { QueueListing(lines, dialect: $0, queue: name) } ?? QueueListing()
        refusal = dialect == nil ? Self.refusal(lines) : nil
        if Self.isMissing(lines) {
            listing.isMissing = true
            if let line = lines.first(where: { !$0.isEmpty }), listing.messages.isEmpty {
                listing.messages.append(String(line.prefix(QueueListing.maximumMessageLength)))
            }
        }
        if isCut || octets.count > Self.maximumLength { listing.isComplete = false }
        queue = listing
    }

    /// Whether it is LPRng's short form, which lists no jobs.
    package var isOnlyCount: Bool { dialect == .lprng && !queue.isComplete && !queue.isMissing }

    private static func dialect(of lines: [Substring], queue: String) -> LprSettings.Dialect? {
        guard let first = lines.first(where: { !$0.isEmpty }) else { return nil }
        if first.hasPrefix("Printer: ") || isCount(first, of: queue) { return .lprng }
        // CUPS's table has a column File(s), and that of BSD Files.
        if let head = lines.first(where: { $0.hasPrefix("Rank ") }) {
            return head.contains("File(s)") ? .cups : head.contains("Files") ? .bsd : nil
        }
        guard lines.contains("no entries") else { return nil }
        return first.hasPrefix("\(queue) is ") ? .cups : .bsd
    }

    /// `receipt@localhost 3 jobs`.
    private static func isCount(_ line: Substring, of queue: String) -> Bool {
        let words = line.split(separator: " ", maxSplits: 3)
        return words.count >= 3 && words[0].hasPrefix("\(queue)@") && Int(words[1]) != nil && words[2].hasPrefix("job")
    }

    private static func refusal(_ lines: [Substring]) -> String? {
        guard let first = lines.first(where: { !$0.isEmpty }) else { return nil }
        let line = String(first.prefix(QueueListing.maximumMessageLength)).withoutControlCharacters
        let words = line.lowercased()
        let isRefusal = ["line printer access", "malformed from address"].contains {
            words.firstRange(ofText: $0) != nil
        }
        return isRefusal ? line : nil
    }

    /// Whether the daemon has no such queue, in the words of CUPS, LPRng and BSD.
    private static func isMissing(_ lines: [Substring]) -> Bool {
        // The first line alone: the others may have titles of jobs.
        guard let first = lines.first(where: { !$0.isEmpty }) else { return false }
        let line = first.prefix(QueueListing.maximumMessageLength).lowercased()
        return ["unable to get printer ", "does not exist", "unknown printer"].contains {
            line.firstRange(ofText: $0) != nil
        }
    }
}
