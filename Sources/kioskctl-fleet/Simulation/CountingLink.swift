import KioskFleet

/// A link that counts the reports that the hub has stored.
struct CountingLink: ForwardingLink {
    let link: any FleetLink
    let counts: SimulationCounts

    func request(_ message: HubMessage, timeout: Duration) async throws -> HubMessage {
        let response = try await link.request(message, timeout: timeout)
        guard case .report? = FleetSubject(message.subject), let report = try? FleetReport(message),
            Self.isStored(response)
        else { return response }
        counts.add { counts in
            if report.stage.isFinal { counts.reportedEnd += 1 } else { counts.reportedAccepted += 1 }
        }
        return response
    }

    /// JetStream answers a message that it does not store with `{"error": …}`.
    private static func isStored(_ response: HubMessage) -> Bool {
        !String(decoding: response.body, as: UTF8.self).contains("\"error\"")
    }
}
