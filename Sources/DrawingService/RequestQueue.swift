import Glibc
import KioskDrawingMessages
import Synchronization

/// The requests that wait for `kiosk-draw`, and the current one. Each is completed exactly once: with a response, an
/// error, or its cancellation.
final class RequestQueue: Sendable {
    typealias Continuation = CheckedContinuation<Result<DrawingResponse, DrawingError>, Never>

    private let state = Mutex(State())
    private let settings: DrawingSettings

    private struct State {
        var printing = Backlog()
        var previews = Backlog()
        var current: Request?
        var lastID: UInt64 = 0
        var isClosed = false
    }

    /// The waiting requests of one purpose, first in, first out.
    private struct Backlog {
        private(set) var requests: [Request] = []
        private(set) var bytes = 0

        mutating func append(_ request: Request) {
            requests.append(request)
            bytes += request.frame.count
        }

        mutating func remove(at index: Int) -> Request {
            let request = requests.remove(at: index)
            bytes -= request.frame.count
            return request
        }

        mutating func remove(id: UInt64) -> Request? {
            requests.firstIndex { $0.id == id }.map { remove(at: $0) }
        }
    }

    private struct Request {
        var id: UInt64
        var frame: [UInt8]
        var purpose: DrawingPurpose
        /// Nil once the request was completed.
        var continuation: Continuation?
    }

    init(settings: DrawingSettings) { self.settings = settings }

    func makeID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Adds a request, or completes it with an error where the queue is full or closed. `start` starts the thread that
    /// does the work; it is called under the lock, and returns an error where that is impossible.
    func add(
        _ frame: [UInt8], for purpose: DrawingPurpose, id: UInt64, _ continuation: Continuation,
        start: () -> DrawingError?
    ) {
        let refusal = state.withLock { state -> DrawingError? in
            guard !state.isClosed else { return Self.closed }
            let backlog = purpose == .printing ? state.printing : state.previews
            guard backlog.requests.count < settings.queuedRequests,
                backlog.bytes + frame.count <= settings.queuedBytes
            else {
                return DrawingError(.busy, "too many drawings are waiting; try again in a moment")
            }
            if let failure = start() { return failure }
            let request = Request(id: id, frame: frame, purpose: purpose, continuation: continuation)
            switch purpose {
            case .printing: state.printing.append(request)
            case .preview: state.previews.append(request)
            }
            return nil
        }
        if let refusal { continuation.resume(returning: .failure(refusal)) }
    }

    /// Cancels a request. The program finishes the current one all the same, and its response is dropped.
    func cancel(_ id: UInt64) {
        let continuation = state.withLock { state -> Continuation? in
            if state.current?.id == id { return state.current?.continuation.take() }
            return (state.printing.remove(id: id) ?? state.previews.remove(id: id))?.continuation
        }
        continuation?.resume(returning: .failure(DrawingError(.canceled, "the drawing was canceled")))
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

    func finish(_ result: Result<DrawingResponse, DrawingError>) {
        let continuation = state.withLock { state in state.current.take()?.continuation }
        continuation?.resume(returning: result)
    }

    /// Whether a caller still waits for the current request.
    var isCurrentAwaited: Bool { state.withLock { $0.current?.continuation != nil } }

    /// The number of waiting requests, without the current one.
    var waitingCount: Int { state.withLock { $0.printing.requests.count + $0.previews.requests.count } }

    /// Completes all requests with an error, and accepts no more.
    func close() {
        let left = state.withLock { state -> [Request] in
            state.isClosed = true
            var left = state.printing.requests + state.previews.requests
            if let current = state.current.take() { left.append(current) }
            (state.printing, state.previews) = (Backlog(), Backlog())
            return left
        }
        for request in left { request.continuation?.resume(returning: .failure(Self.closed)) }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    private static let closed = DrawingError(
        .shutDown, "nothing is drawn any more, because the service is shutting down")
}
