/// An object identifier: the name of a variable, as numbers from the root.
package struct OID: Hashable, Sendable {
    /// Its sub-identifiers.
    package var components: [UInt32]

    /// RFC 3416 §4.1: a name has at most 128 sub-identifiers.
    package static let maximumLength = 128

    package init(_ components: [UInt32]) { self.components = components }

    /// The name of what stands below this one.
    package func appending(_ more: UInt32...) -> OID { OID(components + more) }

    /// The name of what stands below this one.
    package func appending(_ more: [UInt32]) -> OID { OID(components + more) }

    /// What follows `prefix`, such as a row's index behind its column; nil for a name that stands elsewhere.
    package func suffix(after prefix: OID) -> [UInt32]? {
        guard components.count > prefix.components.count, components.starts(with: prefix.components) else { return nil }
        return Array(components.dropFirst(prefix.components.count))
    }
}

extension OID: CustomStringConvertible {
    /// `1.3.6.1.2.1`.
    package var description: String { components.map(String.init).joined(separator: ".") }
}
