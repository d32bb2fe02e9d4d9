import CKioskOpenSSL
import KioskPrintModel
import Synchronization

/// The newest sessions with one peer. They spare the next connection a full handshake.
///
/// Use one cache per printer. It may outlive a change of host, trust or identity: a session is offered only if all
/// three are the same as when it began.
///
/// A resumed session shows no certificate. It proves that the peer is the one of the full handshake. A server that
/// keeps its sessions when its certificate changes (nginx, for one, does not) hides the new certificate until the next
/// full handshake, at most `maximumLifetime` after the last one. No other peer can receive data meanwhile.
package final class TLSSessionCache: Sendable {
    /// The conditions under which a session began. It may be resumed only under the same ones.
    struct Key: Hashable, Sendable {
        var host: String
        var trust: Trust?
        /// The SHA-256 of our own certificate.
        var identity: Fingerprint?
    }

    /// A session that can be resumed.
    struct Entry {
        let session: OpenSSLReference
        /// When the full handshake was, however many resumptions followed.
        let fullHandshakeTime: ContinuousClock.Instant
        /// The context that verified the certificate in the full handshake.
        let verifiedBy: TLSContext
        fileprivate let key: Key
    }

    /// Seconds after the full handshake. RFC 8446 §4.6.1 allows a week per ticket and recommends to limit the total
    /// lifetime. A printer may get another certificate or change hands sooner, and a full handshake costs milliseconds.
    static let maximumLifetime = 600
    /// A TLS 1.3 server usually issues two tickets per connection, and each is good for one connection.
    private static let limit = 4

    private let entries = Mutex<[Entry]>([])
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    package func removeAll() {
        entries.withLock { $0 = [] }
    }

    package var isEmpty: Bool { entries.withLock(\.isEmpty) }

    /// `fullHandshakeTime` is nil if this connection made the full handshake.
    func insert(
        _ session: OpenSSLReference, for key: Key, verifiedBy context: TLSContext,
        fullHandshakeTime: ContinuousClock.Instant?
    ) {
        let entry = Entry(
            session: session, fullHandshakeTime: fullHandshakeTime ?? now(), verifiedBy: context, key: key)
        entries.withLock { entries in
            entries.append(entry)
            entries.removeFirst(max(0, entries.count - Self.limit))
        }
    }

    /// Returns the newest session for `key`. Removes the sessions with another key and those that are too old.
    func take(for key: Key) -> Entry? {
        let oldest = now() - .seconds(Self.maximumLifetime)
        return entries.withLock { entries in
            entries.removeAll {
                $0.key != key || $0.fullHandshakeTime <= oldest || SSL_SESSION_is_resumable($0.session.pointer) != 1
            }
            guard let entry = entries.last else { return nil }
            // A ticket that is used twice shows eavesdroppers that both connections have the same client (RFC 8446
            // §C.4).
            if SSL_SESSION_get_protocol_version(entry.session.pointer) >= TLS1_3_VERSION { entries.removeLast() }
            return entry
        }
    }
}
