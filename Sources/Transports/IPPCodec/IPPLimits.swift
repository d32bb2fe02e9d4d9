/// Bounds on what a decoder takes from a peer. Each is checked before the bytes behind it are stored.
package struct IPPLimits: Hashable, Sendable {
    /// Octets from the version up to and including the end-of-attributes tag. A full `media-col-database` makes some
    /// hundred kilobytes; this is ten times as much.
    package var messageBytes = 4 << 20
    /// Attributes in all groups, members of collections included. The largest printers send a few thousand.
    package var attributes = 65_536
    /// Values of all attributes, out-of-band ones included.
    package var values = 262_144
    /// Octets of an attribute's or member's name: names are keywords, of at most 255 octets (RFC 8011 §5.1.4).
    package var nameBytes = 255
    /// Octets of one value: the length field is a SIGNED-SHORT (RFC 8010 §3.1.4), and so is CUPS' IPP_MAX_LENGTH.
    package var valueBytes = 32_767
    /// Collections inside collections, as in CUPS (`ippReadIO` refuses more than 10).
    package var collectionDepth = IPPLimits.defaultCollectionDepth

    static let defaultCollectionDepth = 10

    package init() {}
}
