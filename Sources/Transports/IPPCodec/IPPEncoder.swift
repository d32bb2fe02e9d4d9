/// Encodes messages (RFC 8010 §3). A message that was decoded without tolerances is encoded to the same octets.
package enum IPPEncoder {
    /// Returns the octets from the version up to and including the end-of-attributes tag. The document follows them.
    package static func encode(_ message: IPPMessage) throws(IPPEncodingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: try EncodedSize.of(message))
        var output = bytes.mutableSpan
        output.put(message)
        return bytes
    }
}

extension IPPMessage {
    /// Returns the octets up to and including the end-of-attributes tag.
    package func encoded() throws(IPPEncodingError) -> [UInt8] {
        try IPPEncoder.encode(self)
    }
}

/// The number of octets of a message's parts. It throws for everything that cannot be encoded, so that writing cannot
/// fail.
///
/// Lists are passed as spans: passing an attribute would retain and release it.
private enum EncodedSize {
    static func of(_ message: borrowing IPPMessage) throws(IPPEncodingError) -> Int {
        // The header of eight octets and the end-of-attributes tag.
        var size = 9
        let groups = message.groups.span
        for group in groups.indices {
            guard groups[group].tag.opensGroup else {
                throw IPPEncodingError(.invalidTag, "\(groups[group].tag) is not the tag of a group")
            }
            size += try 1 + of(groups[group].attributes.span)
        }
        return size
    }

    /// The size of a group's attributes.
    private static func of(_ attributes: Span<IPPAttribute>) throws(IPPEncodingError) -> Int {
        var size = 0
        for index in attributes.indices {
            size += attributes[index].name.utf8.count
            size += try of(attributes[index].values.span, in: attributes, at: index, depth: 0)
        }
        return size
    }

    /// The size of a collection's members and endCollection. A member's name is the value of a memberAttrName.
    private static func of(members: Span<IPPAttribute>, depth: Int) throws(IPPEncodingError) -> Int {
        var size = 5
        for index in members.indices {
            size += 5 + members[index].name.utf8.count
            size += try of(members[index].values.span, in: members, at: index, depth: depth)
        }
        return size
    }

    /// The size of an attribute's values with their tags and lengths, but without the name.
    private static func of(
        _ values: Span<IPPValue>, in attributes: Span<IPPAttribute>, at index: Int, depth: Int
    ) throws(IPPEncodingError) -> Int {
        let nameLength = attributes[index].name.utf8.count
        guard nameLength > 0 else { throw error(.noName, attributes[index], "it has no name") }
        guard nameLength <= maximumLength else { throw tooLong(attributes[index], nameLength) }
        guard !values.isEmpty else {
            throw error(.noValues, attributes[index], "it has no value; use an out-of-band value")
        }
        var size = 0
        for value in values.indices {
            let length = values[value].valueLength
            guard length <= maximumLength else { throw tooLong(attributes[index], length) }
            size += 5 + length
            switch values[value] {
            case .collection(let collection):
                guard depth < IPPLimits.defaultCollectionDepth else {
                    throw error(
                        .tooDeep, attributes[index], "its collections are nested deeper than \(depth) levels")
                }
                size += try of(members: collection.attributes.span, depth: depth + 1)
            case .other(let tag, _):
                guard tag.rawValue >= IPPGroupTag.firstValueTag, !tag.isStructural else {
                    throw error(.invalidTag, attributes[index], "\(tag) is not a value tag")
                }
            default: break
            }
        }
        return size
    }

    /// The maximum of a SIGNED-SHORT (RFC 8010 §3.1.4).
    private static let maximumLength = Int(Int16.max)

    private static func tooLong(_ attribute: IPPAttribute, _ length: Int) -> IPPEncodingError {
        error(.tooLong, attribute, "\(length) octets are more than the maximum of \(maximumLength)")
    }

    private static func error(
        _ code: IPPEncodingError.Code, _ attribute: IPPAttribute, _ message: String
    ) -> IPPEncodingError {
        let name = attribute.name
        return IPPEncodingError(code, attribute: name.count < 100 ? name : "\(name.prefix(100))…", message)
    }
}

// Writes a message's parts. `EncodedSize` has checked all lengths.
// Lists are passed as spans: passing an attribute would retain and release it.
extension MutableSpan<UInt8> {
    fileprivate mutating func put(_ message: borrowing IPPMessage) {
        var index = 0
        put(message.version.major, at: &index)
        put(message.version.minor, at: &index)
        put(message.code, at: &index)
        put(message.requestID, at: &index)
        let groups = message.groups.span
        for group in groups.indices {
            put(groups[group].tag.rawValue, at: &index)
            put(attributes: groups[group].attributes.span, at: &index)
        }
        put(IPPGroupTag.endOfAttributes, at: &index)
    }

