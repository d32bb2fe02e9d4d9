/// A run of pages, counted from 1, both ends included: `5` or `1-3`.
public struct PageRange: Hashable, Sendable, CustomStringConvertible {
    public let first: Int
    public let last: Int

    /// IPP integers end here (RFC 8010 §3.9), and so do page numbers.
    private static let maximum = Int(Int32.max)

    public init?(first: Int, last: Int) {
        guard first >= 1, last >= first, last <= Self.maximum else { return nil }
        self.first = first
        self.last = last
    }

    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        // Int would take a sign too.
        guard (1...2).contains(parts.count), !text.contains("+"), let first = Int(parts[0]),
            let last = Int(parts[parts.count - 1])
        else {
            return nil
        }
        self.init(first: first, last: last)
    }

    public var description: String { first == last ? "\(first)" : "\(first)-\(last)" }
}

extension PageRange: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let range = PageRange(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is no page range; write 5 or 1-3"
            )
        }
        self = range
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
