// All values of one syntax; values of another one are left out, since printers mix syntaxes (and out-of-band values)
// freely.
extension IPPAttribute {
    /// The numbers of all integer and enum values.
    package var integers: [Int32] { values.compactMap(\.integer) }
    package var integer: Int32? { firstValue(\.integer) }

    package var booleans: [Bool] { values.compactMap(\.boolean) }
    package var boolean: Bool? { firstValue(\.boolean) }

    /// All strings of any string syntax.
    package var strings: [String] { values.compactMap(\.string) }
    package var string: String? { firstValue(\.string) }
    package var texts: [IPPText] { values.compactMap(\.text) }

    /// All ranges; integers count as ranges of one.
    package var ranges: [IPPRange] { values.compactMap(\.range) }
    package var range: IPPRange? { firstValue(\.range) }

    package var resolutions: [IPPResolution] { values.compactMap(\.resolution) }
    package var resolution: IPPResolution? { firstValue(\.resolution) }

    package var dateTimes: [IPPDateTime] { values.compactMap(\.dateTime) }
    package var dateTime: IPPDateTime? { firstValue(\.dateTime) }

    package var collections: [IPPCollection] { values.compactMap(\.collection) }
    package var collection: IPPCollection? { firstValue(\.collection) }

    package var octetStrings: [[UInt8]] { values.compactMap(\.octets) }

    /// Whether nothing but out-of-band values stands here: the attribute is known and has no value.
    package var isOutOfBand: Bool { values.allSatisfy(\.isOutOfBand) }

    private func firstValue<T>(_ view: (IPPValue) -> T?) -> T? {
        for value in values {
            if let found = view(value) { return found }
        }
        return nil
    }
}
