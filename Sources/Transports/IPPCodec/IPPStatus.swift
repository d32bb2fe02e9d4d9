/// A response's `status-code` (RFC 8011 §4.1.6.1 and Appendix B).
package struct IPPStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The registered keyword, "client-error-not-found"; nil for a value that is not registered.
    package var name: String? { Self.names[rawValue] }

    package var description: String { name ?? "status 0x\(String(rawValue, radix: 16))" }

    // Classes: RFC 8011 Appendix B.1; an unregistered value counts as the x00 of its class.
    package var isSuccess: Bool { rawValue <= 0x00FF }
    package var isClientError: Bool { (0x0400...0x04FF).contains(rawValue) }
    package var isServerError: Bool { (0x0500...0x05FF).contains(rawValue) }
}
