/// Writes the configurations that sites should have: an office's side of the hub.
package struct ConfigurationWriter: Sendable {
    private let jetStream: JetStream

    package init(at jetStream: JetStream) { self.jetStream = jetStream }

    /// What the hub has for a site. `sequence` is that of the key's last message, also where that deleted the key;
    /// 0 where there is none.
    package func current(of site: SiteName) async throws -> (sequence: UInt64, desired: DesiredConfiguration?) {
        guard let message = try await jetStream.lastMessage(of: .desired(site), in: HubLayout.desired) else {
            return (0, nil)
        }
        guard let sequence = message.headers[JetStream.sequenceHeader].flatMap({ UInt64($0) }) else {
            throw FleetError(.malformed, "the hub gives the configuration of \(site) without its number")
        }
        return (sequence, try DesiredConfiguration(message))
    }

    /// Stores a site's configuration over the one with the number `old`, and returns its revision. Safe to repeat with
    /// the same `old`: a write of the same text that had already come is found.
    ///
    /// Throws `conflict` where somebody else has written another one since, and `malformed` for one that is too long.
    package func write(_ text: [UInt8], for site: SiteName, over old: UInt64) async throws -> UInt64 {
        _ = try DesiredConfiguration(text, revision: old, storedAt: 0)
        do {
            return try await jetStream.publish(
                .desired(site), headers: [JetStream.expectedSequenceHeader: "\(old)"], body: text
            ).sequence
        } catch let error as FleetError where error.hubCode == JetStream.wrongLastSequence {
            let present = try await current(of: site)
            if let desired = present.desired, desired.revision > old, desired.text == text { return desired.revision }
            throw FleetError(
                .conflict,
                "somebody else has written revision \(present.sequence) of \(site) meanwhile; look at it, and apply again",
                hubCode: error.hubCode)
        }
    }

    /// Notes who has written what.
    package func note(_ record: AuditRecord, of site: SiteName) async throws {
        _ = try await jetStream.publish(.audit(site), body: record.body())
    }
}
