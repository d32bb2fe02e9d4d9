import PrintModel
import Synchronization

/// Numbers events and hands them to whoever listens; keeps the last ones for those who come back.
final class EventHub: Sendable {
    /// How many events are kept for a listener that comes back, and how many a slow listener may lag behind.
    static let retained = 1024

    private struct State {
        var nextID: Int64
        var ring: [EngineEvent] = []
        var listeners: [Int: AsyncStream<EngineEvent>.Continuation] = [:]
        var nextListener = 0
        var isFinished = false

        /// Hands the event to everyone, and returns those who lag so far behind that they lose their place: their
        /// streams end, and they come back with their last id.
        mutating func hand(_ event: EngineEvent) -> [AsyncStream<EngineEvent>.Continuation] {
            var lagging: [AsyncStream<EngineEvent>.Continuation] = []
            for (id, listener) in listeners {
                if case .dropped = listener.yield(event), event.kind != .jobProgress {
                    lagging.append(listener)
                    listeners[id] = nil
                }
            }
            return lagging
        }
    }
    private let state: Mutex<State>
    private let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        // Microseconds at start: ids ascend across restarts as long as there is less than an event per microsecond.
        let first = now().millisecondsSince1970.multipliedReportingOverflow(by: 1000).partialValue
        state = Mutex(State(nextID: first))
    }

    func publish(_ kind: EngineEvent.Kind, job: Job? = nil, printer: PrinterStatus? = nil, message: String? = nil) {
        let time = now()
        let lagging = state.withLock { state in
            let event = EngineEvent(
                id: state.nextID, time: time, kind: kind, job: job, printer: printer, message: message)
            state.nextID += 1
            if kind != .jobProgress {
                state.ring.append(event)
                // Trimmed in batches: the array moves once in a thousand events.
                if state.ring.count >= 2 * Self.retained { state.ring.removeFirst(Self.retained) }
            }
            return state.hand(event)
        }
        // Outside the lock: ending a stream calls back into this hub.
        for listener in lagging { listener.finish() }
    }

    /// Events after `id`, or from now on; begins with `resync` when events after `id` are no longer kept.
    func events(after id: Int64?) -> AsyncStream<EngineEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: EngineEvent.self, bufferingPolicy: .bufferingOldest(3 * Self.retained)
        )
        let time = now()
        let listener: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            if let id {
                // An id of another life may be any number: nothing is added to it.
                let isMissing = id >= state.nextID || (state.ring.first?.id ?? state.nextID) - 1 > id
                if isMissing {
                    let last = (state.ring.first?.id ?? state.nextID) - 1
                    continuation.yield(EngineEvent(id: last, time: time, kind: .resync))
                }
                for event in state.ring where event.id > id { continuation.yield(event) }
            }
            defer { state.nextListener += 1 }
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        guard let listener else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: listener) }
        }
        return stream
    }

    /// Ends every stream; later ones end at once.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
