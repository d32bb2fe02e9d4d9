// A field is the message's header, a delimiter tag, or a value with its tag and name (RFC 8010 §3.1).
extension MessageBuilder {
    /// Where a field's parts lie, as far as its first octets tell.
    struct Field {
        /// Octets of the whole field; or, when more are needed to learn that, how many (always more than there are).
        var length: Int
        var nameLength = 0
        /// From the field's first octet.
        var valueStart = 0
        var valueLength = 0
    }

    /// version, code, request-id (RFC 8010 §3.1.1).
    private static let headerLength = 8

    /// The field that begins at `index`. `offset` is the message's offset of index 0.
    func field(_ bytes: Span<UInt8>, at index: Int, offset: Int) throws(IPPDecodingError) -> Field {
        let field = try shape(bytes, at: index, offset: offset)
        guard offset + index + field.length <= limits.messageBytes else {
            throw exceeded("the message", limits.messageBytes, at: offset + index)
        }
        return field
    }

    private func shape(_ bytes: Span<UInt8>, at index: Int, offset: Int) throws(IPPDecodingError) -> Field {
        let available = bytes.count - index
        guard header != nil else { return Field(length: Self.headerLength) }
        guard available >= 1, bytes[index] >= IPPGroupTag.firstValueTag else { return Field(length: 1) }
        guard available >= 3 else { return Field(length: 3) }
        let nameLength = Int(bytes.unsigned16(at: index + 1))
        guard nameLength <= limits.nameBytes else {
            throw exceeded("a name of \(nameLength) octets", limits.nameBytes, at: offset + index + 1)
        }
        guard available >= 5 + nameLength else { return Field(length: 5 + nameLength) }
        let valueLength = Int(bytes.unsigned16(at: index + 3 + nameLength))
        guard valueLength <= limits.valueBytes else {
            throw exceeded("a value of \(valueLength) octets", limits.valueBytes, at: offset + index + 3 + nameLength)
        }
        let field = Field(
            length: 5 + nameLength + valueLength, nameLength: nameLength, valueStart: 5 + nameLength,
            valueLength: valueLength
        )
        guard tolerances.contains(.missingValueLengths), valueLength > 0,
            IPPValueTag(rawValue: bytes[index]).hasLanguage
        else { return field }
        return try shapePerhapsWithoutValueLength(field, bytes, at: index, offset: offset)
    }

    /// `tolerances.missingValueLengths`: what stands in the value-length's place is the language's length, when the
    /// octet behind it is a letter: it would be the high half of a language-length otherwise, which is 0 in practice.
    private func shapePerhapsWithoutValueLength(
        _ field: Field, _ bytes: Span<UInt8>, at index: Int, offset: Int
    ) throws(IPPDecodingError) -> Field {
        let available = bytes.count - index
        guard available > field.valueStart else { return Field(length: field.valueStart + 1) }
        guard Self.isLetter(bytes[index + field.valueStart]) else { return field }
        // `field` ends behind the language; the text's length and the text follow.
        guard available >= field.length + 2 else { return Field(length: field.length + 2) }
        let textLength = Int(bytes.unsigned16(at: index + field.length))
        let valueLength = 2 + field.valueLength + 2 + textLength
        guard valueLength <= limits.valueBytes else {
            throw exceeded("a value of \(valueLength) octets", limits.valueBytes, at: offset + index + field.length)
        }
        return Field(
            length: field.length + 2 + textLength, nameLength: field.nameLength, valueStart: field.valueStart - 2,
            valueLength: valueLength
        )
    }

    /// Notes what of a field, known to be read over, no correct message has.
    mutating func noteBreach(_ tag: IPPValueTag, _ field: Field) {
        if field.valueStart < 5 + field.nameLength { breaches.insert(.missingValueLengths) }
        if field.valueLength > 0, IPPOutOfBand(rawValue: tag.rawValue) != nil { breaches.insert(.outOfBandValues) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
