import Digests
import PrintModel

/// The login to one printer, from one request to the next. No I/O.
struct LoginState: Sendable {
    /// The login that one request carried, by which its response is judged.
    struct Sent: Sendable {
        let field: Secret
        let login: UserLogin
        /// The Digest challenge that it answered; nil for Basic.
        let challenge: DigestChallenge?
        /// Whether the printer had accepted it before.
        let wasProven: Bool
        fileprivate let generation: Int

        var isDigest: Bool { challenge != nil }
    }

    private enum Scheme: Sendable {
        case basic(Secret)
        case digest(DigestLogin)
    }

    private var current: (scheme: Scheme, login: UserLogin)?
    /// Counts the values of `current`: a response may be about one that another request has replaced.
    private var generation = 0
    private var isProven = false
    /// Whether Digest ever worked: whoever offers less after that may not be the printer.
    private var hasUsedDigest = false
    /// A refused login is kept, since its nonce may come again, and no nonce count goes out twice.
    private var isRefused = false

    /// The login for the next request; nil while the printer has demanded none.
    mutating func next(method: String, uri: String) -> Sent? {
        guard let current, !isRefused, let field = try? field(current.scheme, method: method, uri: uri) else {
            return nil
        }
        let challenge: DigestChallenge? = if case .digest(let digest) = current.scheme { digest.challenge } else { nil }
        return Sent(
            field: field, login: current.login, challenge: challenge, wasProven: isProven, generation: generation)
    }

    private mutating func field(_ scheme: Scheme, method: String, uri: String) throws(DigestError) -> Secret {
        switch scheme {
        case .basic(let field): return field
        case .digest(var digest):
            let field = try digest.field(method: method, uri: uri)
            current?.scheme = .digest(digest)
            return field
        }
    }

    /// Notes that the printer accepted a login; `nextNonce` is its nonce for the next request (RFC 7616 §3.5).
    mutating func accepted(_ sent: Sent?, nextNonce: String?) {
        guard let sent, sent.generation == generation else { return }
        isProven = true
        if sent.isDigest { hasUsedDigest = true }
        if let nextNonce, case .digest(var digest) = current?.scheme {
            digest.renew(nonce: nextNonce)
            current?.scheme = .digest(digest)
        }
    }

    mutating func refused(_ sent: Sent?) {
        if let sent, sent.generation == generation { isRefused = true }
    }

    /// The login that the printer refused, and that is not sent any more.
    var refusedLogin: UserLogin? { isRefused ? current?.login : nil }

    /// Chooses the strongest scheme that the printer offers, for all requests from now on. `isPrivate`: whether nobody
    /// else can read what is sent, or replace the printer's challenge by another.
    mutating func adopt(
        _ challenges: [AuthenticationChallenge], _ login: UserLogin, isPrivate: Bool
    ) throws(LoginFailure.Reason) {
        let scheme = try choose(challenges, login, isPrivate: isPrivate)
        if case .digest(let new) = scheme, case .digest(let old) = current?.scheme, old.answers(new.challenge, login) {
            isRefused = false
            return
        }
        current = (scheme, login)
        generation += 1
        (isProven, isRefused) = (false, false)
    }

    private func choose(
        _ challenges: [AuthenticationChallenge], _ login: UserLogin, isPrivate: Bool
    ) throws(LoginFailure.Reason) -> Scheme {
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
        guard isPrivate || !hasUsedDigest else { throw .weakened }
        return .basic(try login.basicField())
    }
}

/// What one request may still try after a 401 response. No I/O.
///
/// At most one password per request reaches the printer; printers lock logins after a few wrong ones.
struct LoginAttempt {
    enum Step: Hashable {
        /// Read the credentials and send them; `unlessSame`: only if they differ from the refused ones.
        case logIn(unlessSame: Bool)
        /// The password was right: send the same again, for the new nonce.
        case renew
        case giveUp
    }

    private var hasRenewed = false
    private var hasLoggedIn = false

    mutating func refused(_ sent: LoginState.Sent?, challenges: [AuthenticationChallenge]) -> Step {
        guard let sent else {
            guard !hasLoggedIn else { return .giveUp }
            hasLoggedIn = true
            return .logIn(unlessSame: false)
        }
        if sent.isDigest, !hasRenewed, challenges.lazy.compactMap(DigestChallenge.init).contains(where: \.isStale) {
            hasRenewed = true
            return .renew
        }
        guard sent.wasProven, !hasLoggedIn else { return .giveUp }
        // What worked once fails for another reason than the password: a printer that was restarted does not know its
        // nonces any more, and not all say `stale`. Or the password was changed, perhaps in the secrets file as well.
        hasLoggedIn = true
        return .logIn(unlessSame: !isNew(sent.challenge, among: challenges))
    }

    /// Whether the nonce or the realm has changed, which explains the refusal of a right password.
    private func isNew(_ challenge: DigestChallenge?, among challenges: [AuthenticationChallenge]) -> Bool {
        guard let challenge else { return false }
        return !challenges.lazy.compactMap(DigestChallenge.init).contains {
            $0.realm == challenge.realm && $0.nonce == challenge.nonce
        }
    }
}
