import NIOCore
import Synchronization

/// How long a connection to one printer may lie idle and still be used: shared by the printer's connections.
///
/// A connection that the printer closes at the moment of our writing costs certainty, and one to a printer that was
/// switched off and on in between costs a reset in the middle of a receipt; a new connection costs one round trip in
/// the local network. So idle ones are given up early: well before any printer reboots, and before the printer's own
/// time is up, as far as it announces that time or showed it.
final class IdleLimit: Sendable {
    private static let margin = TimeAmount.seconds(1)

    private let limit: Mutex<TimeAmount>

    init(_ limit: TimeAmount) {
        self.limit = Mutex(limit)
    }

    var amount: TimeAmount { limit.withLock { $0 } }

    /// The printer announced its own limit (`Keep-Alive: timeout=`).
    func announced(seconds: Int) {
        shorten(to: .seconds(Int64(max(0, min(seconds, 3600)))) - Self.margin)
    }

    /// The printer closed a connection that had lain idle for so long.
    func printerClosed(after idle: TimeAmount) {
        shorten(to: .nanoseconds(idle.nanoseconds / 2))
    }

    private func shorten(to amount: TimeAmount) {
        limit.withLock { $0 = min($0, max(amount, .zero)) }
    }
}
