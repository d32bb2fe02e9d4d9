import KioskPrintModel

/// A JSON value (RFC 8259) and its position in the text.
struct JSONNode {
    var value: Value
    /// The index of its first byte.
    var offset: Int

    enum Value {
        case null
        case boolean(Bool)
        case integer(Int)
        /// A number with a fraction or exponent, or one that is too large. No receipt needs it.
        case number
        case string(String)
        case array([JSONNode])
        case object([Member])
    }

    struct Member {
        var key: String
        var offset: Int
        var node: JSONNode
    }
}

/// Reads JSON within limits on its depth, its values and the members of an object.
struct JSONReader {
    private let bytes: [UInt8]
    private var index = 0
    private var values = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a JSON text of one value.
    static func read(_ bytes: [UInt8]) throws(ReceiptError) -> JSONNode {
        var reader = JSONReader(bytes)
        let node = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.index == bytes.count else { throw reader.error("there is more text after the JSON value") }
        return node
    }

    /// More members than any object of a receipt has.
    private static let maximumMembers = 32

    private func error(_ message: String, _ code: ReceiptError.Code = .syntax, at offset: Int? = nil) -> ReceiptError {
        ReceiptError(code, message, at: Self.place(of: offset ?? index, in: bytes))
    }

    /// The place of the byte at an index.
    static func place(of offset: Int, in bytes: [UInt8]) -> ReceiptError.Place {
        let before = bytes.prefix(offset)
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = before.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
        return ReceiptError.Place(line: line, column: before[start...].reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) })
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte.isBlank || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private mutating func value(depth: Int) throws(ReceiptError) -> JSONNode {
        skipBlanks()
        values += 1
        guard values <= ReceiptLimits.jsonValues, depth <= ReceiptLimits.jsonDepth else {
            throw error("the JSON has more values or levels than any receipt", .tooLarge)
        }
        let offset = index
        switch next {
        case UInt8(ascii: "{"): return JSONNode(value: .object(try members(depth: depth)), offset: offset)
        case UInt8(ascii: "["): return JSONNode(value: .array(try items(depth: depth)), offset: offset)
        case UInt8(ascii: "\""): return JSONNode(value: .string(try string()), offset: offset)
        case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?:
            return JSONNode(value: try number(), offset: offset)
        case UInt8(ascii: "t"): return try literal("true", .boolean(true))
        case UInt8(ascii: "f"): return try literal("false", .boolean(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: throw error("a JSON value is missing")
        }
    }

    private mutating func literal(_ word: String, _ value: JSONNode.Value) throws(ReceiptError) -> JSONNode {
        guard bytes[index...].starts(with: word.utf8) else { throw error("a JSON value is missing") }
        defer { index += word.utf8.count }
        return JSONNode(value: value, offset: index)
    }

    /// Reads the comma or the closing bracket after a value. Returns whether another value follows.
    private mutating func hasNext(before end: UInt8) throws(ReceiptError) -> Bool {
        skipBlanks()
        guard let byte = next, byte == end || byte == UInt8(ascii: ",") else {
            throw error("a comma or the end of the list is missing")
        }
        index += 1
        return byte != end
    }

    /// Reads the opening bracket, and the closing one where it follows at once. Returns whether it does.
    private mutating func isEmpty(before end: UInt8) -> Bool {
        index += 1
        skipBlanks()
        guard next == end else { return false }
        index += 1
        return true
    }

    private mutating func items(depth: Int) throws(ReceiptError) -> [JSONNode] {
        let end = UInt8(ascii: "]")
        guard !isEmpty(before: end) else { return [] }
        var items: [JSONNode] = []
        repeat { items.append(try value(depth: depth + 1)) } while try hasNext(before: end)
        return items
    }

    private mutating func members(depth: Int) throws(ReceiptError) -> [JSONNode.Member] {
        let end = UInt8(ascii: "}")
        guard !isEmpty(before: end) else { return [] }
        var members: [JSONNode.Member] = []
        repeat {
            skipBlanks()
            let offset = index
            guard next == UInt8(ascii: "\"") else { throw error("a key in quotes is missing") }
            let key = try string()
            guard !members.contains(where: { $0.key == key }) else {
                throw error("the key \"\(key.prefix(40))\" appears twice", at: offset)
            }
            guard members.count < Self.maximumMembers else {
                throw error("the object has more members than any object of a receipt", .tooLarge, at: offset)
            }
            skipBlanks()
            guard next == UInt8(ascii: ":") else { throw error("the colon after a key is missing") }
            index += 1
            members.append(JSONNode.Member(key: key, offset: offset, node: try value(depth: depth + 1)))
        } while try hasNext(before: end)
        return members
    }

    private mutating func number() throws(ReceiptError) -> JSONNode.Value {
        let start = index
        if next == UInt8(ascii: "-") { index += 1 }
        let digits = skipDigits()
        guard digits > 0, digits == 1 || bytes[index - digits] != 0x30 else {
            throw error("the number is not valid in JSON", at: start)
        }
        let end = index
        if next == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() > 0 else { throw error("the number is not valid in JSON", at: start) }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            guard skipDigits() > 0 else { throw error("the number is not valid in JSON", at: start) }
        }
        return Int(String(decoding: bytes[start..<end], as: UTF8.self)).flatMap { end == index ? .integer($0) : nil }
            ?? .number
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
        return index - start
    }

    private mutating func string() throws(ReceiptError) -> String {
        let start = index
        index += 1
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw error("the string contains a control character that is not escaped") }
            if byte == UInt8(ascii: "\\") {
                text += String(try escape()).utf8
            } else {
                text.append(byte)
                index += 1
            }
        }
        guard next != nil else { throw error("the closing quote of the string is missing", at: start) }
        index += 1
        guard let string = String(validating: text, as: UTF8.self) else {
            throw error("the string is not UTF-8", .encoding, at: start)
        }
        return string
    }

    private mutating func escape() throws(ReceiptError) -> Unicode.Scalar {
        let start = index
        index += 1
        defer { index += 1 }
        switch next {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let scalar = scalar() else { throw error("the escape does not name a character", at: start) }
            return scalar
        default: throw error("the escape is not valid in JSON", at: start)
        }
    }

    /// Reads from the u of an escape to its last digit. A character beyond U+FFFF takes two escapes.
    private mutating func scalar() -> Unicode.Scalar? {
        guard let high = unit(at: index + 1) else { return nil }
        index += 4
        guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
        guard bytes.dropFirst(index + 1).starts(with: "\\u".utf8), let low = unit(at: index + 3),
            (0xDC00..<0xE000).contains(low)
        else { return nil }
        index += 6
        return Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    }

    private func unit(at start: Int) -> UInt32? {
        let digits = bytes.dropFirst(start).prefix(4).compactMap(\.hexadecimalDigit)
        return digits.count == 4 ? digits.reduce(0) { $0 << 4 | UInt32($1) } : nil
    }
}
