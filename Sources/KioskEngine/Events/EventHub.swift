import KioskPrintModel
import Synchronization

/// Publishes the engine's events: numbers them, delivers them to every listener, and keeps the last ones for listeners
/// that come back.
final class EventHub: Sendable {
    /// How many events are kept for a listener that comes back, and how many a slow listener may lag behind.
    static let retained = 1024
    /// How many more may gather before the oldest are given up.
    private static let trimmed = 256

    private struct State {
        var nextID: Int64
        var ring: [EngineEvent] = {
            var ring: [EngineEvent] = []
            ring.reserveCapacity(EventHub.retained + EventHub.trimmed)
            return ring
        }()
        var listeners: [Int: Listener] = [:]
        var nextListener = 0
        /// Whether a thread delivers events to the listeners: one at a time does, so that they come in order.
        var isDelivering = false
        /// What was published meanwhile.
        var pending: [EngineEvent] = []
        var isFinished = false
    }
    private struct Listener {
        /// The first event that is delivered to it.
        var first: Int64
        var continuation: AsyncStream<EngineEvent>.Continuation
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
        let delivery: (event: EngineEvent, listeners: [Int: Listener])? = state.withLock { state in
            let event = EngineEvent(
                id: state.nextID, time: time, kind: kind, job: job, printer: printer, message: message)
            state.nextID += 1
            if kind != .jobProgress {
                state.ring.append(event)
                // Trimmed in batches: the array moves once in so many events.
                if state.ring.count >= Self.retained + Self.trimmed { state.ring.removeFirst(Self.trimmed) }
            }
            guard !state.listeners.isEmpty else { return nil }
            guard !state.isDelivering else {
                state.pending.append(event)
                return nil
            }
            state.isDelivering = true
            return (event, state.listeners)
        }
        guard let delivery else { return }
        deliver(delivery.event, to: delivery.listeners)
        deliverPending()
    }

    /// Delivers pending events until there are none.
    private func deliverPending() {
        while true {
            let (events, listeners, isOver) = state.withLock { state in
                let (events, listeners) = (state.pending, state.listeners)
                state.pending = []
                state.isDelivering = !events.isEmpty
                let isOver = events.isEmpty && state.isFinished
                if isOver { state.listeners = [:] }
                return (events, listeners, isOver)
            }
            for event in events { deliver(event, to: listeners) }
            if isOver { listeners.values.forEach { $0.continuation.finish() } }
            if events.isEmpty { return }
        }
    }

    /// Called without the lock: `yield` takes a lock of the listener's task, which a thread that cancels the task holds
    /// while it calls back into this hub.
    private func deliver(_ event: EngineEvent, to listeners: [Int: Listener]) {
        for (number, listener) in listeners where event.id >= listener.first {
            guard case .dropped = listener.continuation.yield(event), event.kind != .jobProgress else { continue }
            // It lags so far behind that it loses its place: its stream ends, and it comes back with its last id.
            remove(number)
            listener.continuation.finish()
        }
    }

    private func remove(_ number: Int) { _ = state.withLock { $0.listeners.removeValue(forKey: number) } }

    /// Events after `id`, or from now on; begins with `resync` when events after `id` are no longer kept.
    func events(after id: Int64?) -> AsyncStream<EngineEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: EngineEvent.self, bufferingPolicy: .bufferingOldest(3 * Self.retained)
        )
        let time = now()
        let number: Int? = state.withLock { state in
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
            state.listeners[state.nextListener] = Listener(first: state.nextID, continuation: continuation)
            return state.nextListener
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Ends every stream, behind the last event; later ones end at once.
    func finish() {
        let startsDelivery = state.withLock { state in
            state.isFinished = true
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        if startsDelivery { deliverPending() }
    }
}

/// Ends one caller's wait for a job before its time, from any thread.
package final class WaitEnd: Sendable {
    private enum State {
        case open
        case awaited(@Sendable () -> Void)
        case come
    }
    private let state = Mutex(State.open)

    package init() {}

    var hasCome: Bool { state.withLock { if case .come = $0 { true } else { false } } }

    /// Ends the wait, also one that has not begun.
    package func now() {
        let act = state.withLock { state -> (@Sendable () -> Void)? in
            defer { state = .come }
            if case .awaited(let act) = state { return act }
            return nil
        }
        act?()
    }

    /// Calls `act` when the end comes, at once where it has.
    fileprivate func on(_ act: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            if case .come = state { return true }
            state = .awaited(act)
            return false
        }
        if hasCome { act() }
    }
}

