/// Turns whole fields into a message: the state machine behind the decoder.
struct MessageBuilder: Sendable {
    let limits: IPPLimits
    let tolerances: IPPTolerances

    /// Set once the end-of-attributes tag was taken.
    private(set) var message: IPPMessage?

    private(set) var header: IPPMessage?
    private var groups: [IPPGroup] = []
    private var groupTag: IPPGroupTag?
    /// The group, or the innermost open collection.
    var frame = Frame()
    /// What lies around the innermost collection, the group first.
    var enclosing: [Frame] = []
    /// The tolerances without which the message would have been refused.
    var breaches: IPPTolerances = []
    private var attributeCount = 0
    private var valueCount = 0

    /// A list of attributes in the making, the last one still open.
    struct Frame: Sendable {
        var attributes: [IPPAttribute] = []
        var name: String?
        var values: [IPPValue] = []

        mutating func close() {
            guard let name = name.take() else { return }
            var closed: [IPPValue] = []
            swap(&closed, &values)
            attributes.append(IPPAttribute(name, closed))
        }
    }

    init(limits: IPPLimits, tolerances: IPPTolerances) {
        self.limits = limits
        self.tolerances = tolerances
    }

    func exceeded(_ what: String, _ limit: Int, at offset: Int) -> IPPDecodingError {
        IPPDecodingError(.limitExceeded, at: offset, "\(what) exceeds the limit of \(limit)")
    }
}

extension MessageBuilder {
    /// Takes all whole fields from `start` on, up to the end of the attributes; the index behind the last one taken.
    /// `offset` is the message's offset of index 0; negative when the message began in an earlier chunk's middle.
    mutating func take(
        _ bytes: Span<UInt8>, from start: Int, offset: Int
    ) throws(IPPDecodingError) -> Int {
        var index = start
        while message == nil, index < bytes.count {
            let field = try field(bytes, at: index, offset: offset)
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
        guard groupTag != nil else {
            throw IPPDecodingError(.invalidTag, at: offset + index, "an attribute stands before the first group's tag")
        }
        let tag = IPPValueTag(rawValue: bytes[index])
        let valueStart = index + field.valueStart
        let value = bytes.extracting(valueStart..<valueStart + field.valueLength)
        noteBreach(tag, field)
        if tag == .memberAttrName || tag == .endCollection {
            return try takeCollectionMark(tag, value, field, at: offset + index)
        }
        if field.nameLength > 0 {
            try checkNamed(tag, at: offset + index)
            try open(bytes.extracting(index + 3..<index + 3 + field.nameLength), at: offset + index + 3)
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

    /// Begins the next attribute or member.
    mutating func open(_ name: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
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
}
