import PrintModel
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
