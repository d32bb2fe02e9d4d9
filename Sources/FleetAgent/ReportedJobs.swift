import KioskFleet
import KioskPrintModel

/// Reads what the kiosks of a site have said of its jobs.
struct ReportedJobs: Sendable {
    private let settings: FleetAgent.Settings
    private let jetStream: JetStream
    private let kiosk: any FleetKiosk

    init(_ settings: FleetAgent.Settings, at jetStream: JetStream, _ kiosk: any FleetKiosk) {
        (self.settings, self.jetStream, self.kiosk) = (settings, jetStream, kiosk)
    }

    /// All of them that the hub has, but for those that `isLeftOut` names by the key and the last report.
    func read(
        leavingOut isLeftOut: @escaping @Sendable (JobKey, FleetReport?) async throws -> Bool = { _, _ in false }
    ) async throws -> [FleetRecords.ReportedJob] {
        let jobs = JobList()
        try await jetStream.readLastMessages(of: FleetSubject.reportsFilter(of: settings.site), in: HubLayout.reports) {
            message, position in
            guard case .report(_, let key)? = FleetSubject(message.subject) else { return }
            let last = try? FleetReport(message)
            guard try await !isLeftOut(key, last) else { return }
            await jobs.add(try await job(key, last, at: position))
        }
        return await jobs.jobs
    }

    /// What is known of a job by its last report, nil where that cannot be read, and what is to be said of it now.
    private func job(
        _ key: JobKey, _ last: FleetReport?, at position: StoredPosition
    ) async throws -> FleetRecords.ReportedJob {
        var reported = FleetRecords.ReportedJob(
            key: key, storedAt: position.storedAt, sequence: position.sequence, stage: last?.stage ?? .unconfirmed,
            job: nil, report: nil)
        guard !reported.stage.isFinal else { return reported }
        if let last, let job = last.job, last.node == settings.node, try await kiosk.job(job.id, of: key) != nil {
            reported.job = .init(id: job.id, key: key)
            return reported
        }
        if settings.isPaired, let last, last.node != settings.node {
            // The other kiosk has said this much itself, or will know more once it is back.
            guard last.stage != .unconfirmed else { return reported }
            reported.report = .doubt(of: settings.node, about: last.node)
            return reported
        }
        reported.report = FleetReport(
            node: settings.node, .unconfirmed,
            error: .init(
                code: "kiosk-replaced",
                message:
                    "the kiosk that had taken the job is gone, or its queue: look at the paper, then send a new job"
            ))
        return reported
    }
}

/// Collects what comes from a closure that may run elsewhere.
private actor JobList {
    private(set) var jobs: [FleetRecords.ReportedJob] = []

    func add(_ job: FleetRecords.ReportedJob) { jobs.append(job) }
}
