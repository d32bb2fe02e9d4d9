import Synchronization

/// What the device has said and nobody has taken yet.
final class AnswerBox: Sendable {
    private struct State {
        /// Nil while nobody listens: what is said then is gone.
        var listener: Int?
        var listeners = 0
        var pieces: [[UInt8]] = []
        var count = 0
        var waiting: CheckedContinuation<[UInt8]?, Never>?
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let overflow: Overflow

    /// What happens to what does not fit.
    enum Overflow: Sendable {
        /// The oldest goes: what a printer said of itself long ago is of no use.
        case drop
        /// Nothing more is asked for until something is taken: of a stream, every byte counts.
        case wait
    }

    /// Of `DevicePipe.answers`.
    static let limit = 64 << 10
    private static let piece = 4096

    init(_ overflow: Overflow) { self.overflow = overflow }

    /// A new listener, in place of the one before. `whenTaken` is called when there may be room again.
    func listen(whenTaken: @escaping @Sendable () -> Void) -> AsyncStream<[UInt8]> {
        let (waiting, listener) = state.withLock { state in
            state.listeners += 1
            state.listener = state.listeners
            (state.pieces, state.count) = ([], 0)
            return (state.waiting.take(), state.listeners)
        }
        waiting?.resume(returning: nil)
        whenTaken()
        return AsyncStream { [weak self] in
            await self?.next(for: listener, whenTaken: whenTaken)
        } onCancel: { [weak self] in
            self?.leave(listener)
            whenTaken()
        }
    }

    var isFull: Bool { overflow == .wait && state.withLock { $0.count >= Self.limit } }

    func add(_ bytes: [UInt8]) {
        let waiting: CheckedContinuation<[UInt8]?, Never>? = state.withLock { state in
            guard state.listener != nil, !bytes.isEmpty else { return nil }
            if let waiting = state.waiting.take() { return waiting }
            // Few pieces, however little the device says at a time.
            if let last = state.pieces.indices.last, state.pieces[last].count + bytes.count <= Self.piece {
                state.pieces[last] += bytes
            } else {
                state.pieces.append(bytes)
            }
            state.count += bytes.count
            while overflow == .drop, state.count > Self.limit { state.count -= state.pieces.removeFirst().count }
            return nil
        }
        waiting?.resume(returning: bytes)
    }

    /// The pipe is broken: what is there can still be taken, and nothing comes any more.
    func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            return state.waiting.take()
        }
        waiting?.resume(returning: nil)
    }

    private func next(for listener: Int, whenTaken: @Sendable () -> Void) async -> [UInt8]? {
        defer { if overflow == .wait { whenTaken() } }
        return await withCheckedContinuation { continuation in
            let (now, isDone): ([UInt8]?, Bool) = state.withLock { state in
                guard state.listener == listener else { return (nil, true) }
                if !state.pieces.isEmpty {
                    let piece = state.pieces.removeFirst()
                    state.count -= piece.count
                    return (piece, true)
                }
                if state.hasEnded { return (nil, true) }
                state.waiting = continuation
                return (nil, false)
            }
            if isDone { continuation.resume(returning: now) }
        }
    }

    private func leave(_ listener: Int) {
        let waiting: CheckedContinuation<[UInt8]?, Never>? = state.withLock { state in
            guard state.listener == listener else { return nil }
            state.listener = nil
            (state.pieces, state.count) = ([], 0)
            return state.waiting.take()
        }
        waiting?.resume(returning: nil)
    }
}
