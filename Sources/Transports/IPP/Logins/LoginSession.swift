import KioskDigests
import KioskPrintModel
import Synchronization

/// The logins to one printer: reads the saved credentials, and answers the printer's challenges with them.
final class LoginSession: Sendable {
    /// What a login must know of the connection that a request went over.
    struct ConnectionTraits: Sendable {
        var isSecure = false
        /// Whether nobody else could read the request, or answer in the printer's place.
        var isPrivate = false
        /// Whether the connection may carry logins.
        var allowsLogin = false
    }

    /// The credentials' name in the registry.
    private let name: String?
    private let source: (any CredentialSource)?
    private let state = Mutex(LoginState())

    init(_ target: PrinterTarget, credentials: (any CredentialSource)?) {
        name = target.credentials
        source = credentials
    }

    /// The login for the next request; nil while the printer has demanded none.
    func next(method: String, uri: String) -> LoginState.Sent? {
        state.withLock { $0.next(method: method, uri: uri) }
    }

    func accepted(_ sent: LoginState.Sent?, nextNonce: String?) {
        state.withLock { $0.accepted(sent, nextNonce: nextNonce) }
    }

    /// Prepares the login for a request that was refused with these challenges, so that it may go out again.
    func prepare(
        _ step: LoginAttempt.Step, after sent: LoginState.Sent?, _ challenges: [AuthenticationChallenge],
        over connection: ConnectionTraits
    ) async throws(LoginFailure.Reason) {
        switch step {
        case .giveUp: throw refused(sent)
        case .renew:
            guard let login = sent?.login else { throw .noKnownScheme }
            try adopt(challenges, login, over: connection)
        case .logIn(let unlessSame):
            let login = try await savedLogin()
            guard connection.allowsLogin else { throw connection.isSecure ? .notVerified : .notPrivate }
            if unlessSame, login == sent?.login { throw refused(sent) }
            try adopt(challenges, login, over: connection)
        }
    }

    private func refused(_ sent: LoginState.Sent?) -> LoginFailure.Reason {
        // Another request may have learnt of the refusal first, so that this one went out without a login.
        let known = state.withLock { state in
            state.refused(sent)
            return state.refusedLogin
        }
        guard let login = sent?.login ?? known else { return .noKnownScheme }
        if sent?.isToken == true { return .tokenRefused(credentials: login.name) }
        return .refused(user: login.user, credentials: login.name)
    }

    private func adopt(
        _ challenges: [AuthenticationChallenge], _ login: UserLogin, over connection: ConnectionTraits
    ) throws(LoginFailure.Reason) {
        try state.withLock { state throws(LoginFailure.Reason) in
            try state.adopt(challenges, login, isPrivate: connection.isPrivate)
        }
    }

    private func savedLogin() async throws(LoginFailure.Reason) -> UserLogin {
        guard let name else { throw .noneSaved }
        guard let source else {
            throw .unusable("this program was given no secrets file to find the credentials \"\(name)\" in")
        }
        do {
            return try UserLogin(await Self.read(source, name), name: name)
        } catch let reason as LoginFailure.Reason {
            throw reason
        } catch let error as CredentialError {
            throw .unusable(error.message)
        } catch {
            throw .unusable("the credentials \"\(name)\" cannot be read: \(error)")
        }
    }

    /// Reads credentials away from the event loop, since that reads files: even an actor would run on the executor that
    /// this task prefers.
    static func read(_ source: any CredentialSource, _ name: String) async throws -> Credentials {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { try await source.credentials(named: name) }
    }
}

/// The login to one printer, from one request to the next. No I/O.
struct LoginState: Sendable {
    /// The login that one request carried, by which its response is judged.
    struct Sent: Sendable {
        let field: Secret
        let login: UserLogin
        /// The Digest challenge that it answered; nil for Basic and Bearer.
        let challenge: DigestChallenge?
        /// Whether it is a token.
        let isToken: Bool
        /// Whether the printer had accepted it before.
        let wasProven: Bool
        fileprivate let generation: Int

        var isDigest: Bool { challenge != nil }
        /// The name of its scheme.
        var scheme: String { isDigest ? "Digest" : isToken ? "Bearer" : "Basic" }
    }

