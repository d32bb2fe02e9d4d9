import PrintModel
import Synchronization

/// Thins out the counts of bytes sent: at most about a hundred reports a document, and always the last.
final class SendingProgress: Sendable {
    private let length: Int64
    private let step: Int64
    private let tell: @Sendable (DeliveryProgress) -> Void
    private let last = Atomic<Int64>(0)

    init(length: Int64, tell: @escaping @Sendable (DeliveryProgress) -> Void) {
        self.length = length
        step = max(length / 100, Int64(DocumentBody.chunkSize))
        self.tell = tell
    }

    /// Called in order.
    func sent(_ bytes: Int64) {
        guard bytes == length || bytes - last.load(ordering: .relaxed) >= step else { return }
        last.store(bytes, ordering: .relaxed)
        tell(.sending(bytes: bytes, of: length))
    }
}
