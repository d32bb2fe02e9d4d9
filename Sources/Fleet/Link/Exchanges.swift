import Synchronization

/// The requests that wait for a response, and who reads subscriptions.
final class Exchanges: Sendable {
    /// No other has it in this process.
    let number: UInt
    private static let last = Atomic<UInt>(0)
    /// The subject below which responses come: nobody else can guess it.
    let inbox: String

    /// What is waited for, beside responses.
    enum Event: Sendable {
        case connection, end
    }

    private struct State {
        var waiting: [UInt64: Request] = [:]
        /// Of those that were told; a bounded number.
        var refused: Set<HubRefusal> = []
        var readers: [UInt64: AsyncStream<HubMessage>.Continuation] = [:]
        var watchers: [UInt64: (event: Event, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var last: UInt64 = 0
        var isOver = false
        var isConnected = false
        var wasDisconnected = false
        var end: FleetError?

        func hasHappened(_ event: Event) -> Bool {
            switch event {
            case .connection: isConnected
            case .end: end != nil
            }
        }

        mutating func watchers(of event: Event) -> [CheckedContinuation<Void, any Error>] {
            let found = watchers.filter { $0.value.event == event }
            for number in found.keys { watchers[number] = nil }
            return found.values.map(\.continuation)
        }

        mutating func number() -> UInt64 {
            last += 1
            return last
        }
    }
    private struct Request {
        /// Nil for what waits for something else than a response.
        var subject: String?
        var continuation: CheckedContinuation<HubMessage, any Error>
    }
    private let state = Mutex(State())
    private let inboxPrefix: String
    private let onRefusal: @Sendable (HubRefusal) -> Void

    /// A hub could refuse any number of subjects.
    private static let maximumRefused = 256

    init(inboxPrefix: String, onRefusal: @escaping @Sendable (HubRefusal) -> Void) {
        (self.inboxPrefix, self.onRefusal) = (inboxPrefix, onRefusal)
        number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
        inbox = "\(inboxPrefix).\(RandomToken.text())"
    }

    func newInbox() -> String { "\(inboxPrefix).\(RandomToken.text())" }

    /// Calls `send` with a subject of its own, and returns the first message that comes to it. `subject` is what the
    /// request goes to.
    func response(of subject: String?, to send: (String) throws -> Void) async throws -> HubMessage {
        let number = state.withLock { $0.number() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let refusal: (any Error)? = state.withLock { state in
                    if Task.isCancelled { return CancellationError() }
                    if state.isOver { return FleetError.notConnected }
                    state.waiting[number] = Request(subject: subject, continuation: continuation)
                    return nil
                }
                if let refusal { return continuation.resume(throwing: refusal) }
                do {
                    try send("\(inbox).\(number)")
                } catch {
                    fail(number, with: error)
                }
            }
        } onCancel: {
            fail(number, with: CancellationError())
        }
    }

    private func fail(_ number: UInt64, with error: any Error) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume(throwing: error)
    }

    func received(_ message: HubMessage) {
        guard let number = UInt64(message.subject.dropFirst(inbox.count + 1)) else { return }
        state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume(returning: message)
    }

    /// The connection has broken: what was asked may have been done, and no response will come.
    func disconnected() {
        let waiting = state.withLock { state in
            state.isConnected = false
            state.wasDisconnected = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for request in waiting.values { request.continuation.resume(throwing: FleetError.notConnected) }
    }

    /// The hub has refused a subject: what was asked there gets no response.
    func refused(_ refusal: HubRefusal) {
        let (requests, isNew) = state.withLock { state in
            let numbers = state.waiting.filter { refusal.action == .publish && $0.value.subject == refusal.subject }
                .keys
            let isNew = state.refused.count < Self.maximumRefused && state.refused.insert(refusal).inserted
            return (numbers.compactMap { state.waiting.removeValue(forKey: $0) }, isNew)
        }
        for request in requests {
            request.continuation.resume(throwing: FleetError(.notPermitted, refusal.description))
        }
        if isNew { onRefusal(refusal) }
    }

    func add(_ reader: AsyncStream<HubMessage>.Continuation) -> UInt64 {
        let (number, isOver) = state.withLock { state in
            let number = state.number()
            if !state.isOver { state.readers[number] = reader }
            return (number, state.isOver)
        }
        if isOver { reader.finish() }
        return number
    }

    func remove(_ number: UInt64) { _ = state.withLock { $0.readers.removeValue(forKey: number) } }

    /// Whether the hub is reached, as far as libnats has said.
    var isConnected: Bool { state.withLock(\.isConnected) }

    /// `isFirst`: told by who connected, and not by libnats, which may have said since that it is over.
    func connected(isFirst: Bool = false) {
        let watchers = state.withLock { state in
            guard !state.isOver, !isFirst || !state.wasDisconnected else {
                return [CheckedContinuation<Void, any Error>]()
            }
            state.isConnected = true
            return state.watchers(of: .connection)
        }
        for watcher in watchers { watcher.resume() }
    }

    /// Returns once it has happened, at once where it is so. Throws `CancellationError`.
    func wait(for event: Event) async throws {
        let number = state.withLock { $0.number() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.hasHappened(event) { return .success(()) }
                    state.watchers[number] = (event, continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: number) }?.continuation
                .resume(throwing: CancellationError())
        }
    }

    /// Why nothing comes any more; nil as long as something may.
    var end: FleetError? { state.withLock(\.end) }

    /// Nothing comes any more.
    func end(because reason: String? = nil) {
        let error = FleetError(
            .notConnected, "the connection to the hub has ended" + (reason.map { ": \($0)" } ?? ""))
        let watchers = state.withLock { state in
            if state.end == nil { state.end = error }
            return state.watchers(of: .end)
        }
        for watcher in watchers { watcher.resume() }
        let readers = state.withLock { state in
            state.isOver = true
            defer { state.readers = [:] }
            return state.readers
        }
        for reader in readers.values { reader.finish() }
        disconnected()
    }
}

extension FleetError {
    static let notConnected = FleetError(
        .notConnected, "there is no connection to the hub; it is tried again by itself")
}
