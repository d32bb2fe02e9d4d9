/// Breaches of RFC 8010 that a decoder lets pass. None is on by default: whoever decodes asks for those it wants.
///
/// Each reads octets that have no right reading, so that it changes nothing about correct messages.
///
/// An empty group (RFC 8010 Appendix A.9 has one), an empty collection (a `media-col` without members) and a message
/// without groups are no breaches: they decode, and encode again, without any of these.
package struct IPPTolerances: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Octets behind an out-of-band tag, whose value-length MUST be 0 (RFC 8010 §3.8). They are dropped. Brother.
    package static let outOfBandValues = IPPTolerances(rawValue: 1 << 0)
    /// Members of a collection that carry their name in front of the value in place of a memberAttrName
    /// (RFC 8010 §3.1.7). Pantum M7300FDW.
    package static let namedCollectionMembers = IPPTolerances(rawValue: 1 << 1)
    /// textWithLanguage and nameWithLanguage values without their value-length, so that the language's length stands
    /// in its place (RFC 8010 §3.9). HP LaserJet 100 color MFP M175nw, HP LaserJet 2430dtn.
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
