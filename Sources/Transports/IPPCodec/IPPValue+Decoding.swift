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
            let (text, language) = try Self.withLanguage(tag, bytes, tolerances, offset)
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
        _ tag: IPPValueTag, _ bytes: Span<UInt8>, _ tolerances: IPPTolerances, _ offset: Int
    ) throws(IPPDecodingError) -> (text: IPPText, language: IPPText) {
        let tolerant = tolerances.contains(.languageLengths)
        let language = lengthPrefixed(bytes, at: 0)
        let text = lengthPrefixed(bytes, at: language.upperBound)
        guard tolerant || (language.isExact && text.isExact && text.upperBound == bytes.count) else {
            throw IPPDecodingError(
                .invalidLength, at: offset, "the lengths inside a value of \(tag) do not add up to its \(bytes.count) octets"
            )
        }
        return (
            IPPText(span: bytes.extracting(text.lowerBound..<text.upperBound)),
            IPPText(span: bytes.extracting(language.lowerBound..<language.upperBound))
        )
    }

    /// Where the octets behind a two-octet length lie, cut at the end of the value.
    private static func lengthPrefixed(
        _ bytes: Span<UInt8>, at index: Int
    ) -> (lowerBound: Int, upperBound: Int, isExact: Bool) {
        guard bytes.count - index >= 2 else { return (bytes.count, bytes.count, false) }
        let length = Int(bytes.unsigned16(at: index))
        let end = min(bytes.count, index + 2 + length)
        return (index + 2, end, end == index + 2 + length)
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
