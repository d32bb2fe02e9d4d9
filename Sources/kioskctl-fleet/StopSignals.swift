import Dispatch
import Glibc
import Synchronization

/// SIGINT and SIGTERM. Before `watch` they end the process, as they do by default; afterwards the first one ends
/// `wait`.
final class StopSignals: Sendable {
    private struct State {
        var isRaised = false
        var sources: [DispatchSource] = []
    }
    private let state = Mutex(State())
    private let raised: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init() { (raised, end) = AsyncStream.makeStream() }

    var isRaised: Bool { state.withLock { $0.isRaised } }

    /// Returns when the signals no longer end the process.
    func watch() async {
        let queue = DispatchQueue(label: "stop signals")
        for number in [SIGINT, SIGTERM] {
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

    /// Returns when one has come, or when the task is cancelled. For one caller.
    func wait() async { for await _ in raised {} }

    private func note() {
        state.withLock { $0.isRaised = true }
        end.finish()
    }
}
