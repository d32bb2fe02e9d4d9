/// An attribute: its name and one or more values (a 1setOf) in wire order.
package struct IPPAttribute: Hashable, Sendable {
    package var name: String
    /// Never empty on the wire: an attribute without a value has an out-of-band value.
    package var values: [IPPValue]

    package init(_ name: String, _ value: IPPValue) {
        self.name = name
        self.values = [value]
    }

    package init(_ name: String, _ values: [IPPValue]) {
        self.name = name
        self.values = values
    }

    package init(_ name: String, keyword: String) {
        self.init(name, .keyword(IPPText(keyword)))
    }

    package init(_ name: String, keywords: [String]) {
        self.init(name, .keywords(keywords))
    }
}

// The values of one syntax. Each property leaves out the values of other syntaxes, since printers mix syntaxes and
// out-of-band values freely.
extension IPPAttribute {
    /// The numbers of all integer and enum values.
    package var integers: [Int32] { values.compactMap(\.integer) }
    package var integer: Int32? { firstValue(\.integer) }

    package var booleans: [Bool] { values.compactMap(\.boolean) }
    package var boolean: Bool? { firstValue(\.boolean) }

    /// The strings of all string syntaxes.
    package var strings: [String] { values.compactMap(\.string) }
    package var string: String? { firstValue(\.string) }
    package var texts: [IPPText] { values.compactMap(\.text) }

    /// All ranges. An integer counts as a range of one.
    package var ranges: [IPPRange] { values.compactMap(\.range) }
    package var range: IPPRange? { firstValue(\.range) }

    package var resolutions: [IPPResolution] { values.compactMap(\.resolution) }
    package var resolution: IPPResolution? { firstValue(\.resolution) }

    package var dateTimes: [IPPDateTime] { values.compactMap(\.dateTime) }
    package var dateTime: IPPDateTime? { firstValue(\.dateTime) }

    package var collections: [IPPCollection] { values.compactMap(\.collection) }
    package var collection: IPPCollection? { firstValue(\.collection) }

    package var octetStrings: [[UInt8]] { values.compactMap(\.octets) }

    /// Whether all values are out-of-band: the printer knows the attribute but gives it no value.
    package var isOutOfBand: Bool { values.allSatisfy(\.isOutOfBand) }

    private func firstValue<T>(_ property: (IPPValue) -> T?) -> T? {
        for value in values {
            if let found = property(value) { return found }
        }
        return nil
    }
}

extension [IPPValue] {
    /// Keyword values, as in `IPPAttribute("requested-attributes", .keywords(["media-ready"]))`.
    package static func keywords(_ keywords: [String]) -> Self { keywords.map { .keyword(IPPText($0)) } }
    package static func integers(_ numbers: [Int32]) -> Self { numbers.map { .integer($0) } }
    package static func enums(_ numbers: [Int32]) -> Self { numbers.map { .enum($0) } }
    package static func mimeMediaTypes(_ types: [String]) -> Self { types.map { .mimeMediaType(IPPText($0)) } }
    package static func uris(_ uris: [String]) -> Self { uris.map { .uri(IPPText($0)) } }
    package static func names(_ names: [String]) -> Self { names.map { .name(IPPText($0)) } }
    package static func collections(_ collections: [IPPCollection]) -> Self { collections.map { .collection($0) } }
}

/// Attributes in wire order: a group or a collection.
package protocol IPPAttributeList {
    var attributes: [IPPAttribute] { get set }
}

extension IPPAttributeList {
    /// The first attribute of this name. Setting replaces it in place or appends it. Setting nil removes it.
    package subscript(name: String) -> IPPAttribute? {
        get { attributes.first { $0.name == name } }
        set {
            let index = attributes.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let attribute?): attributes[index] = attribute
            case (let index?, nil): attributes.remove(at: index)
            case (nil, let attribute?): attributes.append(attribute)
            case (nil, nil): break
            }
        }
    }

    package mutating func append(_ attribute: IPPAttribute) {
        attributes.append(attribute)
    }
}

/// A collection value (RFC 8010 §3.1.6): member attributes, whose values may be collections themselves.
package struct IPPCollection: IPPAttributeList, Hashable, Sendable {
    package var attributes: [IPPAttribute]

    package init(_ attributes: [IPPAttribute] = []) {
        self.attributes = attributes
    }
}

extension IPPCollection: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: IPPAttribute...) { self.init(elements) }
}
