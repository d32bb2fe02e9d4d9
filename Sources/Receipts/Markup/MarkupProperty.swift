/// The members of a property, such as `{ width: * 10; border: line }`.
struct MarkupProperty {
    /// A value with its escapes still in it, and where it stands.
    struct Value {
        var bytes: ArraySlice<UInt8>
        var hasBackslashes: Bool
        var place: ReceiptError.Place

        /// With its escapes resolved.
        var text: String { String(decoding: resolved, as: UTF8.self) }

        /// The same as bytes of UTF-8.
        var resolved: ArraySlice<UInt8> {
            guard hasBackslashes else { return bytes }
            var (text, index): ([UInt8], Int) = ([], bytes.startIndex)
            while index < bytes.endIndex {
                if bytes[index] == Markup.backslash {
                    index = MarkupEscape.read(bytes, at: index, in: .value) { text += $0 }
                } else {
                    text.append(bytes[index])
                    index += 1
                }
            }
            return text[...]
        }

        var word: String { text.lowercased() }
        var words: [String] { resolved.words }
    }

    private(set) var values: [String: Value] = [:]
    /// Keys in their order, with where they stand.
    private(set) var keys: [(name: String, place: ReceiptError.Place)] = []

    private let hasBackslashes: Bool

    /// The inner part of the braces.
    init(_ members: ArraySlice<UInt8>, in line: MarkupLine, hasBackslashes: Bool) throws(ReceiptError) {
        self.hasBackslashes = hasBackslashes
        var (start, index) = (members.startIndex, members.startIndex)
        while let end = Markup.members.first(in: members, from: index) {
            if members[end] == Markup.semicolon {
                try read(members[start..<end], in: line)
                start = end + 1
            }
            // Whatever a backslash escapes is no end.
            index = min(end + (members[end] == Markup.backslash ? 2 : 1), members.endIndex)
        }
        try read(members[start...], in: line)
    }

    private mutating func read(_ member: ArraySlice<UInt8>, in line: MarkupLine) throws(ReceiptError) {
        let member = member.trimmingBlanks
        guard !member.isEmpty else { return }
        let place = line.place(at: member.startIndex)
        let key = member.prefix { $0 != Markup.colon }.trimmingBlanks
        let value = member.drop { $0 != Markup.colon }.dropFirst().trimmingBlanks
        guard Self.isKey(key), !value.isEmpty else {
            throw ReceiptError(
                .syntax, "the property is no key with a value",
                instead: "key: value; and \\; for a semicolon in a value", at: place)
        }
        guard keys.count < Self.maximumMembers else {
            throw ReceiptError(.tooLarge, "the property has more than \(Self.maximumMembers) members", at: place)
        }
        let written = String(decoding: key, as: UTF8.self)
        let name = Self.abbreviations[written] ?? written
        keys.append((name, place))
        values[name] = Value(bytes: value, hasBackslashes: hasBackslashes, place: line.place(at: value.startIndex))
    }

    /// There are fewer keys.
    private static let maximumMembers = 64

    private static func isKey(_ key: ArraySlice<UInt8>) -> Bool {
        guard let first = key.first, first == Markup.underline || first.isLetter else { return false }
        return key.allSatisfy { $0.isLetter || $0 == Markup.underline || (0x30...0x39).contains($0) }
    }

    private static let abbreviations = [
        "i": "image", "c": "code", "o": "option", "a": "align", "w": "width", "b": "border", "t": "text",
        "x": "command", "_": "comment",
    ]
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
