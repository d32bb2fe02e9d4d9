/// The `version-number` of a message (RFC 8010 §3.1.1): two octets, each a SIGNED-BYTE, kept here as they stand on the
/// wire.
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
    /// PWG 5100.12, as are 2.1 and 2.2.
    package static let v2_0 = IPPVersion(2, 0)
    package static let v2_1 = IPPVersion(2, 1)
    package static let v2_2 = IPPVersion(2, 2)
}
