internal import Dispatch
internal import Glibc
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// SIGTERM and SIGINT. Before `run` they end the process, as they do by default; the first one afterwards ends `run`, and `hasCome` tells of it
/// for as long as the process lives.
final class StopSignals: Service {
    static let numbers = [SIGTERM, SIGINT]

    private let state = Mutex(State())
    private let come: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    private struct State {
        var hasCome = false
        var sources: [any DispatchSourceSignal] = []
    }

    init() { (come, end) = AsyncStream.makeStream() }

    var hasCome: Bool { state.withLock { $0.hasCome } }

    /// Returns when one has come, when a graceful shutdown begins, or when the task is cancelled.
    func run() async throws {
        watch()
        await cancelWhenGracefulShutdown { [come] in
            for await _ in come {}
        }
    }

    private func watch() {
        let queue = DispatchQueue(label: "stop signals")
        state.withLock { state in
            guard state.sources.isEmpty else { return }
            state.sources = Self.numbers.map { number in
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { [weak self] in self?.note() }
                source.resume()
                return source
            }
        }
    }

    private func note() {
        state.withLock { $0.hasCome = true }
        end.finish()
    }
}
