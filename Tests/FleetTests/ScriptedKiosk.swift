import KioskFleetAgent
import KioskPrintModel
import KioskTestSupport
import Logging
import Synchronization
import Testing

@testable import KioskFleet

extension FleetOffice {
    /// Runs an agent at the site while `body` does. `way`: what its link goes through.
    func withAgent(
        _ node: String, of kiosk: ScriptedKiosk, records: String, isPaired: Bool = false,
        fetcher: (any DocumentFetcher)? = nil, longestStoreAbsence: Duration = .seconds(300),
        state: FleetState = FleetState(), through way: (NATSLink) -> any FleetLink = { $0 },
        _ body: () async throws -> Void
    ) async throws {
        let link = try await NATSLink.connect(NATSLink.Options.test([server.url], as: node))
        defer { link.close() }
        var settings = FleetAgent.Settings(site: Self.site, node: try NodeName(node), version: "1")
        settings.isPaired = isPaired
        settings.longestStoreAbsence = longestStoreAbsence
        let agent = FleetAgent(
            settings, link: way(link), records: try FleetRecords(path: records), kiosk: kiosk, fetcher: fetcher,
            contact: FleetContact(of: Self.site), state: state, logger: Logger(label: "test"))
        let running = Task { try await agent.run() }
        do {
            try await body()
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        try await running.value
    }
}

/// A kiosk without printers.
final class ScriptedKiosk: FleetKiosk {
    private struct State {
        var jobs: [Job.ID: Job] = [:]
        /// By their keys.
        var ids: [String: Job.ID] = [:]
        var asked: [String] = []
        var refusals = 0
        var fall: Fall?
        var queues = 0
        var watchers: [AsyncStream<Job>.Continuation] = []
    }
    private let state = Mutex(State())

    /// The keys of the jobs that it was asked to accept.
    var asked: [String] { state.withLock(\.asked) }

    /// When it falls amid a job that it is asked to accept: nothing comes of it until the agent's task ends.
    enum Fall: Sendable { case beforeAcceptance, afterAcceptance }

    func fall(_ fall: Fall?) { state.withLock { $0.fall = fall } }

    func refuse(times: Int) { state.withLock { $0.refusals = times } }

    /// Its jobs that are not ended, by their names.
    var waiting: [String] {
        state.withLock { $0.jobs.values.filter { !$0.state.isFinal }.map(\.name).sorted() }
    }

    /// Ends the job of this name.
    func end(_ name: String) throws {
        try end(try #require(state.withLock { $0.jobs.values.first { $0.name == name }?.id }, "\(name)"))
    }

    /// Ends a job as one that was printed.
    func end(_ id: Job.ID) throws {
        let (job, watchers) = try state.withLock { state in
            var job = try #require(state.jobs[id])
            job.state = .completed
            state.jobs[id] = job
            return (job, state.watchers)
        }
        for watcher in watchers { watcher.yield(job) }
    }

    /// As where the queue is damaged, and a till's job gets this number.
    func loseQueue(thenMake id: Job.ID) {
        state.withLock { state in
            state.queues += 1
            state.ids = [:]
            state.jobs = [id: Self.job(id, "till", "receipt", queue: state.queues)]
        }
    }

    private static func job(_ id: Job.ID, _ name: String, _ role: RoleName, queue: Int) -> Job {
        let now = Timestamp(millisecondsSince1970: 1_790_000_000_000).advanced(bySeconds: queue)
        return Job(
            id: id, name: name, role: role, printer: nil, user: nil, format: .plainText, documentLength: 3,
            ticket: Ticket(), createdAt: now, expiresAt: now.advanced(bySeconds: 60))
    }

    func accept(
        _ job: FleetJob, age: @escaping @Sendable () -> Int,
        document: @escaping @Sendable (_ append: ([UInt8]) async throws -> Void) async throws -> Void
    ) async throws -> JobAcceptance {
        try await document { _ in }
        if state.withLock({ $0.fall == .beforeAcceptance }) {
            state.withLock { $0.asked.append(job.idempotencyKey) }
            try await Task.sleep(for: .seconds(3600))
        }
        let acceptance: JobAcceptance = state.withLock { state in
            state.asked.append(job.idempotencyKey)
            guard state.refusals == 0 else {
                state.refusals -= 1
                return .later(reason: "the disk is short")
            }
            let id = Job.ID(state.jobs.count + 1)
            let made = Self.job(id, job.name, job.role, queue: state.queues)
            state.jobs[id] = made
            state.ids[job.idempotencyKey] = id
            return .accepted(made)
        }
        if state.withLock({ $0.fall == .afterAcceptance }) { try await Task.sleep(for: .seconds(3600)) }
        return acceptance
    }

    func cancel(_ id: Job.ID) async throws {}

    func job(_ id: Job.ID, of key: JobKey) async throws -> Job? {
        try state.withLock { state in
            let isKnown = try state.ids.contains { try $0.value == id && JobKey(idempotencyKey: $0.key) == key }
            return isKnown ? state.jobs[id] : nil
        }
    }

    func job(underKey key: String) async throws -> Job? {
        state.withLock { state in state.ids[key].flatMap { state.jobs[$0] } }
    }

    func watchChanges(
        begin: () async throws -> Void, take: (Job) async throws -> Void
    ) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Job.self)
        state.withLock { $0.watchers.append(continuation) }
        try await begin()
        for await job in stream { try await take(job) }
    }

    func health() async throws -> HealthReport {
        HealthReport(
            checks: [], printersAvailable: 1, printersSaved: 1, jobsWaiting: 0, jobsUnconfirmed: 0,
            oldestWaitingSeconds: nil)
    }
}
