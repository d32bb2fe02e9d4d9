/// The bounds on what a decoder accepts from a peer. It checks each one before it stores the octets.
package struct IPPLimits: Hashable, Sendable {
    /// Octets from the version up to and including the end-of-attributes tag. A full `media-col-database` has a few
    /// hundred kilobytes; this is ten times as much.
    package var messageBytes = 4 << 20
    /// Attributes in all groups, including the members of collections. The largest printers send a few thousand.
    package var attributes = 65_536
    /// Values of all attributes, including out-of-band values.
    package var values = 262_144
    /// Octets of the name of an attribute or member: a name is a keyword of at most 255 octets (RFC 8011 §5.1.4).
    package var nameBytes = 255
    /// Octets of one value: the length field is a SIGNED-SHORT (RFC 8010 §3.1.4). CUPS' IPP_MAX_LENGTH is the same.
    package var valueBytes = 32_767
    /// Levels of nested collections. CUPS has the same limit (`ippReadIO` refuses more than 10).
    package var collectionDepth = IPPLimits.defaultCollectionDepth

    static let defaultCollectionDepth = 10

    package init() {}
}

/// The violations of RFC 8010 that a decoder accepts. None is on by default.
///
/// Each applies only to octets that have no valid reading, so correct messages decode the same with it.
///
/// An empty group (RFC 8010 Appendix A.9 has one), an empty collection (a `media-col` without members) and a message
/// without groups are not violations: they decode and encode without any tolerance.
package struct IPPTolerances: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Octets after an out-of-band tag, whose value-length MUST be 0 (RFC 8010 §3.8). The decoder drops them. Seen from
    /// Brother.
    package static let outOfBandValues = IPPTolerances(rawValue: 1 << 0)
    /// Members of a collection with their name in front of the value instead of a memberAttrName (RFC 8010 §3.1.7).
    /// Seen from the Pantum M7300FDW.
    package static let namedCollectionMembers = IPPTolerances(rawValue: 1 << 1)
    /// textWithLanguage and nameWithLanguage values without their value-length, so that the language-length is in its
    /// place (RFC 8010 §3.9). Seen from the HP LaserJet 100 color MFP M175nw and the HP LaserJet 2430dtn.
    package static let missingValueLengths = IPPTolerances(rawValue: 1 << 2)

    package static let all: IPPTolerances = [.outOfBandValues, .namedCollectionMembers, .missingValueLengths]
}

extension IPPTolerances: CustomStringConvertible {
    package var description: String {
        let names: [(IPPTolerances, String)] = [
            (.outOfBandValues, "out-of-band-values"), (.namedCollectionMembers, "named-collection-members"),
            (.missingValueLengths, "missing-value-lengths"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
