/// The octets of a message in the making: big-endian integers, lengths and attributes.
struct WireOutput {
    var bytes: [UInt8] = []
    private var depth = 0

    /// SIGNED-SHORT (RFC 8010 §3.1.4).
    private static let maximumLength = Int(Int16.max)

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append16(_ number: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: number >> 8))
        bytes.append(UInt8(truncatingIfNeeded: number))
    }

    mutating func append32(_ number: Int32) {
        append16(UInt16(truncatingIfNeeded: number >> 16))
        append16(UInt16(truncatingIfNeeded: number))
    }

    private mutating func appendLength(_ length: Int, of attribute: String) throws(IPPEncodingError) {
        guard length <= Self.maximumLength else {
            throw IPPEncodingError(
                .tooLong, attribute: attribute.count < 100 ? attribute : "\(attribute.prefix(100))…",
                "\(length) octets are more than the \(Self.maximumLength) that a length field can say"
            )
        }
        append16(UInt16(length))
    }

    mutating func append(_ attribute: IPPAttribute) throws(IPPEncodingError) {
        let name = attribute.name
        guard !name.isEmpty else { throw IPPEncodingError(.noName, attribute: name, "it has no name") }
        guard let first = attribute.values.first else {
            throw IPPEncodingError(.noValues, attribute: name, "it has no value; say so with an out-of-band value")
        }
        append(first.tag.rawValue)
        try appendLength(name.utf8.count, of: name)
        bytes.append(contentsOf: name.utf8)
        try appendValue(first, of: name)
        try appendAdditional(attribute.values.dropFirst(), of: name)
    }

    /// Values behind an attribute's first and all values of a member: each has an empty name.
    private mutating func appendAdditional(
        _ values: ArraySlice<IPPValue>, of name: String
    ) throws(IPPEncodingError) {
        for value in values {
            append(value.tag.rawValue)
            append16(0)
            try appendValue(value, of: name)
        }
    }

    private mutating func appendValue(_ value: IPPValue, of name: String) throws(IPPEncodingError) {
        switch value {
        case .integer(let number), .enum(let number):
            append16(4)
            append32(number)
        case .boolean(let flag):
            append16(1)
            append(flag ? 1 : 0)
        case .text(let text), .name(let text), .keyword(let text), .uri(let text), .uriScheme(let text),
            .charset(let text), .naturalLanguage(let text), .mimeMediaType(let text):
            try appendLength(text.count, of: name)
            text.append(to: &bytes)
        case .rangeOfInteger(let range):
            append16(8)
            append32(range.lower)
            append32(range.upper)
        case .resolution(let resolution):
            append16(9)
            append32(resolution.crossFeed)
            append32(resolution.feed)
            append(resolution.units.rawValue)
        case .dateTime(let date):
            append(date)
        case .textWithLanguage(let text, let language), .nameWithLanguage(let text, let language):
            try appendLength(4 + language.count + text.count, of: name)
            append16(UInt16(language.count))
            language.append(to: &bytes)
            append16(UInt16(text.count))
            text.append(to: &bytes)
        case .octetString(let octets):
            try appendLength(octets.count, of: name)
            bytes.append(contentsOf: octets)
        case .collection(let collection):
            try append(collection, of: name)
        case .outOfBand:
            append16(0)
        case .other(let tag, let octets):
            guard tag.rawValue >= IPPGroupTag.firstValueTag, !tag.isStructural else {
                throw IPPEncodingError(.invalidTag, attribute: name, "\(tag) is no value tag")
            }
            try appendLength(octets.count, of: name)
            bytes.append(contentsOf: octets)
        }
    }

    /// RFC 8010 §3.1.6 and §3.1.7: begCollection's empty value, each member's name as a value and then its values, endCollection.
    private mutating func append(_ collection: IPPCollection, of name: String) throws(IPPEncodingError) {
        guard depth < IPPLimits().collectionDepth else {
            throw IPPEncodingError(.tooDeep, attribute: name, "its collections are nested more than \(depth) deep")
        }
        depth += 1
        append16(0)
        for member in collection.attributes {
            guard !member.name.isEmpty else {
                throw IPPEncodingError(.noName, attribute: name, "a member of its collection has no name")
            }
            guard !member.values.isEmpty else {
                throw IPPEncodingError(.noValues, attribute: member.name, "it has no value; say so with an out-of-band value")
            }
            append(IPPValueTag.memberAttrName.rawValue)
            append16(0)
            try appendLength(member.name.utf8.count, of: member.name)
            bytes.append(contentsOf: member.name.utf8)
            try appendAdditional(member.values[...], of: member.name)
        }
        append(IPPValueTag.endCollection.rawValue)
        append16(0)
        append16(0)
        depth -= 1
    }

    private mutating func append(_ date: IPPDateTime) {
        append16(11)
        append16(date.year)
        append(date.month)
        append(date.day)
        append(date.hour)
        append(date.minute)
        append(date.second)
        append(date.deciSecond)
        append(date.directionFromUTC)
        append(date.hoursFromUTC)
        append(date.minutesFromUTC)
    }
}
