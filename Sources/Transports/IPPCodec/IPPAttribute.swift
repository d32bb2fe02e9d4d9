/// An attribute: its name and one value or more (a 1setOf), in their order.
package struct IPPAttribute: Hashable, Sendable {
    package var name: String
    /// Never empty on the wire: "no value" is an out-of-band value.
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

extension [IPPValue] {
    /// For `IPPAttribute("requested-attributes", .keywords(["media-ready"]))`.
    package static func keywords(_ keywords: [String]) -> Self { keywords.map { .keyword(IPPText($0)) } }
    package static func integers(_ numbers: [Int32]) -> Self { numbers.map { .integer($0) } }
    package static func enums(_ numbers: [Int32]) -> Self { numbers.map { .enum($0) } }
    package static func mimeMediaTypes(_ types: [String]) -> Self { types.map { .mimeMediaType(IPPText($0)) } }
    package static func uris(_ uris: [String]) -> Self { uris.map { .uri(IPPText($0)) } }
    package static func names(_ names: [String]) -> Self { names.map { .name(IPPText($0)) } }
    package static func collections(_ collections: [IPPCollection]) -> Self { collections.map { .collection($0) } }
}
