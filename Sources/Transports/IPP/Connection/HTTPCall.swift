import Synchronization

/// Names one call of `HTTPConnection.exchange`, so that its cancellation finds it, even when it overtakes the
/// beginning.
final class HTTPCall: Sendable {
    private let cancelled = Atomic(false)

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
    func cancel() { cancelled.store(true, ordering: .releasing) }
}
