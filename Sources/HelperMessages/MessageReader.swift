/// Decodes the fields of a message. The sender may be hostile: every field is bounded, and no bytes may follow the last
/// one.
package struct MessageReader {
    private var rest: ArraySlice<UInt8>

    /// Reads a message without its frame.
    package init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

    /// One byte.
    package mutating func byte() throws(HelperMessageError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Self.truncated }
        return byte
    }

    /// A truth value, sent as 0 or 1.
    package mutating func flag() throws(HelperMessageError) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw HelperMessageError("a flag that is neither 0 nor 1") }
        return byte == 1
    }

    /// An unsigned 32-bit integer.
    package mutating func number() throws(HelperMessageError) -> Int {
        try bytes(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// An unsigned 32-bit integer within bounds.
    package mutating func number(in range: ClosedRange<Int>) throws(HelperMessageError) -> Int {
        let number = try number()
        guard range.contains(number) else { throw HelperMessageError("\(number) is not in \(range)") }
        return number
    }

    /// A signed 32-bit integer within bounds.
    package mutating func signed(in range: ClosedRange<Int>) throws(HelperMessageError) -> Int {
        let number = Int(Int32(truncatingIfNeeded: try number()))
        guard range.contains(number) else { throw HelperMessageError("\(number) is not in \(range)") }
        return number
    }

    /// A finite IEEE 754 double within bounds.
    package mutating func real(in range: ClosedRange<Double>) throws(HelperMessageError) -> Double {
        let value = Double(bitPattern: try bytes(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
        guard range.contains(value) else { throw HelperMessageError("\(value) is not in \(range)") }
        return value
    }

    /// Bytes, preceded by their number.
    package mutating func file(limit: Int) throws(HelperMessageError) -> [UInt8] {
        let count = try number(in: 0...limit)
        return Array(try bytes(count))
    }

    /// UTF-8, preceded by its length in bytes.
    package mutating func text(limit: Int) throws(HelperMessageError) -> String {
        let count = try number(in: 0...limit)
        guard let text = String(validating: try bytes(count), as: UTF8.self) else {
            throw HelperMessageError("a string that is not UTF-8")
        }
        return text
    }

    /// A string that may be missing: a flag, then the string.
    package mutating func optionalText(limit: Int) throws(HelperMessageError) -> String? {
        try flag() ? try text(limit: limit) : nil
    }

    /// A case of an enumeration, sent as its index.
    package mutating func choice<Choice: CaseIterable>(_: Choice.Type) throws(HelperMessageError) -> Choice {
        let index = Int(try byte())
        let all = Array(Choice.allCases)
        guard all.indices.contains(index) else { throw HelperMessageError("an unknown \(Choice.self)") }
        return all[index]
    }

    /// Throws where bytes are left.
    package func end() throws(HelperMessageError) {
        guard rest.isEmpty else { throw HelperMessageError("\(rest.count) bytes after the message") }
    }

    /// All that is left.
    package mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    /// This many bytes.
    package mutating func bytes(_ count: Int) throws(HelperMessageError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw Self.truncated }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        return bytes
    }

    private static let truncated = HelperMessageError("a truncated message")
}
