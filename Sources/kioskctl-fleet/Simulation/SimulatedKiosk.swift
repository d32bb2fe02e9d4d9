import Glibc
import KioskFleet
import KioskFleetAgent
import KioskPrintModel
import Synchronization

/// A kiosk whose queue is in memory, and whose printer always prints. Unlike a kiosk's queue it recognises no key: a job
/// that is accepted twice counts as doubled, so that the fleet's agent alone is what is tried.
final class SimulatedKiosk: FleetKiosk {
    private struct State {
        var jobs: [Job.ID: Job] = [:]
        var keys: Set<String> = []
        var highestNumber = -1
        var changes: AsyncStream<Job>.Continuation?
    }
    private let state = Mutex(State())
    private let printTime: Duration
    private let counts: SimulationCounts
    private let accepted: AsyncStream<(id: Job.ID, done: ContinuousClock.Instant)>
    private let printer: AsyncStream<(id: Job.ID, done: ContinuousClock.Instant)>.Continuation

    /// `printTime`: how long after its acceptance a job is printed.
    init(printTime: Duration, counts: SimulationCounts) {
        (self.printTime, self.counts) = (printTime, counts)
        (accepted, printer) = AsyncStream.makeStream()
    }

    /// Prints what is accepted, until the task is cancelled. To be called once.
    func printJobs() async {
        for await (id, done) in accepted {
            do { try await ContinuousClock().sleep(until: done) } catch { return }
            end(id, .completed, evidence: .printed)
        }
    }

    private func end(_ id: Job.ID, _ state: JobState, evidence: Evidence?) {
        let (job, changes) = self.state.withLock { kiosk -> (Job?, AsyncStream<Job>.Continuation?) in
            guard var job = kiosk.jobs[id], !job.state.isFinal else { return (nil, nil) }
            (job.state, job.evidence, job.completedAt) = (state, evidence, Self.now)
            kiosk.jobs[id] = job
            return (job, kiosk.changes)
        }
        if let job { changes?.yield(job) }
    }

    // MARK: FleetKiosk

    func accept(
        _ job: FleetJob, age: Int,
        document: @escaping @Sendable (_ append: ([UInt8]) async throws -> Void) async throws -> Void
    ) async throws -> JobAcceptance {
        if let expiresAfter = job.expiresAfter, age >= expiresAfter {
            counts.add { $0.refused += 1 }
            return .refused(
                .init(code: "job-expired", message: "the job came \(age - expiresAfter) s after its end at the hub"))
        }
        // Its length and digest are checked while it is read.
        try await document { _ in }
        let now = Self.now
        let number = Self.number(of: job.idempotencyKey)
        let (made, isDoubled, isOutOfOrder) = state.withLock { state -> (Job, Bool, Bool) in
            let made = Job(
                id: Int64(state.jobs.count + 1), name: job.name, role: job.role, printer: nil, user: nil,
                format: job.format ?? .octetStream, documentLength: Int64(job.length), ticket: Ticket(), createdAt: now,
                expiresAt: now)
            state.jobs[made.id] = made
            let isDoubled = !state.keys.insert(job.idempotencyKey).inserted
            let isOutOfOrder = number.map { $0 < state.highestNumber } ?? false
            if let number { state.highestNumber = max(state.highestNumber, number) }
            return (made, isDoubled, isOutOfOrder)
        }
        counts.add { counts in
            counts.taken += 1
            counts.doubled += isDoubled ? 1 : 0
            counts.outOfOrder += isOutOfOrder ? 1 : 0
        }
        printer.yield((made.id, .now + printTime))
        return .accepted(made)
    }

    private static var now: Timestamp {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Timestamp(millisecondsSince1970: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
    }

    /// The number that a key ends with; nil where it ends with none.
    private static func number(of key: String) -> Int? {
        let digits = key.utf8.reversed().prefix { (48...57).contains($0) }
        guard (1...maximumDigits).contains(digits.count) else { return nil }
        return Int(String(decoding: digits.reversed(), as: UTF8.self))
    }

    /// What an `Int` always holds.
    private static let maximumDigits = 18

    func cancel(_ id: Job.ID) async throws { end(id, .canceled, evidence: nil) }

    func job(_ id: Job.ID) async throws -> Job? { state.withLock { $0.jobs[id] } }

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
