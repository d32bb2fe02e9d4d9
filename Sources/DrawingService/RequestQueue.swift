import DrawingMessages
import Synchronization

/// Requests that wait for the program, and the one that it has. Each is answered exactly once: with what was drawn, why not, or that it
/// was canceled.
final class RequestQueue: Sendable {
    typealias Answer = CheckedContinuation<Result<DrawingReply, DrawingError>, Never>

    private let state = Mutex(State())
    private let settings: DrawingSettings

    private struct State {
        var waiting: [Request] = []
        var waitingBytes = 0
        var current: Request?
        var lastTicket: UInt64 = 0
        var isClosed = false
    }

    private struct Request {
        var ticket: UInt64
        var frame: [UInt8]
        /// Nil once it was answered.
        var answer: Answer?
    }

    init(settings: DrawingSettings) { self.settings = settings }

    func ticket() -> UInt64 {
        state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
    }

    /// Answers at once where it is full or closed. `start` is called under the lock, and says why there is nobody to do the work.
    func add(_ frame: [UInt8], ticket: UInt64, _ answer: Answer, start: () -> DrawingError?) {
        let refusal = state.withLock { state -> DrawingError? in
            guard !state.isClosed else { return Self.closed }
            guard state.waiting.count < settings.queuedRequests, state.waitingBytes + frame.count <= settings.queuedBytes else {
                return DrawingError(.busy, "too much is waiting to be drawn; try it again in a moment")
            }
            if let failure = start() { return failure }
            state.waiting.append(Request(ticket: ticket, frame: frame, answer: answer))
            state.waitingBytes += frame.count
            return nil
        }
        if let refusal { answer.resume(returning: .failure(refusal)) }
    }

    /// What the program draws already is drawn to its end; nobody waits for it.
    func cancel(_ ticket: UInt64) {
        let answer = state.withLock { state -> Answer? in
            if state.current?.ticket == ticket { return state.current?.answer.take() }
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            let request = state.waiting.remove(at: index)
            state.waitingBytes -= request.frame.count
            return request.answer
        }
        answer?.resume(returning: .failure(DrawingError(.canceled, "the drawing was canceled")))
    }

    /// The frame of the next request, which is the current one until `finish`.
    func next() -> [UInt8]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            let request = state.waiting.removeFirst()
            state.waitingBytes -= request.frame.count
            state.current = request
            return request.frame
        }
    }

    func finish(_ result: Result<DrawingReply, DrawingError>) {
        let answer = state.withLock { state in state.current.take()?.answer }
        answer?.resume(returning: result)
    }

    /// Nothing is taken or done any more.
    func close() {
        let left = state.withLock { state -> [Request] in
            state.isClosed = true
            var left = state.waiting
            if let current = state.current.take() { left.append(current) }
            (state.waiting, state.waitingBytes) = ([], 0)
            return left
        }
        for request in left { request.answer?.resume(returning: .failure(Self.closed)) }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    private static let closed = DrawingError(.shutDown, "nothing is drawn any more, since the service is ending")
}
