import Digests
import PrintModel

/// How to log in to one printer, from one request to the next. No I/O.
struct LoginMemory: Sendable {
    /// What one request carried, to judge its answer by.
    struct Sent: Sendable {
        let field: Secret
        let login: UserLogin
        /// What Digest answered with it.
        let challenge: DigestChallenge?
        /// Whether the printer had taken it before.
        let wasProven: Bool
        fileprivate let number: Int

        var isDigest: Bool { challenge != nil }
    }

    private enum Way: Sendable {
        case basic(Secret)
        case digest(DigestLogin)
    }

    private var known: (way: Way, login: UserLogin)?
    /// Counts the ways that were known: an answer may concern one that another request has replaced.
    private var number = 0
    private var isProven = false
    /// Whether Digest ever worked: who offers less then may not be the printer.
    private var hasTakenDigest = false
    /// Kept nevertheless, since its nonce may come again, and no count of it goes out twice.
    private var isRefused = false

    /// The login for the next request; nil while the printer has demanded none.
    mutating func next(method: String, uri: String) -> Sent? {
        guard let known, !isRefused, let field = try? field(known.way, method: method, uri: uri) else { return nil }
        let challenge: DigestChallenge? = if case .digest(let digest) = known.way { digest.challenge } else { nil }
        return Sent(field: field, login: known.login, challenge: challenge, wasProven: isProven, number: number)
    }

    private mutating func field(_ way: Way, method: String, uri: String) throws(DigestError) -> Secret {
        switch way {
        case .basic(let field): return field
        case .digest(var digest):
            let field = try digest.field(method: method, uri: uri)
            known?.way = .digest(digest)
            return field
        }
    }

    /// The printer took what was sent; `nextNonce` is its word for the next request (RFC 7616 §3.5).
    mutating func accepted(_ sent: Sent?, nextNonce: String?) {
        guard let sent, sent.number == number else { return }
        isProven = true
        if sent.isDigest { hasTakenDigest = true }
        if let nextNonce, case .digest(var digest) = known?.way {
            digest.renew(nonce: nextNonce)
            known?.way = .digest(digest)
        }
    }

    mutating func refused(_ sent: Sent?) {
        if let sent, sent.number == number { isRefused = true }
    }

    /// The login that the printer refused, and that goes out no more.
    var refusedLogin: UserLogin? { isRefused ? known?.login : nil }

    /// Chooses the strongest way that the printer offers, and logs in so from now on. `isPrivate`: whether nobody on
    /// the way can read what goes out, or put another challenge in the place of the printer's.
    mutating func adopt(
        _ challenges: [AuthenticationChallenge], _ login: UserLogin, isPrivate: Bool
    ) throws(LoginFailure.Reason) {
        let way = try choose(challenges, login, isPrivate: isPrivate)
        if case .digest(let new) = way, case .digest(let old) = known?.way, old.answers(new.challenge, login) {
            isRefused = false
            return
        }
        known = (way, login)
        number += 1
        (isProven, isRefused) = (false, false)
    }

    private func choose(
        _ challenges: [AuthenticationChallenge], _ login: UserLogin, isPrivate: Bool
    ) throws(LoginFailure.Reason) -> Way {
        var failure = LoginFailure.Reason.noKnownScheme
        for algorithm in [MessageDigest.Algorithm.sha256, .md5] {
            for challenge in challenges.lazy.compactMap(DigestChallenge.init) where challenge.algorithm == algorithm {
                do throws(DigestError) {
                    return .digest(try DigestLogin(challenge, login))
                } catch {
                    failure = .unusable(error.message)
                }
            }
        }
        guard challenges.contains(where: { $0.isScheme("basic") }) else { throw failure }
        guard isPrivate || !hasTakenDigest else { throw .weakened }
        return .basic(try BasicLogin.field(login))
    }
}

extension DigestLogin {
    /// Whether this one goes on counting for the challenge.
    fileprivate func answers(_ challenge: DigestChallenge, _ login: UserLogin) -> Bool {
        var mine = self.challenge
        mine.isStale = challenge.isStale
        return mine == challenge && self.login == login
    }
}
