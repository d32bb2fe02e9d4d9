import KioskPrintModel

/// What became of the configuration that a site should have, as JSON in the bucket `REPORTED`.
///
///     {"node": "kiosk-1", "mode": "managed", "desired": 17, "applied": 17, "digest": "…", "drift": false}
package struct ConfigurationReport: Hashable, Sendable, Codable {
    /// The kiosk that says it.
    package var node: NodeName
    package var mode: Mode
    /// The revision that the kiosk has seen last; nil where the hub has none.
    package var desired: UInt64?
    /// The revision that was put in force last; nil before the first.
    package var applied: UInt64?
    /// SHA-256 of that one's text in hexadecimal.
    package var digest: String?
    /// Why `desired` is not in force.
    package var error: Failure?
    /// Whether the kiosk's file differs from what was applied: somebody has edited it at the site.
    package var drift: Bool

    /// Whose word counts at a kiosk.
    package enum Mode: String, Sendable, Codable, CaseIterable {
        /// The office's: an edit at the site is refused.
        case managed
        /// Both: an edit at the site is taken, and shown to the office.
        case shown
    }

    /// A mistake in the text, by its place, or what else kept the kiosk from taking it.
    package struct Failure: Hashable, Sendable, Codable {
        /// From 1; 0 where it concerns the whole text.
        package var line: Int
        /// In Unicode scalars, from 1; 0 where it concerns the whole text.
        package var column: Int
        package var text: String

        /// In bytes: what is wrong with one value fits.
        package static let maximumLength = 1000

        package init(line: Int, column: Int, text: String) {
            (self.line, self.column) = (line, column)
            self.text = text.withoutControlCharacters.prefix(utf8Count: Self.maximumLength)
        }
    }

    package init(node: NodeName, mode: Mode, drift: Bool) {
        (self.node, self.mode, self.drift) = (node, mode, drift)
    }

    /// Reads what the hub has. Throws `malformed`.
    package init(_ message: HubMessage) throws(FleetError) {
        self = try JSONMessage.decode(message.body, "report on the configuration of \(message.subject)")
    }

    package func body() throws(FleetError) -> [UInt8] { try JSONMessage.encode(self) }
}
