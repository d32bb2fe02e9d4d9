import COpenSSL
import PrintModel
import Synchronization

/// The newest sessions with one peer, so that the next connection need not shake hands in full.
///
/// One per printer is meant; sessions that began under another host, trust or identity are never used, so a cache may
/// outlive a change of these.
///
/// A resumed session shows no certificate: it proves that the other side is whoever the full handshake was shaken with.
/// A server that keeps its sessions over a change of its certificate (nginx, for one, does not) so hides the new one
/// until the next full handshake, at most `longestLife` after the last. Nothing gets to anybody else meanwhile.
package final class TLSSessionCache: Sendable {
    /// Under what a session began, and under what alone it may go on.
    struct Terms: Hashable, Sendable {
        var host: String
        var trust: Trust?
        /// Our own certificate, by its SHA-256.
        var identity: Fingerprint?
    }

    /// A session that can be resumed.
    struct Entry {
        let session: OpenSSLReference
        /// When the full handshake was that it goes back to, over however many resumptions in between.
        let since: ContinuousClock.Instant
        /// Who found the certificate good that it began with.
        let judge: TLSContext
        fileprivate let terms: Terms
    }

    /// Seconds from the full handshake on. RFC 8446 §4.6.1 allows a week for each ticket, and wants all of them
    /// bounded; a printer may get another certificate or change hands sooner, and a full handshake costs milliseconds.
    static let longestLife = 600
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

    /// `since`: when the full handshake was, if a resumed connection gave the session; nil if that was this
    /// connection's.
    func keep(_ session: OpenSSLReference, terms: Terms, judge: TLSContext, since: ContinuousClock.Instant?) {
        let entry = Entry(session: session, since: since ?? now(), judge: judge, terms: terms)
        entries.withLock { entries in
            entries.append(entry)
            entries.removeFirst(max(0, entries.count - Self.limit))
        }
    }

    /// The newest session for these terms; forgets those of other terms and those that are too old.
    func take(for terms: Terms) -> Entry? {
        let oldest = now() - .seconds(Self.longestLife)
        return entries.withLock { entries in
            entries.removeAll {
                $0.terms != terms || $0.since <= oldest || SSL_SESSION_is_resumable($0.session.pointer) != 1
            }
            guard let entry = entries.last else { return nil }
            // A ticket that is used twice lets onlookers see that both connections are the same client's (RFC 8446
            // §C.4).
            if SSL_SESSION_get_protocol_version(entry.session.pointer) >= TLS1_3_VERSION { entries.removeLast() }
            return entry
        }
    }
}
