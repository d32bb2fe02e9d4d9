import KioskEngine
import NIOCore
import PrintModel
import ServiceLifecycle

/// Keeps a request open until its job is settled.
struct JobWaiter: Sendable {
    let engine: PrintEngine

    /// The job once it is settled; as it is when the time is up, the client hangs up or the daemon shuts down.
    func job(_ id: Job.ID, settledWithin seconds: Int, _ context: APIContext) async throws -> Job {
        guard seconds > 0 else { return try await engine.job(id) }
        let (stops, stop) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listener = context.presence.on(.finishedSending) { stop.yield() }
        defer { listener.cancel() }
        return try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Job?.self) { group in
                group.addTask { try await engine.wait(for: id, timeout: .seconds(seconds)) }
                group.addTask {
                    for await _ in stops { break }
                    return nil
                }
                defer { group.cancelAll() }
                if let job = try await group.next() ?? nil { return job }
                return try await engine.job(id)
            }
        } onGracefulShutdown: {
            stop.yield()
        }
    }
}
