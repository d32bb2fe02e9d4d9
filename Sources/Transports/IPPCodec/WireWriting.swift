// Puts a message's parts where the output says. All lengths were checked by `WireSize`.
// Lists go from function to function as spans: an attribute would be retained and released on its way.
extension MutableSpan<UInt8> {
    mutating func put(_ message: borrowing IPPMessage) {
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

    /// RFC 8010 §3.1.7: each name as a memberAttrName's value, then the values without names.
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

    /// Values without a name.
    private mutating func put(additional values: Span<IPPValue>, at index: inout Int) {
        for value in values.indices {
            put(values[value].tag.rawValue, at: &index)
            put(length: 0, at: &index)
            put(values[value], at: &index)
        }
    }

    /// value-length and value.
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
