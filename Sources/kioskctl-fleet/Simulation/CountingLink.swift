import KioskFleet

/// A link that counts the reports that the hub has stored.
struct CountingLink: ForwardingLink {
    let link: any FleetLink
    let counts: SimulationCounts

    /// Where the answer to a report is lost, its sender asks what the hub has last.
    private static let lastReport = "$JS.API.DIRECT.GET.\(HubLayout.reports)."

    func request(_ message: HubMessage, timeout: Duration) async throws -> HubMessage {
        if message.subject.hasPrefix(Self.lastReport) {
            let last = try await link.request(message, timeout: timeout)
            if let report = try? FleetReport(last) {
                counts.stored(report, at: String(message.subject.dropFirst(Self.lastReport.count)))
            }
            return last
        }
        guard case .report? = FleetSubject(message.subject), let report = try? FleetReport(message) else {
            return try await link.request(message, timeout: timeout)
        }
        counts.sent(report, to: message.subject)
        let response = try await link.request(message, timeout: timeout)
        if Self.isStored(response) { counts.stored(report, at: message.subject) }
        return response
    }

    /// JetStream answers a message that it does not store with `{"error": …}`.
    private static func isStored(_ response: HubMessage) -> Bool {
        !String(decoding: response.body, as: UTF8.self).contains("\"error\"")
    }
}
