import DrawingMessages
import Synchronization

/// The purpose of a drawing. Drawings for printing come before previews.
package enum DrawingPurpose: Hashable, Sendable { case printing, preview }

/// Requests that wait for the program, and the one that it has. Each is answered exactly once: with what was drawn, why
/// not, or that it was canceled.
final class RequestQueue: Sendable {
    typealias Answer = CheckedContinuation<Result<DrawingReply, DrawingError>, Never>

    private let state = Mutex(State())
    private let settings: DrawingSettings

    private struct State {
        var printing = Line()
        var previews = Line()
        var current: Request?
        var lastTicket: UInt64 = 0
        var isClosed = false
    }

    /// The waiting requests of one purpose, first in, first out.
    private struct Line {
        var requests: [Request] = []
        var bytes = 0

        mutating func remove(at index: Int) -> Request {
            let request = requests.remove(at: index)
            bytes -= request.frame.count
            return request
        }

        mutating func remove(_ ticket: UInt64) -> Request? {
            requests.firstIndex { $0.ticket == ticket }.map { remove(at: $0) }
        }
    }

    private struct Request {
        var ticket: UInt64
        var frame: [UInt8]
        var purpose: DrawingPurpose
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

    /// Answers at once where it is full or closed. `start` is called under the lock, and says why there is nobody to do
    /// the work.
    func add(
        _ frame: [UInt8], for purpose: DrawingPurpose, ticket: UInt64, _ answer: Answer, start: () -> DrawingError?
    ) {
        let refusal = state.withLock { state -> DrawingError? in
            guard !state.isClosed else { return Self.closed }
            let line = purpose == .printing ? state.printing : state.previews
            guard line.requests.count < settings.queuedRequests, line.bytes + frame.count <= settings.queuedBytes else {
                return DrawingError(.busy, "too much is waiting to be drawn; try it again in a moment")
            }
            if let failure = start() { return failure }
            let request = Request(ticket: ticket, frame: frame, purpose: purpose, answer: answer)
            switch purpose {
            case .printing: Self.add(request, to: &state.printing)
            case .preview: Self.add(request, to: &state.previews)
            }
            return nil
        }
        if let refusal { answer.resume(returning: .failure(refusal)) }
    }

    private static func add(_ request: Request, to line: inout Line) {
        line.requests.append(request)
        line.bytes += request.frame.count
    }

    /// What the program draws already is drawn to its end; nobody waits for it.
    func cancel(_ ticket: UInt64) {
        let answer = state.withLock { state -> Answer? in
            if state.current?.ticket == ticket { return state.current?.answer.take() }
            return (state.printing.remove(ticket) ?? state.previews.remove(ticket))?.answer
        }
        answer?.resume(returning: .failure(DrawingError(.canceled, "the drawing was canceled")))
    }

    /// The next request, which is the current one until `finish`.
    func next() -> (frame: [UInt8], purpose: DrawingPurpose)? {
        state.withLock { state in
            let request: Request
            if !state.printing.requests.isEmpty {
                request = state.printing.remove(at: 0)
            } else if !state.previews.requests.isEmpty {
                request = state.previews.remove(at: 0)
            } else {
                return nil
            }
            state.current = request
            return (request.frame, request.purpose)
        }
    }

    func finish(_ result: Result<DrawingReply, DrawingError>) {
        let answer = state.withLock { state in state.current.take()?.answer }
        answer?.resume(returning: result)
    }

    /// Whether anybody still waits for the current request.
    var isCurrentWanted: Bool { state.withLock { $0.current?.answer != nil } }

    /// The number of waiting requests, without the current one.
    var waitingCount: Int { state.withLock { $0.printing.requests.count + $0.previews.requests.count } }

    /// Nothing is taken or done any more.
    func close() {
        let left = state.withLock { state -> [Request] in
            state.isClosed = true
            var left = state.printing.requests + state.previews.requests
            if let current = state.current.take() { left.append(current) }
            (state.printing, state.previews) = (Line(), Line())
            return left
        }
        for request in left { request.answer?.resume(returning: .failure(Self.closed)) }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    private static let closed = DrawingError(.shutDown, "nothing is drawn any more, since the service is ending")
}
