import KioskAsyncPrimitives
import KioskFleet
import KioskPrintModel
import Synchronization

/// The kiosk's own jobs of its fleet: notes what becomes of them, to be reported.
struct OwnJobs: Sendable {
    private let node: NodeName
    private let kiosk: any FleetKiosk
    private let records: FleetRecords
    /// Raised when a report waits.
    private let reportWaits: AsyncSignal
    private let open = OpenJobs()
    /// Held while a job is read and what it says is noted, so that an older word never comes after a newer one.
    private let updating = AsyncMutex()

    init(of node: NodeName, at kiosk: any FleetKiosk, _ records: FleetRecords, reportWaits: AsyncSignal) {
        (self.node, self.kiosk, self.records, self.reportWaits) = (node, kiosk, records, reportWaits)
    }

    /// One that is not ended was accepted: its changes are looked at from now on.
    func add(_ own: FleetRecords.OwnJob) { open.insert(own) }

    /// Reports what changes of the fleet's jobs, from how they are now.
    func watch() async throws {
        try await kiosk.watchChanges {
            try await lookAtAll()
        } take: { job in
            // Most jobs of a kiosk are its tills'.
            if let own = open.job(job.id) { try await update(own) }
        }
        try Task.checkCancellation()
        try await Task.sleep(for: .seconds(1))
    }

    /// Notes how a job is now.
    func update(_ own: FleetRecords.OwnJob) async throws {
        guard await updating.lock() else { throw CancellationError() }
        defer { updating.unlock() }
        guard let job = try await job(own), try await records.update(job, of: own.key, by: node) else { return }
        if job.state.isFinal { open.remove(job.id) }
        reportWaits.raise()
    }

    /// Notes how all of them are now.
    func lookAtAll() async throws {
        for own in try await records.openJobs() {
            open.insert(own)
            guard try await isThere(own) else {
                let lost = FleetReport.Failure(
                    code: "job-lost", message: "the kiosk has lost the job with its queue: look at the paper")
                try await records.update(lost: own, FleetReport(node: node, .unconfirmed, error: lost))
                open.remove(own.id)
                reportWaits.raise()
                continue
            }
            try await update(own)
        }
    }

    /// The job as it is now; nil where the queue has it no more, or another one under its number.
    func job(_ own: FleetRecords.OwnJob?) async throws -> Job? {
        guard let own else { return nil }
        return try await kiosk.job(own.id, of: own.key)
    }

    func isThere(_ own: FleetRecords.OwnJob) async throws -> Bool { try await job(own) != nil }
}

/// The fleet's jobs that are not final, or were not when they were last looked at.
private final class OpenJobs: Sendable {
    private let jobs = Mutex([Job.ID: FleetRecords.OwnJob]())

    func job(_ id: Job.ID) -> FleetRecords.OwnJob? { jobs.withLock { $0[id] } }
    func insert(_ own: FleetRecords.OwnJob) { jobs.withLock { $0[own.id] = own } }
    func remove(_ id: Job.ID) { jobs.withLock { $0[id] = nil } }
}
