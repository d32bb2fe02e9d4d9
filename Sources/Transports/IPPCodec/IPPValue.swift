/// One value of an attribute, with its syntax (RFC 8010 §3.5.2 and §3.9).
package enum IPPValue: Hashable, Sendable {
    case integer(Int32)
    case boolean(Bool)
    case `enum`(Int32)
    case octetString([UInt8])
    case dateTime(IPPDateTime)
    case resolution(IPPResolution)
    case rangeOfInteger(IPPRange)
    indirect case textWithLanguage(IPPText, language: IPPText)
    indirect case nameWithLanguage(IPPText, language: IPPText)
    case collection(IPPCollection)
    /// textWithoutLanguage.
    case text(IPPText)
    /// nameWithoutLanguage.
    case name(IPPText)
    case keyword(IPPText)
    case uri(IPPText)
    case uriScheme(IPPText)
    case charset(IPPText)
    case naturalLanguage(IPPText)
    case mimeMediaType(IPPText)
    /// No value, and why.
    case outOfBand(IPPOutOfBand)
    /// A tag that this codec does not know, and its octets as they came.
    case other(IPPValueTag, [UInt8])

    package static let noValue = IPPValue.outOfBand(.noValue)
    package static let unknown = IPPValue.outOfBand(.unknown)
    package static let unsupported = IPPValue.outOfBand(.unsupported)

    /// The tag that stands for this value on the wire.
    package var tag: IPPValueTag {
        switch self {
        case .integer: .integer
        case .boolean: .boolean
        case .enum: .enum
        case .octetString: .octetString
        case .dateTime: .dateTime
        case .resolution: .resolution
        case .rangeOfInteger: .rangeOfInteger
        case .textWithLanguage: .textWithLanguage
        case .nameWithLanguage: .nameWithLanguage
        case .collection: .begCollection
        case .text: .text
        case .name: .name
        case .keyword: .keyword
        case .uri: .uri
        case .uriScheme: .uriScheme
        case .charset: .charset
        case .naturalLanguage: .naturalLanguage
        case .mimeMediaType: .mimeMediaType
        case .outOfBand(let reason): IPPValueTag(rawValue: reason.rawValue)
        case .other(let tag, _): tag
        }
    }
}
