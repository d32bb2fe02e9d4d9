import KioskDigests
package import KioskPrintModel
import Synchronization

/// An open session of a browser.
package struct Session: Hashable, Sendable {
    /// Names the session in the audit and in lists; it is not the cookie, and proves nothing.
    package let id: UInt32
    /// Whose rights it has.
    package var account: LocalAccount
    package var openedAt: Timestamp
    /// When it ends, whether or not it is used.
    package var expiresAt: Timestamp
    /// The address that it was opened from.
    package var address: String
}

/// The open sessions, in memory: a restart of the daemon logs everybody out. Of a cookie only the digest is kept.
package final class SessionStore: Sendable {
    private let state = Mutex(State())

    private struct State {
        var lastID: UInt32 = 0
        /// By the cookie's digest.
        var sessions: [String: Session] = [:]

        /// Ends the oldest session of the account, and of all, where there are as many as there may be.
        mutating func makeRoom(for account: LocalAccount) {
            let own = sessions.filter { $0.value.account.uid == account.uid }
            if own.count >= maximumPerAccount { removeOldest(of: own) }
            if sessions.count >= maximumCount { removeOldest(of: sessions) }
        }

        private mutating func removeOldest(of some: [String: Session]) {
            if let oldest = some.min(by: { $0.value.id < $1.value.id }) { sessions[oldest.key] = nil }
        }
    }

    /// Seconds from login to end: 12 hours.
    package static let lifetime = 12 * 3600
    /// The most sessions of one account, and of all; a further one ends the oldest.
    package static let maximumPerAccount = 16
    package static let maximumCount = 256
    /// 62^43 > 2^256.
    private static let cookieLength = 43

    package init() {}

    /// Opens a session; returns it with the cookie's value, which is told this once.
    package func open(
        for account: LocalAccount, from address: String, at now: Timestamp
    ) throws(AccessError) -> (session: Session, cookie: String) {
        var generator = SystemRandomNumberGenerator()
        let cookie = String(decoding: Base62.random(Self.cookieLength, using: &generator), as: UTF8.self)
        guard let digest = Self.digest(of: cookie) else {
            throw AccessError(.storage, "OpenSSL provides no SHA-256; check its provider configuration (openssl.cnf)")
        }
        return state.withLock { state in
            state.sessions = state.sessions.filter { $0.value.isOpen(at: now) }
            state.makeRoom(for: account)
            state.lastID &+= 1
            let session = Session(
                id: state.lastID, account: account, openedAt: now, expiresAt: now.advanced(bySeconds: Self.lifetime),
                address: address)
            state.sessions[digest] = session
            return (session, cookie)
        }
    }

    /// The session of a cookie's value; nil where there is none, or it is over.
    package func session(for cookie: some StringProtocol, at now: Timestamp) -> Session? {
        guard let digest = Self.digest(of: cookie) else { return nil }
        return state.withLock { state in
            guard let session = state.sessions[digest] else { return nil }
            guard session.isOpen(at: now) else {
                state.sessions[digest] = nil
                return nil
            }
            return session
        }
    }

    /// Whether a session still counts: for a response that goes on, such as a stream of events.
    package func isCurrent(_ id: UInt32, at now: Timestamp) -> Bool {
        state.withLock { $0.sessions.values.contains { $0.id == id && $0.isOpen(at: now) } }
    }

    /// Ends a session; returns what it was.
    @discardableResult
    package func close(_ cookie: some StringProtocol) -> Session? {
        guard let digest = Self.digest(of: cookie) else { return nil }
        return state.withLock { $0.sessions.removeValue(forKey: digest) }
    }

    /// Ends all sessions of a user.
    package func closeAll(of uid: UInt32) {
        state.withLock { $0.sessions = $0.sessions.filter { $0.value.account.uid != uid } }
    }

    /// The sessions that are open, oldest first.
    package func list(at now: Timestamp) -> [Session] {
        state.withLock { $0.sessions.values.filter { $0.isOpen(at: now) }.sorted { $0.id < $1.id } }
    }

    private static func digest(of cookie: some StringProtocol) -> String? {
        guard cookie.utf8.count == cookieLength, cookie.utf8.allSatisfy(Base62.contains) else { return nil }
        return try? MessageDigest.hexadecimal(.sha256, of: Array(cookie.utf8))
    }
}

extension Session {
    fileprivate func isOpen(at now: Timestamp) -> Bool {
        now < expiresAt && ClockChange.isSmall(from: openedAt, to: now)
    }
}
