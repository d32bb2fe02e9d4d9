/// The name of a site, such as `0147` or `berlin-main`: 1 to 63 lower-case letters, digits and hyphens, as it stands in
/// the subjects and keys of the hub.
package struct SiteName: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package var description: String { text }

    /// Throws `invalid-name` where the text is no such name.
    package init(_ text: String) throws(FleetError) {
        guard HubName.isValid(text) else { throw FleetError(.invalidName, "a site's name is \(HubName.form)") }
        self.text = text
    }
}

/// The name of a kiosk among those of its site, such as `kiosk-1`: written like a site's name.
package struct NodeName: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package var description: String { text }

    /// Throws `invalid-name` where the text is no such name.
    package init(_ text: String) throws(FleetError) {
        guard HubName.isValid(text) else { throw FleetError(.invalidName, "a kiosk's name is \(HubName.form)") }
        self.text = text
    }
}

extension NodeName: Codable {
    package init(from decoder: any Decoder) throws {
        self = try NodeName(decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Names that are one token of a subject, and a label in DNS.
private enum HubName {
    static let form = "1 to \(maximumLength) of a-z, 0-9 and \"-\", and \"-\" neither first nor last"

    /// In bytes (RFC 1035 §2.3.4).
    private static let maximumLength = 63

    static func isValid(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowed)
            && text.utf8.first != UInt8(ascii: "-") && text.utf8.last != UInt8(ascii: "-")
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