    private mutating func put(attributes: Span<IPPAttribute>, at index: inout Int) {
        for attribute in attributes.indices {
            let values = attributes[attribute].values.span
            guard !values.isEmpty else { continue }
            put(values[0].tag.rawValue, at: &index)
            put(name: attributes[attribute].name, at: &index)
            put(values[0], at: &index)
            put(additional: values.extracting(1...), at: &index)
        }
    }

    /// Writes each name as the value of a memberAttrName, then the values without names (RFC 8010 §3.1.7).
    private mutating func put(members: Span<IPPAttribute>, at index: inout Int) {
        for member in members.indices {
            put(IPPValueTag.memberAttrName.rawValue, at: &index)
            put(length: 0, at: &index)
            put(name: members[member].name, at: &index)
            put(additional: members[member].values.span, at: &index)
        }
        put(IPPValueTag.endCollection.rawValue, at: &index)
        put(length: 0, at: &index)
        put(length: 0, at: &index)
    }

    @inline(__always)
    private mutating func put(name: borrowing String, at index: inout Int) {
        let octets = name.utf8.span
        put(length: octets.count, at: &index)
        put(octets, at: &index)
    }

    /// Writes values without a name.
    private mutating func put(additional values: Span<IPPValue>, at index: inout Int) {
        for value in values.indices {
            put(values[value].tag.rawValue, at: &index)
            put(length: 0, at: &index)
            put(values[value], at: &index)
        }
    }

    /// Writes value-length and value.
    @inline(__always)
    private mutating func put(_ value: IPPValue, at index: inout Int) {
        put(length: value.valueLength, at: &index)
        switch value {
        case .integer(let number), .enum(let number):
            put(number, at: &index)
        case .boolean(let flag):
            put(flag ? 1 : 0 as UInt8, at: &index)
        case .rangeOfInteger(let range):
            put(range.lower, at: &index)
            put(range.upper, at: &index)
        case .resolution(let resolution):
            put(resolution.crossFeed, at: &index)
            put(resolution.feed, at: &index)
            put(resolution.units.rawValue, at: &index)
        case .dateTime(let date):
            put(date, at: &index)
        case .text(let text), .name(let text), .keyword(let text), .uri(let text), .uriScheme(let text),
            .charset(let text), .naturalLanguage(let text), .mimeMediaType(let text):
            text.write(to: &self, at: &index)
        case .textWithLanguage(let text, let language), .nameWithLanguage(let text, let language):
            put(length: language.count, at: &index)
            language.write(to: &self, at: &index)
            put(length: text.count, at: &index)
            text.write(to: &self, at: &index)
        case .octetString(let octets), .other(_, let octets):
            put(octets.span, at: &index)
        case .collection(let collection):
            put(members: collection.attributes.span, at: &index)
        case .outOfBand:
            break
        }
    }

    private mutating func put(_ date: IPPDateTime, at index: inout Int) {
        put(date.year, at: &index)
        put(date.month, at: &index)
        put(date.day, at: &index)
        put(date.hour, at: &index)
        put(date.minute, at: &index)
        put(date.second, at: &index)
        put(date.deciSecond, at: &index)
        put(date.directionFromUTC, at: &index)
        put(date.hoursFromUTC, at: &index)
        put(date.minutesFromUTC, at: &index)
    }
}

extension IPPValue {
    /// The content of the value-length field.
    @inline(__always)
    fileprivate var valueLength: Int {
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

/// The reason why a message cannot be encoded: always a mistake of the caller that built it.
package struct IPPEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// The name of the attribute; nil for an error in a group.
    package var attribute: String?
    package var message: String

    fileprivate init(_ code: Code, attribute: String? = nil, _ message: String) {
        self.code = code
        self.attribute = attribute
        self.message = message
    }

    package var description: String {
        let subject = attribute.map { "attribute \"\($0)\"" } ?? "message"
        return "IPP \(subject) cannot be encoded: \(message)"
    }

    package struct Code: Hashable, Sendable {
        private enum Value: Hashable { case tooLong, noValues, noName, invalidTag, tooDeep }
        private let value: Value
        private init(_ value: Value) { self.value = value }

        /// A name or value exceeds 32,767 octets, the maximum of a length field (RFC 8010 §3.1.4).
        package static let tooLong = Code(.tooLong)
        package static let noValues = Code(.noValues)
        package static let noName = Code(.noName)
        /// A group or value tag that is not allowed there.
        package static let invalidTag = Code(.invalidTag)
        /// Collections are nested deeper than a receiver accepts.
        package static let tooDeep = Code(.tooDeep)
    }
}
