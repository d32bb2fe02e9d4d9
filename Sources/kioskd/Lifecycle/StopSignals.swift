import Dispatch
import Glibc
import Logging
import ServiceLifecycle
import Synchronization

/// SIGTERM and SIGINT. Before `watch` they end the process, as they do by default; the first one afterwards ends `run`,
/// and `hasCome` tells of it for as long as the process lives.
final class StopSignals: Service {
    static let numbers = [SIGTERM, SIGINT]

    private let state = Mutex(State())
    private let come: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    private struct State {
        var hasCome = false
        var sources: [DispatchSource] = []
    }

    init() { (come, end) = AsyncStream.makeStream() }

    var hasCome: Bool { state.withLock { $0.hasCome } }

    /// Returns when the signals no longer end the process.
    func watch() async {
        let queue = DispatchQueue(label: "stop signals")
        for number in Self.numbers {
            guard let source = DispatchSource.makeSignalSource(signal: number, queue: queue) as? DispatchSource else {
                continue
            }
            source.setEventHandler { [weak self] in self?.note() }
            await withCheckedContinuation { registered in
                source.setRegistrationHandler { registered.resume() }
                source.resume()
            }
            state.withLock { $0.sources.append(source) }
        }
    }

    /// Returns when one has come, when a graceful shutdown begins, or when the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown { [come] in
            for await _ in come {}
        }
    }

    private func note() {
        state.withLock { $0.hasCome = true }
        end.finish()
    }
}
