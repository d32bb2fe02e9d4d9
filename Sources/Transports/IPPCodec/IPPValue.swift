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
    /// A keyword in place of a value, which says why there is none.
    case outOfBand(IPPOutOfBand)
    /// A value with a tag that this codec does not know, and its unchanged octets.
    case other(IPPValueTag, [UInt8])

    package static let noValue = IPPValue.outOfBand(.noValue)
    package static let unknown = IPPValue.outOfBand(.unknown)
    package static let unsupported = IPPValue.outOfBand(.unsupported)

    /// The tag in front of this value on the wire.
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

// The value in one syntax; nil if the value has another syntax.
extension IPPValue {
    /// The number of an integer or enum value.
    package var integer: Int32? {
        switch self {
        case .integer(let number), .enum(let number): number
        default: nil
        }
    }

    package var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The text of any string syntax. A value with a language gives its text only.
    package var text: IPPText? {
        switch self {
        case .text(let text), .name(let text), .keyword(let text), .uri(let text), .uriScheme(let text),
            .charset(let text), .naturalLanguage(let text), .mimeMediaType(let text),
            .textWithLanguage(let text, _), .nameWithLanguage(let text, _):
            text
        default: nil
        }
    }

    /// The string of `text`. Octets that are not UTF-8 become U+FFFD.
    package var string: String? { text?.string }

    /// The range. An integer counts as a range of one, since `integer | rangeOfInteger` is a common syntax.
    package var range: IPPRange? {
        switch self {
        case .rangeOfInteger(let range): range
        case .integer(let number): IPPRange(number, number)
        default: nil
        }
    }

    package var resolution: IPPResolution? {
        if case .resolution(let value) = self { value } else { nil }
    }

    package var dateTime: IPPDateTime? {
        if case .dateTime(let value) = self { value } else { nil }
    }

    package var collection: IPPCollection? {
        if case .collection(let value) = self { value } else { nil }
    }

    package var octets: [UInt8]? {
        if case .octetString(let value) = self { value } else { nil }
    }

    package var isOutOfBand: Bool {
        if case .outOfBand = self { true } else { false }
    }

    /// The real tag of a value under the extension tag 0x7F; nil for other tags or if its four octets are missing.
    package var extensionTag: UInt32? {
        guard case .other(.extension, let octets) = self, octets.count >= 4 else { return nil }
        return octets.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension IPPValue {
    /// Decodes a value that is not a collection. `offset` is the message's offset of `bytes`, for errors.
    init(
        tag: IPPValueTag, _ bytes: Span<UInt8>, tolerances: IPPTolerances, offset: Int
    ) throws(IPPDecodingError) {
        func require(_ count: Int) throws(IPPDecodingError) {
            guard bytes.count == count else {
                throw IPPDecodingError(
                    .invalidLength, at: offset, "a value of \(tag) has \(bytes.count) octets instead of \(count)"
                )
            }
        }
        switch tag {
        case .keyword: self = .keyword(IPPText(span: bytes))
        case .integer:
            try require(4)
            self = .integer(bytes.signed32(at: 0))
        case .enum:
            try require(4)
            self = .enum(bytes.signed32(at: 0))
        case .boolean:
            try require(1)
            guard bytes[0] <= 1 else {
                throw IPPDecodingError(.invalidValue, at: offset, "a boolean is \(bytes[0]) instead of 0 or 1")
            }
            self = .boolean(bytes[0] == 1)
        case .name: self = .name(IPPText(span: bytes))
        case .text: self = .text(IPPText(span: bytes))
        case .uri: self = .uri(IPPText(span: bytes))
        case .uriScheme: self = .uriScheme(IPPText(span: bytes))
        case .charset: self = .charset(IPPText(span: bytes))
        case .naturalLanguage: self = .naturalLanguage(IPPText(span: bytes))
        case .mimeMediaType: self = .mimeMediaType(IPPText(span: bytes))
        case .octetString: self = .octetString([UInt8](copying: bytes))
        case .rangeOfInteger:
            try require(8)
            self = .rangeOfInteger(IPPRange(bytes.signed32(at: 0), bytes.signed32(at: 4)))
        case .resolution:
            try require(9)
            self = .resolution(
                IPPResolution(bytes.signed32(at: 0), bytes.signed32(at: 4), .init(rawValue: bytes[8]))
            )
        case .dateTime:
            try require(11)
            self = .dateTime(IPPDateTime(bytes))
        case .textWithLanguage, .nameWithLanguage:
            let (text, language) = try Self.textAndLanguage(tag, bytes, offset: offset)
            self =
                tag == .textWithLanguage
                ? .textWithLanguage(text, language: language) : .nameWithLanguage(text, language: language)
        default:
            if let reason = IPPOutOfBand(rawValue: tag.rawValue) {
                if !tolerances.contains(.outOfBandValues) { try require(0) }
                self = .outOfBand(reason)
            } else {
                self = .other(tag, [UInt8](copying: bytes))
            }
        }
    }

    /// Decodes language-length, language, text-length and text (RFC 8010 §3.9). Together they must fill the value.
    private static func textAndLanguage(
        _ tag: IPPValueTag, _ bytes: Span<UInt8>, offset: Int
    ) throws(IPPDecodingError) -> (text: IPPText, language: IPPText) {
        if bytes.count >= 4 {
            let textLengthIndex = 2 + Int(bytes.unsigned16(at: 0))
            if textLengthIndex + 2 <= bytes.count,
                textLengthIndex + 2 + Int(bytes.unsigned16(at: textLengthIndex)) == bytes.count
            {
                return (
                    IPPText(span: bytes.extracting((textLengthIndex + 2)...)),
                    IPPText(span: bytes.extracting(2..<textLengthIndex))
                )
            }
        }
        throw IPPDecodingError(
            .invalidLength, at: offset,
            "the lengths inside a value of \(tag) do not add up to its \(bytes.count) octets"
        )
    }
}

extension IPPDateTime {
    fileprivate init(_ bytes: Span<UInt8>) {
        self.init(
            year: bytes.unsigned16(at: 0), month: bytes[2], day: bytes[3], hour: bytes[4], minute: bytes[5],
            second: bytes[6], deciSecond: bytes[7], directionFromUTC: bytes[8], hoursFromUTC: bytes[9],
            minutesFromUTC: bytes[10]
        )
    }
}

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
