import KioskPrintModel

/// The bytes with a meaning in receiptline markup.
enum MarkupSyntax {
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

    /// The bytes that can be escaped everywhere.
    static let structural: Set<UInt8> = [backslash, pipe, openingBrace, closingBrace]
    /// The bytes that can also be escaped in text.
    static let decorating: Set<UInt8> = [hyphen, equals, tilde, underline, quote, backquote, caret]
    /// Finds what separates columns and properties, and backslashes. In ASCII the pipe is between the braces.
    static let structure = ByteSearch(backslash, or: openingBrace...closingBrace)
    /// Finds what separates the members of a property, and backslashes.
    static let members = ByteSearch(backslash, or: semicolon...semicolon)
    static let lineBreaks = ByteSearch(0x0A, or: 0x0D...0x0D)
    /// The bytes that change the style of text.
    static let toggles: Set<UInt8> = [underline, quote, backquote, caret]
}

/// Reads receiptline's escapes: a backslash and the characters after it.
enum MarkupEscape {
    /// Where an escape is: in the text of a cell or in the value of a property.
    enum Context {
        case text, value
    }

    /// Passes the UTF-8 bytes of an escape to `emit`, unless it stands for nothing. Returns the index after it.
    static func read(_ bytes: ArraySlice<UInt8>, at start: Int, in context: Context, _ emit: ([UInt8]) -> Void) -> Int {
        guard start + 1 < bytes.endIndex else { return bytes.endIndex }
        let next = bytes[start + 1]
        switch next {
        case _ where MarkupSyntax.structural.contains(next): emit([next])
        case _ where context == .text && MarkupSyntax.decorating.contains(next): emit([next])
        case MarkupSyntax.semicolon where context == .value: emit([next])
        case UInt8(ascii: "n"): emit([0x0A])
        case UInt8(ascii: "x"): return hexadecimal(bytes, at: start + 2, in: context, emit)
        default: return end(of: start + 1, in: bytes)
        }
        return start + 2
    }

    /// Reads two digits, which name a character up to U+00FF. In text, control characters are dropped. Where the digits
    /// are missing, up to two characters are dropped with the escape, as in the reference implementation.
    private static func hexadecimal(
        _ bytes: ArraySlice<UInt8>, at start: Int, in context: Context, _ emit: ([UInt8]) -> Void
    ) -> Int {
        let digits = bytes[start...].prefix(2)
        if digits.count == 2, let high = digits.first?.hexadecimalDigit, let low = digits.last?.hexadecimalDigit {
            let value = high << 4 | low
            let isControl = value.isControl || (0x80..<0xA0).contains(value)
            if context == .value || !isControl { emit(Array(String(Unicode.Scalar(value)).utf8)) }
            return start + 2
        }
        var index = start
        for _ in 0..<2 where index < bytes.endIndex {
            let byte = bytes[index]
            if byte == MarkupSyntax.backslash || context == .text && MarkupSyntax.toggles.contains(byte) { break }
            index = end(of: index, in: bytes)
        }
        return index
    }

    /// The index after the scalar that begins here.
    private static func end(of index: Int, in bytes: ArraySlice<UInt8>) -> Int {
        var end = min(index + 1, bytes.endIndex)
        while end < bytes.endIndex, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}

extension UInt8 {
    /// Whether the byte is a space or a tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte is an ASCII control character.
    var isControl: Bool { self < 0x20 || self == 0x7F }
}

extension ArraySlice<UInt8> {
    /// The slice without the spaces and tabs around it.
    var trimmingBlanks: ArraySlice<UInt8> {
        var slice = self
        while slice.first?.isBlank == true { slice.removeFirst() }
        while slice.last?.isBlank == true { slice.removeLast() }
        return slice
    }

    /// The words between spaces and commas, in lower case. Two commas have an empty word between them.
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

/// Searches for a byte value or a range of ASCII values, eight bytes at a time: an image's line can have megabytes
/// without a match.
struct ByteSearch {
    private let value: UInt64
    /// The addends that set the high bit from the range's first byte on, and from the first byte above it on.
    private let lower: UInt64
    private let upper: UInt64

    init(_ value: UInt8, or range: ClosedRange<UInt8>) {
        self.value = UInt64(value) &* Self.ones
        lower = UInt64(0x80 - range.lowerBound) &* Self.ones
        upper = UInt64(0x7F - range.upperBound) &* Self.ones
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The index of the first match from `start` on. `start` is one of the slice's indices, or its end.
    func first(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        let origin = bytes.startIndex
        let raw = unsafe bytes.span.bytes
        var offset = start - origin
        while raw.byteCount - offset >= 8 {
            // At least eight bytes are left.
            let found = matches(
                UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            if found != 0 { return origin + offset + found.trailingZeroBitCount / 8 }
            offset += 8
        }
        return bytes[(origin + offset)...].firstIndex { matches(UInt64($0) | ~0xFF) & 0xFF != 0 }
    }

    /// The high bit of each byte that matches. Behind the first match, other bytes may have it too.
    private func matches(_ word: UInt64) -> UInt64 {
        let (different, low) = (word ^ value, word & ~Self.highs)
        let isValue = (different &- Self.ones) & ~different
        let isInRange = (low &+ lower) & ~(low &+ upper) & ~word
        return (isValue | isInRange) & Self.highs
    }
}

/// Checks and compares bytes eight at a time: a picture is read more than once on its way from markup to paper.
enum WordwiseBytes {
    static func isASCII(_ bytes: ArraySlice<UInt8>) -> Bool {
        let raw = unsafe bytes.span.bytes
        var (offset, bits): (Int, UInt64) = (0, 0)
        while raw.byteCount - offset >= 8 {
            // At least eight bytes are left.
            bits |= unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        return bits & 0x8080_8080_8080_8080 == 0 && bytes.dropFirst(offset).allSatisfy { $0 < 0x80 }
    }

    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        let first = unsafe one.span.bytes
        let second = unsafe other.span.bytes
        var offset = 0
        while one.count - offset >= 8 {
            // Both have at least eight bytes left.
            let word = unsafe first.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard unsafe word == second.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) else {
                return false
            }
            offset += 8
        }
        return one[offset...] == other[offset...]
    }
}
