import KioskPrintModel
import Synchronization

/// What the agents of printers said last, and whether they may be asked: one query at a time for each, and none for ten
/// minutes after a silence.
final class AgentWatch: Sendable {
    /// Asks a printer's agent.
    typealias Ask = @Sendable (_ printer: PrinterTarget, _ community: String) async -> SNMPAgent.Outcome

    private struct Entry {
        var latest: PrinterReport?
        /// When the agent gave its last report, on the clock of `now`.
        var respondedAt: Duration?
        /// Whether its last query had a response.
        var responds = false
        var silentUntil: Duration?
        var query: (number: Int, task: Task<Void, Never>)?
        /// Those who wait for the query.
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    private struct State {
        var entries: [PrinterTarget: Entry] = [:]
        var number = 0
        var isShutDown = false
    }

    private let state = Mutex(State())
    private let ask: Ask
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    /// For how long a silent agent is not asked again.
    static let silence: Duration = .seconds(600)
    /// How long a contact that is done waits for an agent that responded the last time.
    static let grace: Duration = .milliseconds(500)
    /// How old the state in a report may be: nothing stays stopped by what an agent said long ago.
    static let maximumAge: Duration = .seconds(120)

    init(clock: some Clock<Duration>, ask: @escaping Ask) {
        self.ask = ask
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Starts a query, unless one runs or the agent was silent.
    func begin(_ printer: PrinterTarget, community: String) {
        let time = now()
        state.withLock { state in
            var entry = state.entries[printer] ?? Entry()
            guard !state.isShutDown, entry.query == nil, entry.silentUntil.map({ time >= $0 }) ?? true else { return }
            state.number += 1
            let number = state.number
            // It outlasts the contact that began it; `forget` and `shutDown` end it.
            let task = Task { [self] in
                let outcome = await ask(printer, community)
                finish(number, of: printer, with: outcome)
            }
            entry.query = (number, task)
            state.entries[printer] = entry
        }
    }

    private func finish(_ number: Int, of printer: PrinterTarget, with outcome: SNMPAgent.Outcome) {
        let time = now()
        let waiting = state.withLock { state -> [AsyncStream<Never>.Continuation] in
            // Nil: it was forgotten meanwhile.
            guard var entry = state.entries[printer], entry.query?.number == number else { return [] }
            defer { state.entries[printer] = entry }
            entry.query = nil
            switch outcome {
            case .report(let report):
                (entry.latest, entry.respondedAt, entry.responds, entry.silentUntil) = (report, time, true, nil)
            case .silence:
                (entry.respondedAt, entry.responds, entry.silentUntil) = (nil, false, time + Self.silence)
            }
            defer { entry.waiting = [] }
            return entry.waiting
        }
        for waiter in waiting { waiter.finish() }
    }

    /// Waits for a query that runs, for a short time, and only where the agent responded the last time.
    func wait(for printer: PrinterTarget) async {
        let (end, waiter) = AsyncStream<Never>.makeStream()
        let waits = state.withLock { state in
            guard let entry = state.entries[printer], entry.query != nil, entry.responds else { return false }
            state.entries[printer]?.waiting.append(waiter)
            return true
        }
        guard waits else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in end {} }
            group.addTask { [sleep] in try? await sleep(Self.grace) }
            await group.next()
            group.cancelAll()
        }
    }

    /// What the agent said last, and whether that tells the state of the printer now.
    func report(of printer: PrinterTarget) -> (report: PrinterReport, isCurrent: Bool)? {
        let time = now()
        return state.withLock { state in
            guard let entry = state.entries[printer], let latest = entry.latest else { return nil }
            return (latest, entry.respondedAt.map { time - $0 <= Self.maximumAge } ?? false)
        }
    }

    /// Whether a query runs.
    func isAsking(_ printer: PrinterTarget) -> Bool { state.withLock { $0.entries[printer]?.query != nil } }

    func forget(_ printer: PrinterTarget) async {
        let entry = state.withLock { $0.entries.removeValue(forKey: printer) }
        await Self.end(entry)
    }

    func shutDown() async {
        let entries = state.withLock { state in
            state.isShutDown = true
            defer { state.entries = [:] }
            return Array(state.entries.values)
        }
        for entry in entries { await Self.end(entry) }
    }

    private static func end(_ entry: Entry?) async {
        entry?.query?.task.cancel()
        entry?.waiting.forEach { $0.finish() }
        await entry?.query?.task.value
    }
}
