import NIOCore

/// The writes that wait for the end of the handshake, in order, and how far they were flushed.
///
/// The methods complete no promise: that could call back into the handler that owns this.
struct PendingWrites {
    struct Write {
        var bytes: ByteBuffer
        var promise: EventLoopPromise<Void>?
    }

    /// The maximum octets that may wait. No back-pressure reaches the writer before the end of the handshake.
    static let limit = 1 << 20

    private var writes = MarkedCircularBuffer<Write>(initialCapacity: 4)
    private var byteCount = 0

    var isEmpty: Bool { writes.isEmpty }
    var exceedsLimit: Bool { byteCount > Self.limit }

    mutating func append(_ write: Write) {
        writes.append(write)
        byteCount += write.bytes.readableBytes
    }

    /// Marks all writes so far as flushed.
    mutating func flush() { writes.mark() }

    /// Stops counting the writes so far against the limit, since they can be sent now.
    mutating func beginSending() { byteCount = 0 }

    mutating func popFlushed() -> Write? { writes.hasMark ? writes.popFirst() : nil }

    mutating func popFirst() -> Write? { writes.popFirst() }

    /// Removes all writes and returns them, so that the caller can fail them.
    mutating func removeAll() -> MarkedCircularBuffer<Write> {
        let removed = writes
        writes = MarkedCircularBuffer(initialCapacity: 0)
        byteCount = 0
        return removed
    }
}
