package import KioskFleet
import Synchronization

/// How the kiosk's part in its fleet stands, for the kiosk's API: whether it is connected, who has the site's lease,
/// and where its records are. Reading it never waits for the hub.
package final class FleetState: Sendable {
    /// Whether there is a connection to the hub.
    package struct Connection: Hashable, Sendable {
        package var isConnected: Bool
        /// Since when that is so.
        package var since: ContinuousClock.Instant
    }

    /// Who takes the jobs of a site with a pair of kiosks, as this one knows it.
    package struct Lease: Hashable, Sendable {
        package var holder: NodeName
        /// Whether this process has it. A lease in the kiosk's name may be left over from a process before.
        package var isOwn: Bool
    }

    private struct State {
        var connection: Connection
        var lease: Lease?
        var records: FleetRecords?
    }
    private let state: Mutex<State>

    /// `start`: when the kiosk began, without a connection.
    package init(start: ContinuousClock.Instant = .now) {
        state = Mutex(State(connection: Connection(isConnected: false, since: start)))
    }

    package var connection: Connection { state.withLock(\.connection) }

    /// Nil where nobody has it, or where this kiosk does not know. Nobody knows it without the hub.
    package var lease: Lease? { state.withLock(\.lease) }

    /// The kiosk's records; nil where they are not open.
    package var records: FleetRecords? { state.withLock(\.records) }

    /// Said again at least each second. Without a connection it says nothing.
    func setLease(_ lease: Lease?) { state.withLock { $0.lease = $0.connection.isConnected ? lease : nil } }

    /// Says which records there are. Before the file is opened anew, nobody else may have it open: say nil.
    package func setRecords(_ records: FleetRecords?) { state.withLock { $0.records = records } }

    /// Notes when the connection comes and goes. Returns once the task is cancelled.
    func follow(_ link: any FleetLink) async {
        defer { setConnected(false) }
        do {
            while true {
                try await link.waitForConnection()
                setConnected(true)
                try await link.waitForDisconnection()
                setConnected(false)
            }
        } catch {
            // Nothing but the cancellation is thrown.
            return
        }
    }

    private func setConnected(_ isConnected: Bool) {
        state.withLock { state in
            guard state.connection.isConnected != isConnected else { return }
            state.connection = Connection(isConnected: isConnected, since: .now)
            if !isConnected { state.lease = nil }
        }
    }
}
