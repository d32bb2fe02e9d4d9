import KioskFleetAgent
import KioskPrintModel
import KioskTestSupport
import Logging
import Synchronization
import Testing

@testable import KioskFleet

/// The agent at a real hub, for a kiosk that does what a test says.
@Suite struct FleetAgentTests {
    private let folder: TemporaryFolder
    private let office: FleetOffice
    private let kiosk = ScriptedKiosk()

    init() async throws {
        folder = try TemporaryFolder("fleet")
        office = try await FleetOffice()
    }

    /// Runs an agent while `body` does.
    private func withAgent(_ body: () async throws -> Void) async throws {
        let link = try await NATSLink.connect(
            NATSLink.Options(servers: [office.server.url], clientName: "kiosk"))
        defer { link.close() }
        let agent = FleetAgent(
            .init(site: FleetOffice.site, node: try NodeName("kiosk-1"), version: "1"), link: link,
            records: try FleetRecords(path: folder.appending("fleet.sqlite")), kiosk: kiosk,
            contact: FleetContact(of: FleetOffice.site), logger: Logger(label: "test"))
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

    @Test func `a job that the kiosk cannot take yet waits at the hub, and those behind it`() async throws {
        kiosk.refuse(times: 2)
        try await withAgent {
            try await office.send("first")
            try await office.send("second")
            try await office.report("second", .accepted)
            #expect(try await office.report("first")?.stage == .accepted)
        }
        #expect(kiosk.asked == ["first", "first", "first", "second"])
    }

    @Test func `another job under a key does not end what is said of the first`() async throws {
        try await withAgent {
            try await office.send("order")
            let first = try await office.report("order", .accepted)
            try await office.send("order", to: "label")
            try await eventually("the conflict") {
                try await office.report("order")?.error?.code == "idempotency-conflict"
            }
            let told = try #require(try await office.report("order"))
            #expect(told.stage == .accepted && told.job?.id == first.job?.id)
            try kiosk.end(try #require(first.job?.id))
            let end = try await office.report("order", .ended)
            #expect(end.error == nil && end.job?.role == "receipt")
            try await office.send("order", to: "kitchen")
            #expect(try await office.report("order", .refused).error?.code == "idempotency-conflict")
        }
        #expect(kiosk.asked == ["order"])
    }

    @Test func `a till's job under the number of a lost one is not taken for it`() async throws {
        try await withAgent {
            try await office.send("order")
            let first = try await office.report("order", .accepted)
            kiosk.loseQueue(thenMake: try #require(first.job?.id))
            try kiosk.end(try #require(first.job?.id))
            try await office.send("behind")
            try await office.report("behind", .accepted)
            #expect(try await office.report("order")?.stage == .accepted)
        }
        try await withAgent {
            let report = try await office.report("order", .unconfirmed)
            #expect(report.error?.code == "job-lost")
        }
    }
}

/// A kiosk without printers.
private final class ScriptedKiosk: FleetKiosk {
    private struct State {
        var jobs: [Job.ID: Job] = [:]
        var asked: [String] = []
        var refusals = 0
        var queues = 0
        var watchers: [AsyncStream<Job>.Continuation] = []
    }
    private let state = Mutex(State())

    /// The keys of the jobs that it was asked to accept.
    var asked: [String] { state.withLock(\.asked) }

    func refuse(times: Int) { state.withLock { $0.refusals = times } }

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
        _ job: FleetJob, age: Int,
        document: @escaping @Sendable (_ append: ([UInt8]) async throws -> Void) async throws -> Void
    ) async throws -> JobAcceptance {
        try await document { _ in }
        return state.withLock { state in
            state.asked.append(job.idempotencyKey)
            guard state.refusals == 0 else {
                state.refusals -= 1
                return .later(reason: "the disk is short")
            }
            let id = Job.ID(state.jobs.count + 1)
            let made = Self.job(id, job.name, job.role, queue: state.queues)
            state.jobs[id] = made
            return .accepted(made)
        }
    }

    func cancel(_ id: Job.ID) async throws {}

    func job(_ id: Job.ID) async throws -> Job? { state.withLock { $0.jobs[id] } }

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
