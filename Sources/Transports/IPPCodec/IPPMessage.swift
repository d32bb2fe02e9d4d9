/// An IPP request or response without its document (RFC 8010 §3.1). The groups keep their order and their repetitions.
package struct IPPMessage: Hashable, Sendable {
    package var version: IPPVersion
    /// The `operation-id` of a request or the `status-code` of a response. Only the direction tells which of the two.
    package var code: UInt16
    /// Starts at 1. A response repeats the number of its request.
    package var requestID: Int32
    package var groups: [IPPGroup]

    package init(version: IPPVersion = .v2_0, code: UInt16, requestID: Int32, groups: [IPPGroup] = []) {
        self.version = version
        self.code = code
        self.requestID = requestID
        self.groups = groups
    }

    package init(
        version: IPPVersion = .v2_0, operation: IPPOperation, requestID: Int32, groups: [IPPGroup] = []
    ) {
        self.init(version: version, code: operation.rawValue, requestID: requestID, groups: groups)
    }

    package init(version: IPPVersion = .v2_0, status: IPPStatus, requestID: Int32, groups: [IPPGroup] = []) {
        self.init(version: version, code: status.rawValue, requestID: requestID, groups: groups)
    }

    /// The operation, if the message is a request.
    package var operation: IPPOperation {
        get { IPPOperation(rawValue: code) }
        set { code = newValue.rawValue }
    }

    /// The status, if the message is a response.
    package var status: IPPStatus {
        get { IPPStatus(rawValue: code) }
        set { code = newValue.rawValue }
    }
}

extension IPPMessage {
    /// The first group with this tag.
    package func first(_ tag: IPPGroupTag) -> IPPGroup? {
        groups.first { $0.tag == tag }
    }

    /// All groups with this tag, for example one per job in a Get-Jobs response.
    package func groups(_ tag: IPPGroupTag) -> [IPPGroup] {
        groups.filter { $0.tag == tag }
    }

    /// The attribute of this name in the first group with this tag that has it.
    package func attribute(_ name: String, in tag: IPPGroupTag) -> IPPAttribute? {
        for group in groups where group.tag == tag {
            if let attribute = group[name] { return attribute }
        }
        return nil
    }
}

/// The `version-number` of a message (RFC 8010 §3.1.1): two octets. Each is a SIGNED-BYTE, kept here as on the wire.
package struct IPPVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
    package var major: UInt8
    package var minor: UInt8

    package init(_ major: UInt8, _ minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    package var description: String { "\(major).\(minor)" }

    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// RFC 2566.
    package static let v1_0 = IPPVersion(1, 0)
    /// RFC 8011.
    package static let v1_1 = IPPVersion(1, 1)
    /// PWG 5100.12, which also defines 2.1 and 2.2.
    package static let v2_0 = IPPVersion(2, 0)
    package static let v2_1 = IPPVersion(2, 1)
    package static let v2_2 = IPPVersion(2, 2)
}

/// An attribute group: its tag and its attributes in wire order. It may be empty (RFC 8010 §3.1.2).
package struct IPPGroup: IPPAttributeList, Hashable, Sendable {
    package var tag: IPPGroupTag
    package var attributes: [IPPAttribute]

    package init(_ tag: IPPGroupTag, _ attributes: [IPPAttribute] = []) {
        self.tag = tag
        self.attributes = attributes
    }
}

/// The tag that opens an attribute group (RFC 8010 §3.5.1; IANA "IPP Delimiter Tags").
package struct IPPGroupTag: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let operation = IPPGroupTag(rawValue: 0x01)
    package static let job = IPPGroupTag(rawValue: 0x02)
    package static let printer = IPPGroupTag(rawValue: 0x04)
    package static let unsupported = IPPGroupTag(rawValue: 0x05)
    /// RFC 3995.
    package static let subscription = IPPGroupTag(rawValue: 0x06)
    /// RFC 3995.
    package static let eventNotification = IPPGroupTag(rawValue: 0x07)
    /// PWG 5100.22.
    package static let resource = IPPGroupTag(rawValue: 0x08)
    /// PWG 5100.5.
    package static let document = IPPGroupTag(rawValue: 0x09)
    /// PWG 5100.22.
    package static let system = IPPGroupTag(rawValue: 0x0A)

    /// The tag that ends the attributes. The document follows it. It opens no group.
    static let endOfAttributes: UInt8 = 0x03
    /// The first value tag: all lower tags are delimiters (RFC 8010 §3.5).
    static let firstValueTag: UInt8 = 0x10

    /// Whether a group may begin with this tag. 0x00 is reserved for a standards-track extension and 0x03 ends the
    /// attributes. The unassigned tags are for future groups, which a receiver must be able to skip.
    package var opensGroup: Bool {
        rawValue != 0 && rawValue != Self.endOfAttributes && rawValue < Self.firstValueTag
    }

    package var description: String {
        switch self {
        case .operation: "operation-attributes-tag"
        case .job: "job-attributes-tag"
        case .printer: "printer-attributes-tag"
        case .unsupported: "unsupported-attributes-tag"
        case .subscription: "subscription-attributes-tag"
        case .eventNotification: "event-notification-attributes-tag"
        case .resource: "resource-attributes-tag"
        case .document: "document-attributes-tag"
        case .system: "system-attributes-tag"
        default: "delimiter-tag 0x\(String(rawValue, radix: 16))"
        }
    }
}

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
