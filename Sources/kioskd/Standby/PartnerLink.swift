import KioskAPI
import KioskAPIMessages
import KioskFleet
import KioskPrintModel
import NIOPosix

/// The calls to the partner, over connections that are kept. Each has a time limit.
struct PartnerLink: Sendable {
    /// This kiosk's name for its partner, and the name of its queue.
    let node: String
    let queue: String
    /// For what somebody waits for.
    private let quick: KioskClient
    /// For documents that are sent later, and long lists.
    private let patient: KioskClient

    init(to settings: PartnerSettings, queue: String) {
        node = settings.node.text
        self.queue = queue
        func client(_ limit: Duration) -> KioskClient {
            var options = KioskClient.Options()
            (options.hostConnectTimeout, options.responseTimeout) = (limit, limit)
            return KioskClient(
                host: settings.host, options: options, eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
        }
        (quick, patient) = (client(.seconds(1)), client(.seconds(10)))
    }

    func close() {
        quick.close()
        patient.close()
    }

    /// Has the partner keep a job, within `limit` and a connection's time in it; nil: in its own time.
    func hold(_ job: StandbyJob, _ id: Job.ID, within limit: Duration?) async throws -> StandbyStanding {
        guard let limit else { return try await patient.hold(job, of: node, id) }
        return try await Self.within(limit) { try await quick.hold(job, of: node, id) }
    }

    /// Tells that a job has come to its end.
    func end(_ id: Job.ID) async throws { try await patient.endStandby(of: node, id, in: queue) }

    /// What the partner has taken over.
    func taken(after id: Job.ID = 0) async throws -> StandbyList {
        try await quick.standby(StandbyQuery(node: node, queue: queue, state: .taken, after: id))
    }

    /// A page of all that the partner has.
    func everything(after id: Job.ID) async throws -> StandbyList {
        try await patient.standby(StandbyQuery(node: node, queue: queue, after: id))
    }

    /// Waits for work no longer than this. Work that is over time is cancelled, and not waited for: a connection that
    /// is being made ends in its own time.
    static func within<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (results, continuation) = AsyncStream.makeStream(of: Result<Value, any Error>.self)
        let working = Task {
            do { continuation.yield(.success(try await work())) } catch { continuation.yield(.failure(error)) }
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            continuation.yield(.failure(TimeLimit(limit: limit)))
        }
        defer {
            working.cancel()
            timer.cancel()
        }
        for await result in results { return try result.get() }
        throw CancellationError()
    }

    /// The partner did not answer in time.
    struct TimeLimit: Error, CustomStringConvertible {
        var limit: Duration
        var description: String { "it did not answer within \(limit)" }
    }
}
