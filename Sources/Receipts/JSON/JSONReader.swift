/// Reads JSON within bounds: of its depth, its values, and an object's members.
struct JSONReader {
    let bytes: [UInt8]
    var index = 0
    private var values = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func read(_ bytes: [UInt8]) throws(ReceiptError) -> JSONNode {
        var reader = JSONReader(bytes)
        let node = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.index == bytes.count else { throw reader.error("the text goes on behind the JSON value") }
        return node
    }

    /// More than any object of a receipt has.
    private static let maximumMembers = 32

    func error(_ message: String, _ code: ReceiptError.Code = .syntax, at offset: Int? = nil) -> ReceiptError {
        ReceiptError(code, message, at: Self.place(of: offset ?? index, in: bytes))
    }

    static func place(of offset: Int, in bytes: [UInt8]) -> ReceiptError.Place {
        let before = bytes.prefix(offset)
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = before.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
        return ReceiptError.Place(line: line, column: before[start...].reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) })
    }

    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte.isBlank || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private mutating func value(depth: Int) throws(ReceiptError) -> JSONNode {
        skipBlanks()
        values += 1
        guard values <= ReceiptLimits.values, depth <= ReceiptLimits.depth else {
            throw error("the JSON has more values or is nested deeper than a receipt", .tooLarge)
        }
        let offset = index
        switch next {
        case UInt8(ascii: "{"): return JSONNode(value: .object(try members(depth: depth)), offset: offset)
        case UInt8(ascii: "["): return JSONNode(value: .array(try items(depth: depth)), offset: offset)
        case UInt8(ascii: "\""): return JSONNode(value: .string(try string()), offset: offset)
        case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?:
            return JSONNode(value: try number(), offset: offset)
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw error("a JSON value is missing")
        }
    }

    private mutating func word(_ word: String, _ value: JSONNode.Value) throws(ReceiptError) -> JSONNode {
        guard bytes[index...].starts(with: word.utf8) else { throw error("a JSON value is missing") }
        defer { index += word.utf8.count }
        return JSONNode(value: value, offset: index)
    }

    /// Whether the list goes on behind a value; passes over what says so.
    private mutating func goesOn(until end: UInt8) throws(ReceiptError) -> Bool {
        skipBlanks()
        guard let byte = next, byte == end || byte == UInt8(ascii: ",") else {
            throw error("a comma or the end of the list is missing")
        }
        index += 1
        return byte != end
    }

    /// Passes over the opening bracket; whether the closing one follows at once, which it passes over too.
    private mutating func isEmpty(until end: UInt8) -> Bool {
        index += 1
        skipBlanks()
        guard next == end else { return false }
        index += 1
        return true
    }

    private mutating func items(depth: Int) throws(ReceiptError) -> [JSONNode] {
        let end = UInt8(ascii: "]")
        guard !isEmpty(until: end) else { return [] }
        var items: [JSONNode] = []
        repeat { items.append(try value(depth: depth + 1)) } while try goesOn(until: end)
        return items
    }

    private mutating func members(depth: Int) throws(ReceiptError) -> [JSONNode.Member] {
        let end = UInt8(ascii: "}")
        guard !isEmpty(until: end) else { return [] }
        var members: [JSONNode.Member] = []
        repeat {
            skipBlanks()
            let offset = index
            guard next == UInt8(ascii: "\"") else { throw error("a key in quotes is missing") }
            let key = try string()
            guard !members.contains(where: { $0.key == key }) else {
                throw error("the key \"\(key.prefix(40))\" stands twice", at: offset)
            }
            guard members.count < Self.maximumMembers else {
                throw error("the object has more members than any of a receipt", .tooLarge, at: offset)
            }
            skipBlanks()
            guard next == UInt8(ascii: ":") else { throw error("the colon behind a key is missing") }
            index += 1
            members.append(JSONNode.Member(key: key, offset: offset, node: try value(depth: depth + 1)))
        } while try goesOn(until: end)
        return members
    }

    private mutating func number() throws(ReceiptError) -> JSONNode.Value {
        let start = index
        if next == UInt8(ascii: "-") { index += 1 }
        let digits = skipDigits()
        guard digits > 0, digits == 1 || bytes[index - digits] != 0x30 else {
            throw error("the number is none of JSON", at: start)
        }
        let end = index
        if next == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() > 0 else { throw error("the number is none of JSON", at: start) }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            guard skipDigits() > 0 else { throw error("the number is none of JSON", at: start) }
        }
        return Int(String(decoding: bytes[start..<end], as: UTF8.self)).flatMap { end == index ? .integer($0) : nil }
            ?? .number
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
        return index - start
    }
}
