/// The reason why octets are no SNMP message.
package struct SNMPDecodingError: Error, Hashable, Sendable {
    package var reason: String
    init(_ reason: String) { self.reason = reason }
}

/// Reads elements of the Basic Encoding Rules (ITU-T X.690 §8) one after the other. Whatever the octets are, it stays
/// within them.
struct BERReader {
    /// The tags of the universal types that SNMP uses.
    enum Tag {
        static let integer: UInt8 = 0x02
        static let octetString: UInt8 = 0x04
        static let null: UInt8 = 0x05
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
    }

    private var rest: ArraySlice<UInt8>

    init(_ octets: ArraySlice<UInt8>) { rest = octets }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next element's tag and content.
    mutating func element() throws(SNMPDecodingError) -> (tag: UInt8, content: ArraySlice<UInt8>) {
        guard let tag = rest.popFirst() else { throw SNMPDecodingError("an element is missing") }
        // SNMP has no tags of more than one octet.
        guard tag & 0x1F != 0x1F else { throw SNMPDecodingError("a tag of several octets") }
        let length = try length()
        guard length <= rest.count else { throw SNMPDecodingError("an element ends behind its octets") }
        defer { rest = rest.dropFirst(length) }
        return (tag, rest.prefix(length))
    }

    /// The content of the next element, which has to have this tag.
    mutating func content(_ tag: UInt8) throws(SNMPDecodingError) -> ArraySlice<UInt8> {
        let element = try element()
        guard element.tag == tag else { throw SNMPDecodingError("an element of another type") }
        return element.content
    }

    /// The next element as a number with a sign.
    mutating func integer() throws(SNMPDecodingError) -> Int64 { try Self.integer(content(Tag.integer)) }

    /// X.690 §8.1.3: the definite forms. RFC 3417 §8 forbids the indefinite one.
    private mutating func length() throws(SNMPDecodingError) -> Int {
        guard let first = rest.popFirst() else { throw SNMPDecodingError("a length is missing") }
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        // Agents may pad with zeros, to fill a length in later.
        guard (1...4).contains(count), count <= rest.count else { throw SNMPDecodingError("a length that is none") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }

    /// X.690 §8.3: two's complement.
    static func integer(_ content: ArraySlice<UInt8>) throws(SNMPDecodingError) -> Int64 {
        guard let first = content.first, content.count <= 8 else { throw SNMPDecodingError("an integer that is none") }
        return content.reduce(first >= 0x80 ? -1 : 0) { $0 << 8 | Int64($1) }
    }

    /// A number without a sign. Agents write those with the highest bit set with and without a zero before them.
    static func unsigned(_ content: ArraySlice<UInt8>) throws(SNMPDecodingError) -> UInt64 {
        guard !content.isEmpty, content.count <= 8 || content.count == 9 && content.first == 0 else {
            throw SNMPDecodingError("a number that is none")
        }
        return content.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// X.690 §8.19: each sub-identifier in groups of seven bits, the first two in one.
    static func name(_ content: ArraySlice<UInt8>) throws(SNMPDecodingError) -> OID {
        var components: [UInt32] = []
        var value: UInt64 = 0
        var isComplete = true
        for octet in content {
            value = value << 7 | UInt64(octet & 0x7F)
            guard value <= UInt64(UInt32.max) else { throw SNMPDecodingError("a sub-identifier that is too large") }
            isComplete = octet < 0x80
            guard isComplete else { continue }
            if components.isEmpty {
                let root = min(value / 40, 2)
                components = [UInt32(root), UInt32(value - root * 40)]
            } else {
                components.append(UInt32(value))
            }
            guard components.count <= OID.maximumLength else { throw SNMPDecodingError("a name that is too long") }
            value = 0
        }
        guard isComplete, !components.isEmpty else { throw SNMPDecodingError("a name that is not complete") }
        return OID(components)
    }
}
