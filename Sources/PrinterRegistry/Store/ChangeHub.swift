import Synchronization

/// Hands every change to everyone who listens.
final class ChangeHub: Sendable {
    private let listeners = Mutex<(next: Int, all: [Int: AsyncStream<RegistryChange>.Continuation])>((0, [:]))

    /// A listener that falls behind loses the oldest changes; the newest says all that matters.
    private static let bufferedChanges = 64

    deinit { listeners.withLock { $0.all.values.forEach { $0.finish() } } }

    func stream() -> AsyncStream<RegistryChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RegistryChange.self, bufferingPolicy: .bufferingNewest(Self.bufferedChanges))
        let number = listeners.withLock { listeners in
            listeners.next += 1
            listeners.all[listeners.next] = continuation
            return listeners.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.all.removeValue(forKey: number) }
        }
        return stream
    }

    func publish(_ change: RegistryChange) {
        // Yielding may end a stream, whose handler takes the lock again.
        let continuations = listeners.withLock { Array($0.all.values) }
        continuations.forEach { $0.yield(change) }
    }
}
