/// Turns whole fields into a message: the state machine behind the decoder. A field is the message's header, a
/// delimiter tag, or a value with its tag and name.
struct MessageBuilder: Sendable {
    let limits: IPPLimits
    let tolerances: IPPTolerances

    /// Set once the end-of-attributes tag was taken.
    private(set) var message: IPPMessage?

    private var header: IPPMessage?
    private var groups: [IPPGroup] = []
    private var groupTag: IPPGroupTag?
    /// The group, or the innermost open collection.
    private var frame = Frame()
    /// What lies around the innermost collection, the group first.
    private var enclosing: [Frame] = []
    private var attributeCount = 0
    private var valueCount = 0

    /// A list of attributes in the making, the last one still open.
    private struct Frame: Sendable {
        var attributes: [IPPAttribute] = []
        var name: String?
        var values: [IPPValue] = []

        mutating func close() {
            guard let name else { return }
            attributes.append(IPPAttribute(name, values))
            self.name = nil
            values = []
        }
    }

    init(limits: IPPLimits, tolerances: IPPTolerances) {
        self.limits = limits
        self.tolerances = tolerances
    }
}

// The shape of fields.
extension MessageBuilder {
    /// Where a field's parts lie, as far as its first bytes tell.
    struct Field {
        /// Octets of the whole field, or as many as are needed to learn more: the field is whole when they are there
        /// and `isShaped`.
        var length: Int
        var nameLength = 0
        var valueLength = 0
    }

    /// version, code, request-id (RFC 8010 §3.1.1).
    private static let headerLength = 8

    /// The field that begins at `index`. `offset` is the message's offset of index 0.
    func field(_ bytes: Span<UInt8>, at index: Int, offset: Int) throws(IPPDecodingError) -> Field {
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
        return Field(length: 5 + nameLength + valueLength, nameLength: nameLength, valueLength: valueLength)
    }

    /// Takes all whole fields from `start` on, up to the end of the attributes; the index behind the last one taken.
    mutating func take(
        _ bytes: Span<UInt8>, from start: Int, offset: Int
    ) throws(IPPDecodingError) -> Int {
        var index = start
        while message == nil, index < bytes.count {
            let field = try field(bytes, at: index, offset: offset)
            guard offset + index + field.length <= limits.messageBytes else {
                throw exceeded("the message", limits.messageBytes, at: offset + index)
            }
            guard field.length <= bytes.count - index else { break }
            if header == nil {
                takeHeader(bytes, at: index)
            } else if bytes[index] < IPPGroupTag.firstValueTag {
                try takeDelimiter(bytes[index], at: offset + index)
            } else {
                try takeValue(bytes, at: index, field, offset: offset)
            }
            index += field.length
        }
        return index
    }

    private mutating func takeHeader(_ bytes: Span<UInt8>, at index: Int) {
        header = IPPMessage(
            version: IPPVersion(bytes[index], bytes[index + 1]), code: bytes.unsigned16(at: index + 2),
            requestID: bytes.signed32(at: index + 4)
        )
    }

    private func exceeded(_ what: String, _ limit: Int, at offset: Int) -> IPPDecodingError {
        IPPDecodingError(.limitExceeded, at: offset, "\(what) exceeds the limit of \(limit)")
    }
}