    private enum Scheme: Sendable {
        case basic(Secret)
        case bearer(Secret)
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
        let isToken = if case .bearer = current.scheme { true } else { false }
        return Sent(
            field: field, login: current.login, challenge: challenge, isToken: isToken, wasProven: isProven,
            generation: generation)
    }

    private mutating func field(_ scheme: Scheme, method: String, uri: String) throws(DigestError) -> Secret {
        switch scheme {
        case .basic(let field), .bearer(let field): return field
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
        if let token = login.token, challenges.contains(where: { $0.isScheme("bearer") }) {
            guard isPrivate || !hasUsedDigest else { throw .weakened }
            return .bearer(Secret("Bearer \(token.reveal())"))
        }
        guard login.hasPassword else {
            let asksForPassword = challenges.contains { $0.isScheme("digest") || $0.isScheme("basic") }
            throw asksForPassword ? .noUser(login.name) : .noKnownScheme
        }
        guard !challenges.allSatisfy({ $0.isScheme("bearer") }) || challenges.isEmpty else {
            throw .noToken(login.name)
        }
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

/// A user name and password from saved credentials, or a token, or both.
struct UserLogin: Hashable, Sendable {
    /// The credentials' name in the registry.
    let name: String
    let user: String
    let password: Secret
    let token: Secret?
    /// False where there is a token alone.
    let hasPassword: Bool

    init(_ credentials: Credentials, name: String) throws(LoginFailure.Reason) {
        token = credentials.token
        hasPassword = credentials.user != nil && credentials.password != nil
        guard hasPassword || token != nil else { throw .noUser(name) }
        let (user, password) = (credentials.user ?? "", credentials.password ?? Secret(""))
        // RFC 7617 §2 and RFC 7616's quoted-string allow none.
        guard !Self.hasControlCharacters(user), !Self.hasControlCharacters(password.reveal()) else {
            throw .controlCharacter(name)
        }
        self.name = name
        self.user = user
        self.password = password
    }

    /// The Authorization field's value for Basic (RFC 7617), which hides nothing from whoever sees it; in UTF-8,
    /// whether or not the server says that it expects that (§2.1).
    func basicField() throws(LoginFailure.Reason) -> Secret {
        // §2: the first colon ends the user name.
        guard !user.utf8.contains(UInt8(ascii: ":")) else { throw .colonInUser(name) }
        return Secret("Basic " + Base64.encode(Array("\(user):\(password.reveal())".utf8)))
    }

    private static func hasControlCharacters(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }
}

/// Why no login succeeded with a printer that demands one.
struct LoginFailure: Error, Hashable, Sendable {
    var reason: Reason
    /// The printer's name for what the login protects.
    var realm: String?
    /// The authentication schemes that it offered, in its spelling.
    var schemes: [String]

    enum Reason: Error, Hashable, Sendable {
        /// The registry names no credentials for the printer.
        case noneSaved
        /// The credentials of this name have no user or no password.
        case noUser(String)
        /// The credentials of this name have no token.
        case noToken(String)
        /// Others can read the connection, and the registry does not allow a login over it.
        case notPrivate
        /// TLS did not verify who answers (`trust: none`), and the registry does not allow a login over the connection.
        case notVerified
        /// The printer accepted Digest before, and now wants the password itself over a connection that others can
        /// read.
        case weakened
        /// The printer offers no known scheme, or its challenges cannot be parsed.
        case noKnownScheme
        /// The printer refused the user name or the password.
        case refused(user: String, credentials: String)
        /// The printer refused the token.
        case tokenRefused(credentials: String)
        /// The credentials cannot be read; the text names the file and the problem.
        case unusable(String)
        /// Basic cannot carry the colon in the user name of these credentials.
        case colonInUser(String)
        case controlCharacter(String)
    }

    init(_ reason: Reason, _ challenges: [AuthenticationChallenge]) {
        self.reason = reason
        realm = challenges.lazy.compactMap { $0.parameters["realm"] }.first
        schemes = challenges.map(\.scheme)
    }

    /// Whether a user and password, or a token, can be sent at all; also where the printer names no scheme.
    var offersKnownScheme: Bool {
        schemes.isEmpty || schemes.contains { ["basic", "digest", "bearer"].contains($0.lowercased()) }
    }

    /// Whether a token is all that the printer takes.
    var offersTokensAlone: Bool {
        let known = schemes.map { $0.lowercased() }
        return known.contains("bearer") && !known.contains("basic") && !known.contains("digest")
    }
}
