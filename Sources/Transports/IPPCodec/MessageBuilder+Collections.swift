// Collections (RFC 8010 §3.1.6 and §3.1.7): begCollection; for each member a memberAttrName, whose value is the
// member's name, and the member's values without names; endCollection.
extension MessageBuilder {
    /// A memberAttrName or an endCollection, neither of which is a value.
    mutating func takeCollectionMark(
        _ tag: IPPValueTag, _ value: Span<UInt8>, _ field: Field, at offset: Int
    ) throws(IPPDecodingError) {
        guard !enclosing.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "\(tag) stands outside of a collection")
        }
        guard field.nameLength == 0 else {
            throw IPPDecodingError(.invalidName, at: offset + 1, "\(tag) has a name in front of its value")
        }
        // Two memberAttrName in a row, or one in front of endCollection, leave a member without a value.
        guard frame.name == nil || !frame.values.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "a member of a collection has no value")
        }
        if tag == .memberAttrName {
            try openMember(value, at: offset + field.valueStart)
        } else {
            try closeCollection(value, at: offset + field.valueStart)
        }
    }

    /// Whether a value may have a name: inside of a collection only members of a tolerated printer do.
    mutating func checkNamed(_ tag: IPPValueTag, at offset: Int) throws(IPPDecodingError) {
        guard !enclosing.isEmpty else { return }
        guard tolerances.contains(.namedCollectionMembers) else {
            throw IPPDecodingError(
                .malformedCollection, at: offset + 1, "a member of a collection has its name in front of its value"
            )
        }
        guard frame.name == nil || !frame.values.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "a member of a collection has no value")
        }
        breaches.insert(.namedCollectionMembers)
    }

    private mutating func openMember(_ name: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
        guard !name.isEmpty else {
            throw IPPDecodingError(.malformedCollection, at: offset, "memberAttrName names no member")
        }
        guard name.count <= limits.nameBytes else {
            throw exceeded("a name of \(name.count) octets", limits.nameBytes, at: offset)
        }
        try open(name, at: offset)
    }

    mutating func openCollection(_ value: Span<UInt8>, at offset: Int) throws(IPPDecodingError) {
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
        guard var outer = enclosing.popLast() else { return }
        frame.close()
        outer.values.append(.collection(IPPCollection(frame.attributes)))
        frame = outer
    }
}
