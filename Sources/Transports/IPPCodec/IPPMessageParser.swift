/// Parses whole fields into a message: the state machine behind the decoder.
///
/// A field is the message's header, a delimiter tag, or a value with its tag and name (RFC 8010 §3.1).
struct IPPMessageParser: Sendable {
    private let limits: IPPLimits
    private let tolerances: IPPTolerances

    /// The message, set at the end-of-attributes tag.
    private(set) var message: IPPMessage?
    /// The tolerances without which the parser would have refused the message.
    private(set) var violations: IPPTolerances = []

    private var header: IPPMessage?
    private var groups: [IPPGroup] = []
    private var groupTag: IPPGroupTag?
    /// The group, or the innermost open collection.
    private var list = OpenList()
    /// The lists around the innermost collection, the group first.
    private var enclosingLists: [OpenList] = []
    private var attributeCount = 0
    private var valueCount = 0

    init(limits: IPPLimits, tolerances: IPPTolerances) {
        self.limits = limits
        self.tolerances = tolerances
    }

    /// A list of attributes under construction. More values of the last attribute may follow.
    private struct OpenList: Sendable {
        var attributes: [IPPAttribute] = []
        var name: String?
        var values: [IPPValue] = []

        mutating func closeAttribute() {
            guard let name = name.take() else { return }
            var closed: [IPPValue] = []
            swap(&closed, &values)
            attributes.append(IPPAttribute(name, closed))
        }
    }

    private func limitExceeded(_ what: String, _ limit: Int, at offset: Int) -> IPPDecodingError {
        IPPDecodingError(.limitExceeded, at: offset, "\(what) exceeds the limit of \(limit)")
    }
}

// Fields.
extension IPPMessageParser {
    /// Parses all whole fields from `start` up to the end of the attributes. Returns the index after the last one.
    /// `offset` is the message's offset of index 0.
    mutating func parse(
        _ bytes: Span<UInt8>, from start: Int, offset: Int
    ) throws(IPPDecodingError) -> Int {
        var index = start
        while message == nil, index < bytes.count {
            let field = try field(bytes, at: index, offset: offset)
            guard field.length <= bytes.count - index else { break }
            if header == nil {
                parseHeader(bytes, at: index)
            } else if bytes[index] < IPPGroupTag.firstValueTag {
                try parseDelimiter(bytes[index], at: offset + index)
            } else {
                try parseValue(bytes, at: index, field, offset: offset)
            }
            index += field.length
        }
        return index
    }

    /// The length of the field at `index`. If the available octets do not tell it, returns how many are needed next.
    func fieldLength(_ bytes: Span<UInt8>, at index: Int, offset: Int) throws(IPPDecodingError) -> Int {
        try field(bytes, at: index, offset: offset).length
    }

    private mutating func parseHeader(_ bytes: Span<UInt8>, at index: Int) {
        header = IPPMessage(
            version: IPPVersion(bytes[index], bytes[index + 1]), code: bytes.unsigned16(at: index + 2),
            requestID: bytes.signed32(at: index + 4)
        )
    }