// What fields mean.
extension MessageBuilder {
    private mutating func takeDelimiter(_ byte: UInt8, at offset: Int) throws(IPPDecodingError) {
        guard enclosing.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "a group's tag stands inside a collection")
        }
        let tag = IPPGroupTag(rawValue: byte)
        guard tag.opensGroup || byte == IPPGroupTag.endOfAttributes else {
            throw IPPDecodingError(.invalidTag, at: offset, "the delimiter tag 0x00 is reserved")
        }
        if let groupTag {
            frame.close()
            groups.append(IPPGroup(groupTag, frame.attributes))
            frame.attributes = []
        }
        groupTag = tag
        if byte == IPPGroupTag.endOfAttributes {
            header?.groups = groups
            message = header
            groups = []
        }
    }

    private mutating func takeValue(
        _ bytes: Span<UInt8>, at index: Int, _ field: Field, offset: Int
    ) throws(IPPDecodingError) {
        let tag = IPPValueTag(rawValue: bytes[index])
        guard groupTag != nil else {
            throw IPPDecodingError(.invalidTag, at: offset + index, "an attribute stands before the first group's tag")
        }
        let valueStart = index + 5 + field.nameLength
        let value = bytes.extracting(valueStart..<valueStart + field.valueLength)
        if tag.isStructural && tag != .begCollection {
            guard field.nameLength == 0 else {
                throw IPPDecodingError(.invalidName, at: offset + index + 1, "\(tag) has a name")
            }
            if tag == .memberAttrName {
                try openMember(value, at: offset + index)
            } else {
                try closeCollection(value, at: offset + index)
            }
            return
        }
        if field.nameLength > 0 {
            try openAttribute(bytes.extracting(index + 3..<index + 3 + field.nameLength), at: offset + index + 3)
        } else if frame.name == nil {
            throw IPPDecodingError(.strayValue, at: offset + index, "a value has no attribute to belong to")
        }
        valueCount += 1
        guard valueCount <= limits.values else {
            throw exceeded("the count of values", limits.values, at: offset + index)
        }
        if tag == .begCollection {
            try openCollection(value, at: offset + index)
        } else {
            frame.values.append(try IPPValue(tag: tag, value, tolerances: tolerances, offset: offset + valueStart))
        }
    }

    private mutating func openAttribute(_ name: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
        guard enclosing.isEmpty || tolerances.contains(.namedCollectionMembers) else {
            throw IPPDecodingError(
                .malformedCollection, at: offset, "a member of a collection has its name in front of its value"
            )
        }
        try open(name, at: offset)
    }

    private mutating func openMember(_ name: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
        guard !enclosing.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "memberAttrName stands outside of a collection")
        }
        guard !name.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "memberAttrName names no member")
        }
        guard name.count <= limits.nameBytes else {
            throw exceeded("a name of \(name.count) octets", limits.nameBytes, at: offset)
        }
        try checkOpenMember(at: offset)
        try open(name, at: offset + 5)
    }

    private mutating func open(_ name: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
        attributeCount += 1
        guard attributeCount <= limits.attributes else {
            throw exceeded("the count of attributes", limits.attributes, at: offset)
        }
        guard let utf8 = try? UTF8Span(validating: name) else {
            throw IPPDecodingError(.invalidName, at: offset, "an attribute's name is not UTF-8")
        }
        frame.close()
        frame.name = String(copying: utf8)
    }

    /// A member without a value (two memberAttrName in a row, or one in front of endCollection) is no member.
    private func checkOpenMember(at offset: Int) throws(IPPDecodingError) {
        guard frame.name == nil || !frame.values.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "a member of a collection has no value")
        }
    }

    private mutating func openCollection(_ value: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
        guard value.isEmpty else {
            throw IPPDecodingError(.invalidLength, at: offset, "begCollection has a value of \(value.count) octets")
        }
        guard enclosing.count < limits.collectionDepth else {
            throw exceeded("the depth of collections", limits.collectionDepth, at: offset)
        }
        enclosing.append(frame)
        frame = Frame()
    }

    private mutating func closeCollection(_ value: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
        guard value.isEmpty else {
            throw IPPDecodingError(.invalidLength, at: offset, "endCollection has a value of \(value.count) octets")
        }
        try checkOpenMember(at: offset)
        guard var outer = enclosing.popLast() else {
            throw IPPDecodingError(.malformedCollection, at: offset, "endCollection stands outside of a collection")
        }
        frame.close()
        outer.values.append(.collection(IPPCollection(frame.attributes)))
        frame = outer
    }
}
