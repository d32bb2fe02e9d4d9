import PrintModel
import SSH
import Synchronization

/// One host as one user sees it, shared by all its queues: the connection, and what is known of the host.
final class PrintHost: Sendable {
    let connection: any RemoteHost
    let close: @Sendable () async -> Void
    private let facts = Mutex<HostFacts?>(nil)

    init(_ connection: any RemoteHost, close: @escaping @Sendable () async -> Void) {
        self.connection = connection
        self.close = close
    }

    /// What the host has; asked for where it is not known.
    func knownFacts() async throws -> HostFacts? {
        if let known = facts.withLock({ $0 }) { return known }
        let result = try await connection.run(HostFacts.probe.command())
        let found = result.answer.flatMap { HostFacts($0) }
        facts.withLock { $0 = found }
        return found
    }

    /// A program was missing that was there, or behaved as another: the next call asks anew.
    func doubtFacts() { facts.withLock { $0 = nil } }
}
