import KioskFleet

/// The statuses of kiosks, as the hub has them.
actor KioskList {
    private var found: [FleetHealth.Statement] = []
    private var leftOut = 0
    private let limit: Int

    /// What was read.
    struct Reading: Sendable {
        var statements: [FleetHealth.Statement]
        /// How many more there were than were wanted.
        var leftOut: Int
        /// What time it was at the hub, in ns since 1970; nil where it does not say.
        var hubTime: Int64?
    }

    private init(limit: Int) { self.limit = limit }

    /// Reads the last status of each kiosk whose subject matches the filter, and keeps at most `limit` of them.
    static func read(
        of filter: String = FleetSubject.statusFilter, from jetStream: JetStream, limit: Int = .max
    ) async throws -> Reading {
        let list = KioskList(limit: limit)
        let hubTime = try await jetStream.readLastMessages(of: filter, in: HubLayout.status) { message, position in
            await list.add(message, storedAt: position.storedAt)
        }
        return Reading(statements: await list.found, leftOut: await list.leftOut, hubTime: hubTime)
    }

    private func add(_ message: HubMessage, storedAt: Int64) {
        guard case .status(let site, let node)? = FleetSubject(message.subject), !message.isDeletion else { return }
        guard found.count < limit else {
            leftOut += 1
            return
        }
        found.append(.init(site: site, node: node, status: try? KioskStatus(message), storedAt: storedAt))
    }
}