/// Callers that wait for jobs to settle.
final class JobWaiters: Sendable {
    private struct Waiter {
        var jobID: Int64
        var deadline: ContinuousClock.Instant
        var continuation: CheckedContinuation<Job?, Never>
    }
    private struct State {
        var waiters: [Int: Waiter] = [:]
        var tokens: [Int64: Set<Int>] = [:]
        var nextToken = 0
        var isFinished = false
        /// Runs to the earliest deadline, or to one before it of a waiter that has gone.
        var timer: (due: ContinuousClock.Instant, task: Task<Void, Never>)?

        mutating func remove(_ token: Int) -> CheckedContinuation<Job?, Never>? {
            guard let waiter = waiters.removeValue(forKey: token) else { return nil }
            tokens[waiter.jobID]?.remove(token)
            if tokens[waiter.jobID]?.isEmpty == true { tokens[waiter.jobID] = nil }
            return waiter.continuation
        }
    }
    private let state = Mutex(State())

    /// How many wait.
    var count: Int { state.withLock(\.waiters.count) }

    /// The job once it settles; nil when the time is up, the wait is ended, the waiting task is cancelled or the engine
    /// stops.
    ///
    /// It registers before it leaves its caller's actor, so that the engine misses nothing that happens after its own
    /// last look.
    ///
    func wait(
        for id: Int64, until deadline: ContinuousClock.Instant, endedBy end: WaitEnd = WaitEnd(),
        isolation: isolated (any Actor)? = #isolation
    ) async -> Job? {
        let token = state.withLock { state in
            state.nextToken += 1
            return state.nextToken
        }
        return await withTaskCancellationHandler {
            // A closure runs on the actor only where it captures it (SE-0420).
            _ = isolation
            return await withCheckedContinuation { continuation in
                let isRegistered = state.withLock { state in
                    guard !state.isFinished, !Task.isCancelled else { return false }
                    state.waiters[token] = Waiter(jobID: id, deadline: deadline, continuation: continuation)
                    state.tokens[id, default: []].insert(token)
                    setTimer(to: deadline, &state)
                    return true
                }
                guard isRegistered else { return continuation.resume(returning: nil) }
                end.on { [self] in release(token) }
            }
        } onCancel: {
            release(token)
        }
    }

    private func release(_ token: Int) {
        let continuation = state.withLock { $0.remove(token) }
        continuation?.resume(returning: nil)
    }

    /// Tells everyone who waits for this job.
    func settle(_ job: Job) {
        let continuations = state.withLock { state in
            (state.tokens[job.id] ?? []).compactMap { state.remove($0) }
        }
        for continuation in continuations { continuation.resume(returning: job) }
    }

    /// Lets the timer go off at this time at the latest. One that runs to an earlier one is left: most waiters go
    /// before their time, and each would set it anew.
    private func setTimer(to due: ContinuousClock.Instant, _ state: inout State) {
        if let timer = state.timer, timer.due <= due { return }
        state.timer?.task.cancel()
        let task = Task { [weak self] in
            guard (try? await ContinuousClock().sleep(until: due)) != nil else { return }
            self?.giveUp(at: .now)
        }
        state.timer = (due, task)
    }

    /// Lets those go whose time is up.
    private func giveUp(at now: ContinuousClock.Instant) {
        let continuations = state.withLock { state in
            let late = state.waiters.filter { $0.value.deadline <= now }.keys
            let continuations = late.compactMap { state.remove($0) }
            state.timer = nil
            if let next = state.waiters.values.map(\.deadline).min() {
                setTimer(to: max(next, now + Self.interval), &state)
            }
            return continuations
        }
        for continuation in continuations { continuation.resume(returning: nil) }
    }

    /// How much later than at their time waiters may go, so that many share one look at all of them.
    private static let interval = Duration.milliseconds(50)

    /// Lets everyone go.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            state.timer?.task.cancel()
            defer { (state.waiters, state.tokens) = ([:], [:]) }
            return state.waiters.values.map(\.continuation)
        }
        for continuation in waiters { continuation.resume(returning: nil) }
    }
}
