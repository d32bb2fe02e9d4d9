import Dispatch
import Glibc
import Synchronization

/// SIGTERM and SIGINT. Before `watch` they end the process, as they do by default; the first one afterwards ends
/// `wait`, and `hasCome` tells of it for as long as the process lives.
package final class StopSignals: Sendable {
    package static let numbers = [SIGTERM, SIGINT]

    private let state = Mutex(State())
    private let come: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    private struct State {
        var hasCome = false
        var sources: [DispatchSource] = []
    }

    package init() { (come, end) = AsyncStream.makeStream() }

    package var hasCome: Bool { state.withLock { $0.hasCome } }

    /// Returns when the signals no longer end the process.
    package func watch() async {
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

    /// Returns when one has come, or when the task is cancelled. For one caller.
    package func wait() async { for await _ in come {} }

    private func note() {
        state.withLock { $0.hasCome = true }
        end.finish()
    }
}
