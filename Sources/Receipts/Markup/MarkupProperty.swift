/// The members of a property, such as `{ width: * 10; border: line }`.
struct MarkupProperty {
    /// A value with its escapes unresolved, and its place.
    struct Value {
        var bytes: ArraySlice<UInt8>
        var hasBackslashes: Bool
        var place: ReceiptError.Place

        /// The value with its escapes resolved.
        var text: String { String(decoding: resolved, as: UTF8.self) }

        /// The value with its escapes resolved, in UTF-8.
        var resolved: ArraySlice<UInt8> {
            guard hasBackslashes else { return bytes }
            var (text, index): ([UInt8], Int) = ([], bytes.startIndex)
            while index < bytes.endIndex {
                if bytes[index] == MarkupSyntax.backslash {
                    index = MarkupEscape.read(bytes, at: index, in: .value) { text += $0 }
                } else {
                    text.append(bytes[index])
                    index += 1
                }
            }
            return text[...]
        }

        /// The value in lower case.
        var word: String { text.lowercased() }
        /// The words of the value, in lower case.
        var words: [String] { resolved.words }
    }

    /// The values by their keys; the last value of a key counts.
    private(set) var values: [String: Value] = [:]
    /// The keys in their order, with their places.
    private(set) var keys: [(name: String, place: ReceiptError.Place)] = []

    private let hasBackslashes: Bool

    /// Reads what is between the braces.
    init(_ members: ArraySlice<UInt8>, in line: MarkupLine, hasBackslashes: Bool) throws(ReceiptError) {
        self.hasBackslashes = hasBackslashes
        var (start, index) = (members.startIndex, members.startIndex)
        while let end = MarkupSyntax.members.first(in: members, from: index) {
            if members[end] == MarkupSyntax.semicolon {
                try read(members[start..<end], in: line)
                start = end + 1
            }
            // An escaped byte does not end the member.
            index = min(end + (members[end] == MarkupSyntax.backslash ? 2 : 1), members.endIndex)
        }
        try read(members[start...], in: line)
    }

    private mutating func read(_ member: ArraySlice<UInt8>, in line: MarkupLine) throws(ReceiptError) {
        let member = member.trimmingBlanks
        guard !member.isEmpty else { return }
        let place = line.place(at: member.startIndex)
        let key = member.prefix { $0 != MarkupSyntax.colon }.trimmingBlanks
        let value = member.drop { $0 != MarkupSyntax.colon }.dropFirst().trimmingBlanks
        guard Self.isKey(key), !value.isEmpty else {
            throw ReceiptError(
                .syntax, "the property is not a key with a value",
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

    /// More than there are keys.
    private static let maximumMembers = 64

    private static func isKey(_ key: ArraySlice<UInt8>) -> Bool {
        guard let first = key.first, first == MarkupSyntax.underline || first.isLetter else { return false }
        return key.allSatisfy { $0.isLetter || $0 == MarkupSyntax.underline || (0x30...0x39).contains($0) }
    }

    private static let abbreviations = [
        "i": "image", "c": "code", "o": "option", "a": "align", "w": "width", "b": "border", "t": "text",
        "x": "command", "_": "comment",
    ]
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
