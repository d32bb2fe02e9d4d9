import Dispatch
import Glibc

/// Ctrl-C for what takes long: the work is cancelled and can say what goes on without it. A second Ctrl-C kills.
enum Interruption {
    /// Runs `work`; throws `CancellationError` once it has been interrupted and `work` has ended.
    static func cancelling<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        let (interruptions, signal) = AsyncStream.makeStream(of: Void.self)
        // libdispatch sees the signal through signalfd only when it does not kill the process.
        Glibc.signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler {
            signal.yield()
            Glibc.signal(SIGINT, SIG_DFL)
        }
        source.resume()
        defer {
            source.cancel()
            Glibc.signal(SIGINT, SIG_DFL)
        }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in interruptions { throw CancellationError() }
                return nil
            }
            defer {
                group.cancelAll()
            }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }
}
