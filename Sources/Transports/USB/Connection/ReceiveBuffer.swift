import Synchronization

/// The bytes that a device has sent and nobody has read yet.
final class ReceiveBuffer: Sendable {
    private struct State {
        /// The current reader; nil while there is none, and received bytes are dropped.
        var reader: Int?
        var lastReader = 0
        var chunks: [[UInt8]] = []
        var count = 0
        var waiting: CheckedContinuation<[UInt8]?, Never>?
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let overflow: Overflow

    /// What happens when the buffer is full.
    enum Overflow: Sendable {
        /// The oldest bytes are dropped: an old status report is of no use.
        case drop
        /// No more bytes are requested until some are read: every byte of a stream counts.
        case wait
    }

    /// The capacity that `DevicePipe.responses` promises.
    static let capacity = 64 << 10
    private static let chunkSize = 4096

    init(_ overflow: Overflow) { self.overflow = overflow }

    /// Starts to read, in place of the previous reader. `whenRead` is called when there may be room again.
    func read(whenRead: @escaping @Sendable () -> Void) -> AsyncStream<[UInt8]> {
        let (waiting, reader) = state.withLock { state in
            state.lastReader += 1
            state.reader = state.lastReader
            (state.chunks, state.count) = ([], 0)
            return (state.waiting.take(), state.lastReader)
        }
        waiting?.resume(returning: nil)
        whenRead()
        return AsyncStream { [weak self] in
            await self?.next(for: reader, whenRead: whenRead)
        } onCancel: { [weak self] in
            self?.stopReading(reader)
            whenRead()
        }
    }

    var isFull: Bool { overflow == .wait && state.withLock { $0.count >= Self.capacity } }

    func add(_ bytes: [UInt8]) {
        let waiting: CheckedContinuation<[UInt8]?, Never>? = state.withLock { state in
            guard state.reader != nil, !bytes.isEmpty else { return nil }
            if let waiting = state.waiting.take() { return waiting }
            // Keeps the number of chunks small, however few bytes arrive at a time.
            if let last = state.chunks.indices.last, state.chunks[last].count + bytes.count <= Self.chunkSize {
                state.chunks[last] += bytes
            } else {
                state.chunks.append(bytes)
            }
            state.count += bytes.count
            while overflow == .drop, state.count > Self.capacity { state.count -= state.chunks.removeFirst().count }
            return nil
        }
        waiting?.resume(returning: bytes)
    }

    /// Ends the buffer, since the pipe is broken: buffered bytes can still be read.
    func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            return state.waiting.take()
        }
        waiting?.resume(returning: nil)
    }

    private func next(for reader: Int, whenRead: @Sendable () -> Void) async -> [UInt8]? {
        defer { if overflow == .wait { whenRead() } }
        return await withCheckedContinuation { continuation in
            let (now, isDone): ([UInt8]?, Bool) = state.withLock { state in
                guard state.reader == reader else { return (nil, true) }
                if !state.chunks.isEmpty {
                    let chunk = state.chunks.removeFirst()
                    state.count -= chunk.count
                    return (chunk, true)
                }
                if state.hasEnded { return (nil, true) }
                state.waiting = continuation
                return (nil, false)
            }
            if isDone { continuation.resume(returning: now) }
        }
    }

    private func stopReading(_ reader: Int) {
        let waiting: CheckedContinuation<[UInt8]?, Never>? = state.withLock { state in
            guard state.reader == reader else { return nil }
            state.reader = nil
            (state.chunks, state.count) = ([], 0)
            return state.waiting.take()
        }
        waiting?.resume(returning: nil)
    }
}
