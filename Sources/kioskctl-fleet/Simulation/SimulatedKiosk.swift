import Glibc
import KioskFleet
import KioskFleetAgent
import KioskPrintModel
import Synchronization

/// A kiosk whose queue is in memory, and whose printer always prints. As a kiosk's queue does, it recognises a job that
/// comes again by its key: the agent's own records may lag behind it.
final class SimulatedKiosk: FleetKiosk {
    private struct State {
        var jobs: [Job.ID: Job] = [:]
        var ids: [String: Job.ID] = [:]
        var changes: AsyncStream<Job>.Continuation?
    }
    private let state = Mutex(State())
    private let printTime: Duration
    private let counts: SimulationCounts
    private let paper: SimulatedPaper
    private let accepted: AsyncStream<AcceptedJob>
    private let printer: AsyncStream<AcceptedJob>.Continuation

    private struct AcceptedJob: Sendable {
        var id: Job.ID
        var key: String
        /// When it is printed.
        var done: ContinuousClock.Instant
    }

    /// `printTime`: how long after its acceptance a job is printed.
    init(printTime: Duration, counts: SimulationCounts) {
        (self.printTime, self.counts) = (printTime, counts)
        paper = SimulatedPaper(counts: counts)
        (accepted, printer) = AsyncStream.makeStream()
    }

    /// Prints what is accepted, until the task is cancelled. To be called once.
    func printJobs() async {
        for await job in accepted {
            do { try await ContinuousClock().sleep(until: job.done) } catch { return }
            if end(job.id, .completed, evidence: .printed) { paper.print(job.key) }
        }
    }

    /// False where the job was final before.
    @discardableResult
    private func end(_ id: Job.ID, _ state: JobState, evidence: Evidence?) -> Bool {
        let (job, changes) = self.state.withLock { kiosk -> (Job?, AsyncStream<Job>.Continuation?) in
            guard var job = kiosk.jobs[id], !job.state.isFinal else { return (nil, nil) }
            (job.state, job.evidence, job.completedAt) = (state, evidence, Self.now)
            kiosk.jobs[id] = job
            return (job, kiosk.changes)
        }
        if let job { changes?.yield(job) }
        return job != nil
    }

    // MARK: FleetKiosk

    func accept(
        _ job: FleetJob, age: @escaping @Sendable () -> Int,
        document: @escaping @Sendable (_ append: ([UInt8]) async throws -> Void) async throws -> Void
    ) async throws -> JobAcceptance {
        let age = age()
        if let expiresAfter = job.expiresAfter, age >= expiresAfter {
            counts.add { $0.refused += 1 }
            return .refused(
                .init(code: "job-expired", message: "the job came \(age - expiresAfter) s after its end at the hub"))
        }
        // Its length and digest are checked while it is read.
        try await document { _ in }
        let now = Self.now
        let (made, isNew) = state.withLock { state -> (Job, Bool) in
            if let known = state.ids[job.idempotencyKey].flatMap({ state.jobs[$0] }) { return (known, false) }
            let made = Job(
                id: Int64(state.jobs.count + 1), name: job.name, role: job.role, printer: nil, user: nil,
                format: job.format ?? .octetStream, documentLength: Int64(job.length), ticket: Ticket(), createdAt: now,
                expiresAt: now)
            (state.jobs[made.id], state.ids[job.idempotencyKey]) = (made, made.id)
            return (made, true)
        }
        guard isNew else {
            counts.add { $0.repeated += 1 }
            return .accepted(made)
        }
        counts.add { $0.taken += 1 }
        printer.yield(AcceptedJob(id: made.id, key: job.idempotencyKey, done: .now + printTime))
        return .accepted(made)
    }

    private static var now: Timestamp {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Timestamp(millisecondsSince1970: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
    }

    func cancel(_ id: Job.ID) async throws { end(id, .canceled, evidence: nil) }

    func job(_ id: Job.ID, of key: JobKey) async throws -> Job? { state.withLock { $0.jobs[id] } }

    func job(underKey key: String) async throws -> Job? {
        state.withLock { state in state.ids[key].flatMap { state.jobs[$0] } }
    }

    func watchChanges(
        begin: () async throws -> Void, take: (Job) async throws -> Void
    ) async throws {
        let (changes, continuation) = AsyncStream.makeStream(of: Job.self)
        state.withLock { $0.changes = continuation }
        try await begin()
        for await job in changes { try await take(job) }
    }

    func health() async throws -> HealthReport {
        let waiting = state.withLock { $0.jobs.values.count { !$0.state.isFinal } }
        return HealthReport(
            checks: [], printersAvailable: 1, printersSaved: 1, jobsWaiting: waiting, jobsUnconfirmed: 0,
            oldestWaitingSeconds: nil)
    }
}
