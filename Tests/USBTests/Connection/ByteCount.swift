import Synchronization

/// Adds up what a send was told of.
final class ByteCount: Sendable {
    private let bytes = Mutex(0)
    var value: Int { bytes.withLock(\.self) }
    func add(_ count: Int) { bytes.withLock { $0 += count } }
}
