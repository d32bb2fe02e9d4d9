internal import COpenSSL
internal import PrintModel
internal import Synchronization

/// The newest sessions with one peer, so that the next connection need not shake hands in full.
///
/// One per printer is meant; sessions that began under another host, trust or identity are never used, so a cache may
/// outlive a change of these.
package final class TLSSessionCache: Sendable {
    /// Under what a session began, and under what alone it may go on.
    struct Terms: Hashable, Sendable {
        var host: String
        var trust: Trust?
        /// Our own certificate, by its SHA-256.
        var identity: Fingerprint?
    }

    private struct Entry {
        let session: OpenSSLReference
        let terms: Terms
        let since: ContinuousClock.Instant
    }

    /// Seconds. RFC 8446 §4.6.1 allows a week; a printer may change hands sooner.
    static let longestLife = 3600
    /// A TLS 1.3 server gives two tickets a connection as a rule, and each is good for one.
    private static let limit = 4

    private let entries = Mutex<[Entry]>([])
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// Forgets all.
    package func removeAll() {
        entries.withLock { $0 = [] }
    }

    package var isEmpty: Bool { entries.withLock(\.isEmpty) }

    func keep(_ session: OpenSSLReference, terms: Terms) {
        let entry = Entry(session: session, terms: terms, since: now())
        entries.withLock { entries in
            entries.append(entry)
            entries.removeFirst(max(0, entries.count - Self.limit))
        }
    }

    /// The newest session for these terms; forgets those of other terms and those that are too old.
    func take(for terms: Terms) -> OpenSSLReference? {
        let oldest = now() - .seconds(Self.longestLife)
        return entries.withLock { entries in
            entries.removeAll {
                $0.terms != terms || $0.since <= oldest || SSL_SESSION_is_resumable($0.session.pointer) != 1
            }
            guard let session = entries.last?.session else { return nil }
            // A ticket that is used twice lets onlookers see that both connections are the same client's (RFC 8446 §C.4).
            if SSL_SESSION_get_protocol_version(session.pointer) >= TLS1_3_VERSION { entries.removeLast() }
            return session
        }
    }
}
