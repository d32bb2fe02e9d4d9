extension IPPValue {
    /// Reads the octets of a value that is no part of a collection's frame. `offset` is theirs, for errors.
    init(
        tag: IPPValueTag, _ bytes: Span<UInt8>, tolerances: IPPTolerances, offset: Int
    ) throws(IPPDecodingError) {
        func require(_ count: Int) throws(IPPDecodingError) {
            guard bytes.count == count else {
                throw IPPDecodingError(
                    .invalidLength, at: offset, "a value of \(tag) has \(bytes.count) octets in place of \(count)"
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
                throw IPPDecodingError(.invalidValue, at: offset, "a boolean is \(bytes[0]) in place of 0 or 1")
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
            let (text, language) = try Self.withLanguage(tag, bytes, offset: offset)
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

    /// RFC 8010 §3.9: language-length, language, text-length, text; together they fill the value.
    private static func withLanguage(
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
