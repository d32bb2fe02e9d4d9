/// The configuration that an office wants a site to have: the text of its registry, as the hub has it.
package struct DesiredConfiguration: Hashable, Sendable {
    /// The message's number in its stream. A bucket that was made anew counts from 1 again.
    package var revision: UInt64
    /// When the hub stored it, in ns since 1970 by the hub's clock.
    package var storedAt: Int64
    /// YAML, as `printers.yaml` has it.
    package var text: [UInt8]
    /// SHA-256 of the text in hexadecimal.
    package var digest: String

    /// In bytes.
    package static let maximumLength = 256 * 1024

    /// Reads the last message of a site's key, as direct access gives it; nil where the key was deleted. Throws
    /// `malformed` for a message without its number or time, and for a text that is too long.
    package init?(_ message: HubMessage) throws(FleetError) {
        guard !message.isDeletion else { return nil }
        guard let revision = message.headers[JetStream.sequenceHeader].flatMap({ UInt64($0) }),
            let storedAt = message.headers[JetStream.timeHeader].flatMap(JetStream.time(ofText:))
        else { throw FleetError(.malformed, "the hub gives a configuration without its number or its time") }
        try self.init(message.body, revision: revision, storedAt: storedAt)
    }

    /// Throws `malformed` for a text that is too long.
    package init(_ text: [UInt8], revision: UInt64, storedAt: Int64) throws(FleetError) {
        guard text.count <= Self.maximumLength else {
            throw FleetError(
                .malformed,
                "the configuration \(revision) has \(text.count) bytes; at most \(Self.maximumLength) are taken")
        }
        (self.revision, self.storedAt, self.text) = (revision, storedAt, text)
        digest = try Self.digest(of: text)
    }

    package static func digest(of text: [UInt8]) throws(FleetError) -> String { try FleetDocument.digest(of: text) }
}

/// One configuration among all that a site has had, without its text.
package struct AppliedConfiguration: Hashable, Sendable {
    package var revision: UInt64
    /// In ns since 1970 by the hub's clock.
    package var storedAt: Int64
    package var digest: String

    package init(revision: UInt64, storedAt: Int64, digest: String) {
        (self.revision, self.storedAt, self.digest) = (revision, storedAt, digest)
    }

    /// Whether `desired` came after this one. A server of the hub may lag behind and give an older one, which has a
    /// lower number and was stored before; in a bucket that was made anew numbers are lower too, and times are later.
    package func isOlder(than desired: DesiredConfiguration) -> Bool {
        desired.revision > revision || desired.storedAt > storedAt
    }

    /// Whether it is the same message.
    package func isSame(as desired: DesiredConfiguration) -> Bool {
        desired.revision == revision && desired.digest == digest
    }
}