    private mutating func parseDelimiter(_ byte: UInt8, at offset: Int) throws(IPPDecodingError) {
        guard enclosingLists.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "a group tag is inside a collection")
        }
        let tag = IPPGroupTag(rawValue: byte)
        guard tag.opensGroup || byte == IPPGroupTag.endOfAttributes else {
            throw IPPDecodingError(.invalidTag, at: offset, "the delimiter tag 0x00 is reserved")
        }
        if let groupTag {
            list.closeAttribute()
            groups.append(IPPGroup(groupTag, list.attributes))
            list.attributes = []
        }
        groupTag = tag
        if byte == IPPGroupTag.endOfAttributes {
            header?.groups = groups
            message = header
            groups = []
        }
    }

    private mutating func parseValue(
        _ bytes: Span<UInt8>, at index: Int, _ field: Field, offset: Int
    ) throws(IPPDecodingError) {
        guard groupTag != nil else {
            throw IPPDecodingError(.invalidTag, at: offset + index, "an attribute comes before the first group tag")
        }
        let tag = IPPValueTag(rawValue: bytes[index])
        let valueStart = index + field.valueStart
        let value = bytes.extracting(valueStart..<valueStart + field.valueLength)
        recordViolations(tag, field)
        if tag == .memberAttrName || tag == .endCollection {
            return try parseCollectionTag(tag, value, field, at: offset + index)
        }
        if field.nameLength > 0 {
            try checkNameAllowed(tag, at: offset + index)
            try beginAttribute(bytes.extracting(index + 3..<index + 3 + field.nameLength), at: offset + index + 3)
        } else if list.name == nil {
            throw IPPDecodingError(.strayValue, at: offset + index, "a value does not belong to an attribute")
        }
        valueCount += 1
        guard valueCount <= limits.values else {
            throw limitExceeded("the number of values", limits.values, at: offset + index)
        }
        if tag == .begCollection {
            try beginCollection(value, at: offset + index)
        } else {
            list.values.append(try IPPValue(tag: tag, value, tolerances: tolerances, offset: offset + valueStart))
        }
    }

    /// Begins the next attribute or member.
    private mutating func beginAttribute(_ name: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
        attributeCount += 1
        guard attributeCount <= limits.attributes else {
            throw limitExceeded("the number of attributes", limits.attributes, at: offset)
        }
        guard let utf8 = try? UTF8Span(validating: name) else {
            throw IPPDecodingError(.invalidName, at: offset, "an attribute's name is not UTF-8")
        }
        list.closeAttribute()
        list.name = String(copying: utf8)
    }

    /// Records which violations a tolerated field shows.
    private mutating func recordViolations(_ tag: IPPValueTag, _ field: Field) {
        if field.valueStart < 5 + field.nameLength { violations.insert(.missingValueLengths) }
        if field.valueLength > 0, IPPOutOfBand(rawValue: tag.rawValue) != nil { violations.insert(.outOfBandValues) }
    }
}

// Collections (RFC 8010 §3.1.6 and §3.1.7): begCollection; for each member a memberAttrName, whose value is the
// member's name, and the member's values without names; endCollection.
extension IPPMessageParser {
    private mutating func beginCollection(_ value: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
        guard value.isEmpty else {
            throw IPPDecodingError(.invalidLength, at: offset, "begCollection has a value of \(value.count) octets")
        }
        guard enclosingLists.count < limits.collectionDepth else {
            throw limitExceeded("the depth of collections", limits.collectionDepth, at: offset)
        }
        enclosingLists.append(list)
        list = OpenList()
    }

    /// Parses a memberAttrName or an endCollection. Neither is a value.
    private mutating func parseCollectionTag(
        _ tag: IPPValueTag, _ value: Span<UInt8>, _ field: Field, at offset: Int
    ) throws(IPPDecodingError) {
        guard !enclosingLists.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "\(tag) is outside of a collection")
        }
        guard field.nameLength == 0 else {
            throw IPPDecodingError(.invalidName, at: offset + 1, "\(tag) has a name in front of its value")
        }
        // Two memberAttrName in a row, or one in front of endCollection, leave a member without a value.
        guard list.name == nil || !list.values.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "a member of a collection has no value")
        }
        if tag == .memberAttrName {
            try beginMember(value, at: offset + field.valueStart)
        } else {
            try endCollection(value, at: offset + field.valueStart)
        }
    }

    private mutating func beginMember(_ name: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
        guard !name.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "memberAttrName has an empty name")
        }
        guard name.count <= limits.nameBytes else {
            throw limitExceeded("a name of \(name.count) octets", limits.nameBytes, at: offset)
        }
        try beginAttribute(name, at: offset)
    }

    private mutating func endCollection(_ value: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
        guard value.isEmpty else {
            throw IPPDecodingError(.invalidLength, at: offset, "endCollection has a value of \(value.count) octets")
        }
        guard var outer = enclosingLists.popLast() else { return }
        list.closeAttribute()
        outer.values.append(.collection(IPPCollection(list.attributes)))
        list = outer
    }

    /// Throws if a value may not have a name. Inside a collection, only a tolerated member has one.
    private mutating func checkNameAllowed(_ tag: IPPValueTag, at offset: Int) throws(IPPDecodingError) {
        guard !enclosingLists.isEmpty else { return }
        guard tolerances.contains(.namedCollectionMembers) else {
            throw IPPDecodingError(
                .malformedCollection, at: offset + 1, "a member of a collection has its name in front of its value"
            )
        }
        guard list.name == nil || !list.values.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "a member of a collection has no value")
        }
        violations.insert(.namedCollectionMembers)
    }
}

