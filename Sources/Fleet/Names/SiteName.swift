/// The name of a site, such as `0147` or `berlin-main`: 1 to 63 lower-case letters, digits and hyphens, as it stands in
/// the subjects and keys of the hub.
package struct SiteName: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package var description: String { text }

    /// The maximum length in bytes, that of a label in DNS (RFC 1035 §2.3.4).
    package static let maximumLength = 63

    /// Throws `invalid-name` where the text is no such name.
    package init(_ text: String) throws(FleetError) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed),
            text.utf8.first != UInt8(ascii: "-"), text.utf8.last != UInt8(ascii: "-")
        else {
            throw FleetError(
                .invalidName,
                "a site's name is 1 to \(Self.maximumLength) of a-z, 0-9 and \"-\", and \"-\" neither first nor last")
        }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
