import Synchronization

/// What the device has said and nobody has taken yet.
final class AnswerBox: Sendable {
    private struct State {
        /// Nil while nobody listens.
        var listener: Int?
        var listeners = 0
        var pieces: [[UInt8]] = []
        var count = 0
        var waiting: CheckedContinuation<[UInt8]?, Never>?
        var hasEnded = false
    }

    private let state = Mutex(State())
    /// Of `DevicePipe.answers`.
    static let limit = 64 << 10
    /// Whether nothing may be dropped: who adds waits for room then.
    let keepsAll: Bool

    init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

    /// Whether more may be added.
    var hasRoom: Bool { !keepsAll || state.withLock(\.count) < Self.limit }

    /// A new listener, in place of the one before.
    func listen() -> AsyncStream<[UInt8]> {
        let (waiting, listener) = state.withLock { state in
            state.listeners += 1
            state.listener = state.listeners
            (state.pieces, state.count) = ([], 0)
            return (state.waiting.take(), state.listeners)
        }
        waiting?.resume(returning: nil)
        return AsyncStream { [weak self] in await self?.next(for: listener) } onCancel: { [weak self] in self?.leave(listener) }
    }

    func add(_ bytes: [UInt8]) {
        let waiting: CheckedContinuation<[UInt8]?, Never>? = state.withLock { state in
            guard state.listener != nil, !bytes.isEmpty else { return nil }
            if let waiting = state.waiting.take() { return waiting }
            state.pieces.append(bytes)
            state.count += bytes.count
            while !keepsAll, state.count > Self.limit { state.count -= state.pieces.removeFirst().count }
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

    private func next(for listener: Int) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
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
