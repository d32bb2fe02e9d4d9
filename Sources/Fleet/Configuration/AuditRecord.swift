import KioskPrintModel

/// One change by an office, as JSON under the site's subject of the audit.
package struct AuditRecord: Hashable, Sendable, Codable {
    /// Who changed it, as the program was told: `user@host` where nobody said more.
    package var who: String
    /// What was changed, such as `configuration`.
    package var what: String
    /// The revision before; nil where there was none.
    package var old: UInt64?
    package var new: UInt64
    /// SHA-256 of what is there now, in hexadecimal.
    package var digest: String

    package static let configuration = "configuration"
    /// Of `who`, in bytes.
    package static let maximumName = 255

    package init(who: String, what: String, old: UInt64?, new: UInt64, digest: String) {
        (self.who, self.what) = (who.withoutControlCharacters.prefix(utf8Count: Self.maximumName), what)
        (self.old, self.new, self.digest) = (old, new, digest)
    }

    /// Reads what the hub has. Throws `malformed`.
    package init(_ message: HubMessage) throws(FleetError) {
        self = try JSONMessage.decode(message.body, "audit record of \(message.subject)")
    }

    package func body() throws(FleetError) -> [UInt8] { try JSONMessage.encode(self) }
}
