/// The tag in front of a value (RFC 8010 §3.5.2; IANA "IPP Value Tags").
package struct IPPValueTag: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let unsupported = IPPValueTag(rawValue: 0x10)
    package static let unknown = IPPValueTag(rawValue: 0x12)
    package static let noValue = IPPValueTag(rawValue: 0x13)
    package static let integer = IPPValueTag(rawValue: 0x21)
    package static let boolean = IPPValueTag(rawValue: 0x22)
    package static let `enum` = IPPValueTag(rawValue: 0x23)
    package static let octetString = IPPValueTag(rawValue: 0x30)
    package static let dateTime = IPPValueTag(rawValue: 0x31)
    package static let resolution = IPPValueTag(rawValue: 0x32)
    package static let rangeOfInteger = IPPValueTag(rawValue: 0x33)
    package static let begCollection = IPPValueTag(rawValue: 0x34)
    package static let textWithLanguage = IPPValueTag(rawValue: 0x35)
    package static let nameWithLanguage = IPPValueTag(rawValue: 0x36)
    package static let endCollection = IPPValueTag(rawValue: 0x37)
    package static let text = IPPValueTag(rawValue: 0x41)
    package static let name = IPPValueTag(rawValue: 0x42)
    package static let keyword = IPPValueTag(rawValue: 0x44)
    package static let uri = IPPValueTag(rawValue: 0x45)
    package static let uriScheme = IPPValueTag(rawValue: 0x46)
    package static let charset = IPPValueTag(rawValue: 0x47)
    package static let naturalLanguage = IPPValueTag(rawValue: 0x48)
    package static let mimeMediaType = IPPValueTag(rawValue: 0x49)
    package static let memberAttrName = IPPValueTag(rawValue: 0x4A)
    /// The value begins with four octets that hold the real tag (RFC 8010 §3.5.2).
    package static let `extension` = IPPValueTag(rawValue: 0x7F)

    /// Whether the tag marks a part of a collection rather than a value.
    var isStructural: Bool { self == .begCollection || self == .endCollection || self == .memberAttrName }
    var hasLanguage: Bool { self == .textWithLanguage || self == .nameWithLanguage }

    package var description: String {
        switch self {
        case .integer: "integer"
        case .boolean: "boolean"
        case .enum: "enum"
        case .octetString: "octetString"
        case .dateTime: "dateTime"
        case .resolution: "resolution"
        case .rangeOfInteger: "rangeOfInteger"
        case .begCollection: "begCollection"
        case .textWithLanguage: "textWithLanguage"
        case .nameWithLanguage: "nameWithLanguage"
        case .endCollection: "endCollection"
        case .text: "textWithoutLanguage"
        case .name: "nameWithoutLanguage"
        case .keyword: "keyword"
        case .uri: "uri"
        case .uriScheme: "uriScheme"
        case .charset: "charset"
        case .naturalLanguage: "naturalLanguage"
        case .mimeMediaType: "mimeMediaType"
        case .memberAttrName: "memberAttrName"
        case .extension: "extension"
        default: IPPOutOfBand(rawValue: rawValue)?.description ?? "value-tag 0x\(String(rawValue, radix: 16))"
        }
    }
}

/// An out-of-band value, which stands in place of a value (RFC 8011 §5.1.1, RFC 3380 §8). The raw value is its tag.
package enum IPPOutOfBand: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case unsupported = 0x10
    /// RFC 2911. Withdrawn since, but the tag is still registered.
    case `default` = 0x11
    case unknown = 0x12
    case noValue = 0x13
    /// RFC 3380 §8.1.
    case notSettable = 0x15
    /// RFC 3380 §8.2.
    case deleteAttribute = 0x16
    /// RFC 3380 §8.3.
    case adminDefine = 0x17

    package var description: String {
        switch self {
        case .unsupported: "unsupported"
        case .default: "default"
        case .unknown: "unknown"
        case .noValue: "no-value"
        case .notSettable: "not-settable"
        case .deleteAttribute: "delete-attribute"
        case .adminDefine: "admin-define"
        }
    }
}
