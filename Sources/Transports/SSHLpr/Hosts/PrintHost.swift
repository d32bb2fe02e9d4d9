import PrintModel
import SSH
import Synchronization

/// One host as one user sees it, shared by all its queues: the connection, and what is known of the host.
final class PrintHost: Sendable {
    private let connection: any RemoteHost
    private let hangUp: @Sendable () async -> Void
    private let facts = Mutex<HostFacts?>(nil)
    private let state = Mutex(State())

    private struct State {
        var isClosed = false
        /// Removals that nobody waits for.
        var removals: [Int: Task<Void, Never>] = [:]
        var removalCount = 0
    }

    init(_ connection: any RemoteHost, close: @escaping @Sendable () async -> Void) {
        self.connection = connection
        hangUp = close
    }

    /// The connection, which a closed host does not make anew.
    var live: any RemoteHost {
        get throws(SSHError) {
            guard !state.withLock(\.isClosed) else {
                throw SSHError(.cancelled, operation: "connect", reason: "cancelled")
            }
            return connection
        }
    }

    /// Ends every call, and returns when nothing runs any more that nobody waits for.
    func close() async {
        let removals = state.withLock { state in
            state.isClosed = true
            return Array(state.removals.values)
        }
        await hangUp()
        for removal in removals { await removal.value }
    }

    /// Removes files that a failed delivery may have left, behind its back: it ends at once, and the host may be gone.
    /// What stays is removed at a contact when it is a day old.
    func remove(_ names: [String]) {
        state.withLock { state in
            guard !state.isClosed else { return }
            let number = state.removalCount
            state.removalCount += 1
            state.removals[number] = Task {
                for name in names { try? await self.live.remove(name) }
                self.state.withLock { $0.removals[number] = nil }
            }
        }
    }

    /// What the host has; asked for where it is not known.
    func knownFacts() async throws -> HostFacts? {
        if let known = facts.withLock({ $0 }) { return known }
        let result = try await live.run(HostFacts.probe.command())
        let found = result.answer.flatMap { HostFacts($0) }
        facts.withLock { $0 = found }
        return found
    }

    /// A program was missing that was there, or behaved as another: the next call asks anew.
    func doubtFacts() { facts.withLock { $0 = nil } }
}
