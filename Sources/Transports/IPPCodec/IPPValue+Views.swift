extension IPPValue {
    /// An integer's or an enum's number.
    package var integer: Int32? {
        switch self {
        case .integer(let number), .enum(let number): number
        default: nil
        }
    }

    package var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The characters of any of the string syntaxes; the language of a with-language string is left out.
    package var text: IPPText? {
        switch self {
        case .text(let text), .name(let text), .keyword(let text), .uri(let text), .uriScheme(let text),
            .charset(let text), .naturalLanguage(let text), .mimeMediaType(let text),
            .textWithLanguage(let text, _), .nameWithLanguage(let text, _):
            text
        default: nil
        }
    }

    /// As `text`; octets that are not UTF-8 show as U+FFFD.
    package var string: String? { text?.string }

    /// A range; a single integer counts as a range of one, since `integer | rangeOfInteger` is a common syntax.
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

    /// The real tag of a value under the extension tag 0x7F; nil for any other, and when its four octets are missing.
    package var extensionTag: UInt32? {
        guard case .other(.extension, let octets) = self, octets.count >= 4 else { return nil }
        return octets.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
