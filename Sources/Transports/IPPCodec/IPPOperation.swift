/// A request's `operation-id` (RFC 8011 §5.4.15).
package struct IPPOperation: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The registered name, "Print-Job"; nil for a value that is not registered.
    package var name: String? { Self.names[rawValue] }

    package var description: String { name ?? "operation 0x\(String(rawValue, radix: 16))" }
}
