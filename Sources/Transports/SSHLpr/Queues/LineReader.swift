/// One line of a table, read from its left end in octets.
struct LineReader {
    private var rest: Substring.UTF8View

    init(_ line: Substring) { rest = line.utf8 }

    /// What stands before the next blank; nil where nothing does. Blanks before and after it are passed over.
    mutating func word() -> String? {
        let word = rest.prefix { $0 != Self.blank }
        guard !word.isEmpty else { return nil }
        rest = rest[word.endIndex...].drop { $0 == Self.blank }
        return String(Substring(word))
    }

    /// A column of a fixed width, without the blanks that fill it up.
    mutating func column(_ width: Int) -> String {
        let column = rest.prefix(width)
        rest = rest[column.endIndex...].drop { $0 == Self.blank }
        return String(decoding: column, as: UTF8.self).trimmedAtEnd
    }

    /// A number of 1 to 18 digits with a blank or the end behind it.
    mutating func number() -> String? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...18).contains(digits.count) else { return nil }
        let tail = rest[digits.endIndex...]
        guard tail.first == Self.blank || tail.isEmpty else { return nil }
        rest = tail.drop { $0 == Self.blank }
        return String(Substring(digits))
    }

    /// What is left, with a size at its end (`1024 bytes`); nil where there is none.
    func textAndSize() -> (text: String, size: Int64?)? {
        let mark = Array(" bytes".utf8)
        guard rest.count > mark.count, rest.suffix(mark.count).elementsEqual(mark) else { return nil }
        let text = rest.dropLast(mark.count)
        let digits = text.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        guard digits > 0 else { return nil }
        let title = text.dropLast(digits)
        guard title.isEmpty || title.last == Self.blank else { return nil }
        let size = Int64(String(decoding: text.suffix(digits), as: UTF8.self))
        return (String(decoding: title, as: UTF8.self).trimmedAtEnd, size)
    }

    private static let blank = UInt8(ascii: " ")
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// Positions in a queue as `lpq` writes them: `active`, `1st`, `2nd`, `23rd`, `unknown`.
enum QueueRank {
    /// Nil for what is none; whether it is being printed.
    static func isActive(_ word: String) -> Bool? {
        if word == "active" { return true }
        if word == "unknown" || word == "-" { return false }
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, ["st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)) else { return nil }
        return false
    }
}
