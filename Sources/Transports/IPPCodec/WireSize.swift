// How many octets a message's parts take on the wire. Whatever cannot be put there is refused here, so that writing
// cannot fail. Lists go from function to function as spans: an attribute would be retained and released on its way.
enum WireSize {
    static func of(_ message: borrowing IPPMessage) throws(IPPEncodingError) -> Int {
        // The header of eight octets and the end-of-attributes tag.
        var size = 9
        let groups = message.groups.span
        for group in groups.indices {
            guard groups[group].tag.opensGroup else {
                throw IPPEncodingError(.invalidTag, "\(groups[group].tag) opens no group")
            }
            size += try 1 + of(groups[group].attributes.span)
        }
        return size
    }

    /// Of a group's attributes.
    private static func of(_ attributes: Span<IPPAttribute>) throws(IPPEncodingError) -> Int {
        var size = 0
        for index in attributes.indices {
            size += attributes[index].name.utf8.count
            size += try of(attributes[index].values.span, in: attributes, at: index, depth: 0)
        }
        return size
    }

    /// Of a collection's members and endCollection. A member's name is the value of a memberAttrName.
    private static func of(members: Span<IPPAttribute>, depth: Int) throws(IPPEncodingError) -> Int {
        var size = 5
        for index in members.indices {
            size += 5 + members[index].name.utf8.count
            size += try of(members[index].values.span, in: members, at: index, depth: depth)
        }
        return size
    }

    /// Of an attribute's values, with their tags and lengths but without a name.
    private static func of(
        _ values: Span<IPPValue>, in attributes: Span<IPPAttribute>, at index: Int, depth: Int
    ) throws(IPPEncodingError) -> Int {
        let nameLength = attributes[index].name.utf8.count
        guard nameLength > 0 else { throw error(.noName, attributes[index], "it has no name") }
        guard nameLength <= maximumLength else { throw tooLong(attributes[index], nameLength) }
        guard !values.isEmpty else {
            throw error(.noValues, attributes[index], "it has no value; say so with an out-of-band value")
        }
        var size = 0
        for value in values.indices {
            let length = values[value].valueLength
            guard length <= maximumLength else { throw tooLong(attributes[index], length) }
            size += 5 + length
            switch values[value] {
            case .collection(let collection):
                guard depth < IPPLimits.defaultCollectionDepth else {
                    throw error(.tooDeep, attributes[index], "its collections are nested more than \(depth) deep")
                }
                size += try of(members: collection.attributes.span, depth: depth + 1)
            case .other(let tag, _):
                guard tag.rawValue >= IPPGroupTag.firstValueTag, !tag.isStructural else {
                    throw error(.invalidTag, attributes[index], "\(tag) is no value tag")
                }
            default: break
            }
        }
        return size
    }

    /// SIGNED-SHORT (RFC 8010 §3.1.4).
    private static let maximumLength = Int(Int16.max)

    private static func tooLong(_ attribute: IPPAttribute, _ length: Int) -> IPPEncodingError {
        error(.tooLong, attribute, "\(length) octets are more than the \(maximumLength) that a length field can say")
    }

    private static func error(
        _ code: IPPEncodingError.Code, _ attribute: IPPAttribute, _ message: String
    ) -> IPPEncodingError {
        let name = attribute.name
        return IPPEncodingError(code, attribute: name.count < 100 ? name : "\(name.prefix(100))…", message)
    }
}

extension IPPValue {
    /// What stands in the value-length field.
    @inline(__always)
    var valueLength: Int {
        switch self {
        case .integer, .enum: 4
        case .boolean: 1
        case .rangeOfInteger: 8
        case .resolution: 9
        case .dateTime: 11
        case .text(let text), .name(let text), .keyword(let text), .uri(let text), .uriScheme(let text),
            .charset(let text), .naturalLanguage(let text), .mimeMediaType(let text):
            text.count
        case .textWithLanguage(let text, let language), .nameWithLanguage(let text, let language):
            4 + language.count + text.count
        case .octetString(let octets), .other(_, let octets): octets.count
        case .outOfBand, .collection: 0
        }
    }
}