// Field lengths.
extension IPPMessageParser {
    /// The positions of a field's parts, as far as the available octets tell them.
    private struct Field {
        /// Octets of the whole field. If the available octets do not tell it, how many are needed next: always more
        /// than are available.
        var length: Int
        var nameLength = 0
        /// Counted from the field's first octet.
        var valueStart = 0
        var valueLength = 0
    }

    /// version-number, operation-id or status-code, request-id (RFC 8010 §3.1.1).
    private static let headerLength = 8

    /// The field that begins at `index`. `offset` is the message's offset of index 0.
    private func field(_ bytes: Span<UInt8>, at index: Int, offset: Int) throws(IPPDecodingError) -> Field {
        let field = try uncheckedField(bytes, at: index, offset: offset)
        guard offset + index + field.length <= limits.messageBytes else {
            throw limitExceeded("the message", limits.messageBytes, at: offset + index)
        }
        return field
    }

    /// The field, not yet checked against the limit of the whole message.
    private func uncheckedField(_ bytes: Span<UInt8>, at index: Int, offset: Int) throws(IPPDecodingError) -> Field {
        let available = bytes.count - index
        guard header != nil else { return Field(length: Self.headerLength) }
        guard available >= 1, bytes[index] >= IPPGroupTag.firstValueTag else { return Field(length: 1) }
        guard available >= 3 else { return Field(length: 3) }
        let nameLength = Int(bytes.unsigned16(at: index + 1))
        guard nameLength <= limits.nameBytes else {
            throw limitExceeded("a name of \(nameLength) octets", limits.nameBytes, at: offset + index + 1)
        }
        guard available >= 5 + nameLength else { return Field(length: 5 + nameLength) }
        let valueLength = Int(bytes.unsigned16(at: index + 3 + nameLength))
        guard valueLength <= limits.valueBytes else {
            throw limitExceeded(
                "a value of \(valueLength) octets", limits.valueBytes, at: offset + index + 3 + nameLength)
        }
        let field = Field(
            length: 5 + nameLength + valueLength, nameLength: nameLength, valueStart: 5 + nameLength,
            valueLength: valueLength
        )
        guard tolerances.contains(.missingValueLengths), valueLength > 0,
            IPPValueTag(rawValue: bytes[index]).hasLanguage
        else { return field }
        return try fieldMaybeWithoutValueLength(field, bytes, at: index, offset: offset)
    }

    /// Applies `IPPTolerances.missingValueLengths`. If the octet after the value-length is a letter, the field has no
    /// value-length and the language-length is in its place. Otherwise that octet is the high byte of the
    /// language-length, which is 0 in practice.
    private func fieldMaybeWithoutValueLength(
        _ field: Field, _ bytes: Span<UInt8>, at index: Int, offset: Int
    ) throws(IPPDecodingError) -> Field {
        let available = bytes.count - index
        guard available > field.valueStart else { return Field(length: field.valueStart + 1) }
        guard Self.isLetter(bytes[index + field.valueStart]) else { return field }
        // `field` ends after the language. The text-length and the text follow.
        guard available >= field.length + 2 else { return Field(length: field.length + 2) }
        let textLength = Int(bytes.unsigned16(at: index + field.length))
        let valueLength = 2 + field.valueLength + 2 + textLength
        guard valueLength <= limits.valueBytes else {
            throw limitExceeded(
                "a value of \(valueLength) octets", limits.valueBytes, at: offset + index + field.length)
        }
        return Field(
            length: field.length + 2 + textLength, nameLength: field.nameLength, valueStart: field.valueStart - 2,
            valueLength: valueLength
        )
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
