/// A pattern on a printer's make and model: `*` stands for any text, the letter case of ASCII does not matter.
public struct ModelPattern: Hashable, Sendable, Codable, CustomStringConvertible {
    /// As it stands in the profile.
    public let text: String
    /// The folded bytes between the asterisks.
    private let parts: [[UInt8]]

    /// RFC 8011 §5.4.9 bounds `printer-make-and-model` at 127 octets.
    package static let maximumLength = 127

    public init(_ text: String) {
        self.text = text
        parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Self.folded)
    }

    public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    public var description: String { text }

    package var hasAsterisk: Bool { parts.count > 1 }
    package var literalLength: Int { parts.reduce(0) { $0 + $1.count } }

    public func matches(_ makeAndModel: String) -> Bool {
        guard let first = parts.first, let last = parts.last else { return false }
        var rest = Self.folded(makeAndModel.utf8)[...]
        guard hasAsterisk else { return rest.elementsEqual(first) }
        guard rest.starts(with: first) else { return false }
        rest = rest.dropFirst(first.count)
        // Each part at its first place leaves the most for those behind it; the text is bounded by its attribute.
        for part in parts.dropFirst().dropLast() {
            guard let end = Self.end(of: part, in: rest) else { return false }
            rest = rest[end...]
        }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }

    /// Behind the first occurrence of a part; nil where it does not occur.
    private static func end(of part: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        guard text.count >= part.count else { return nil }
        let start = (text.startIndex...(text.endIndex - part.count)).first { text[$0...].starts(with: part) }
        return start.map { $0 + part.count }
    }

    private static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}
