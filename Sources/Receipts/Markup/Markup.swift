/// The bytes that mean something in markup.
enum Markup {
    static let backslash = UInt8(ascii: "\\")
    static let pipe = UInt8(ascii: "|")
    static let openingBrace = UInt8(ascii: "{")
    static let closingBrace = UInt8(ascii: "}")
    static let semicolon = UInt8(ascii: ";")
    static let colon = UInt8(ascii: ":")
    static let caret = UInt8(ascii: "^")
    static let tilde = UInt8(ascii: "~")
    static let underline = UInt8(ascii: "_")
    static let quote = UInt8(ascii: "\"")
    static let backquote = UInt8(ascii: "`")
    static let hyphen = UInt8(ascii: "-")
    static let equals = UInt8(ascii: "=")

    /// What may be escaped everywhere.
    static let structural: Set<UInt8> = [backslash, pipe, openingBrace, closingBrace]
    /// What may be escaped in text besides.
    static let decorating: Set<UInt8> = [hyphen, equals, tilde, underline, quote, backquote, caret]
    /// What parts columns and properties, as far as it is not escaped: the pipe stands between the braces in ASCII.
    static let structure = ByteSearch(backslash, or: openingBrace...closingBrace)
    static let members = ByteSearch(backslash, or: semicolon...semicolon)
    static let lineBreaks = ByteSearch(0x0A, or: 0x0D...0x0D)
    static let toggles: Set<UInt8> = [underline, quote, backquote, caret]
}

extension UInt8 {
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    var isControl: Bool { self < 0x20 || self == 0x7F }

    var hexadecimalDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// Without the spaces and tabs around it.
    var trimmingBlanks: ArraySlice<UInt8> {
        var slice = self
        while slice.first?.isBlank == true { slice.removeFirst() }
        while slice.last?.isBlank == true { slice.removeLast() }
        return slice
    }

    /// Split at spaces and at commas; two commas have an empty word between them.
    var words: [String] {
        var (words, word): ([String], [UInt8]) = ([], [])
        var rest = trimmingBlanks
        while let byte = rest.popFirst() {
            guard byte.isBlank || byte == UInt8(ascii: ",") else { word.append(byte); continue }
            words.append(String(decoding: word, as: UTF8.self).lowercased())
            word = []
            if byte.isBlank { while rest.first?.isBlank == true { rest.removeFirst() } }
        }
        return words + [String(decoding: word, as: UTF8.self).lowercased()]
    }
}
