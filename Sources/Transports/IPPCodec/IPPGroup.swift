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
