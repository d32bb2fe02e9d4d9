import NIOHTTP1
import PrintModel
import Synchronization

extension PrinterLink {
    /// A request and its answer, logged in where the printer demands that.
    ///
    /// An answer 401 proves that the request was not acted on (RFC 9110 §15.5), so that it may go out again.
    func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPAnswer {
        var request = request
        var attempt = LoginAttempt()
        while true {
            let sending = await send(request)
            let answer = try sending.result.get()
            if demandsUpgrade(answer, sending, isDocument: request.document != nil) { continue }
            if answer.status == .expectationFailed, request.expectsContinue {
                // RFC 9110 §10.1.1: the same without it.
                request.expectsContinue = false
                continue
            }
            guard answer.status == .unauthorized else {
                // Whoever refuses for another reason may not have looked at the login.
                if (200..<300).contains(answer.status.code) {
                    logins.withLock { $0.accepted(sending.login, nextNonce: answer.nextNonce) }
                }
                return answer
            }
            let challenges = AuthenticationChallenge.parse(answer.headers["www-authenticate"])
            do throws(LoginFailure.Reason) {
                try await logIn(attempt.refused(sending.login, challenges: challenges), sending, challenges)
            } catch {
                throw HTTPFailure(cause: .login(LoginFailure(error, challenges)))
            }
        }
    }

    /// Whether the answer demands TLS that may be had on the same port (RFC 2817 §4.2); nothing that follows goes out
    /// in clear.
    private func demandsUpgrade(_ answer: HTTPAnswer, _ sending: Sending, isDocument: Bool) -> Bool {
        guard !sending.wasSecure, !isDialed else { return false }
        guard answer.status == .upgradeRequired else {
            if (200..<300).contains(answer.status.code) { security.servedInClear() }
            return false
        }
        guard answer.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased().hasPrefix("tls/") }) else {
            return false
        }
        security.demanded(forDocument: isDocument)
        for connection in state.withLock({ $0.lanes.dropIdle() }) { connection.close() }
        return true
    }

    /// Makes ready for the same request to go out again.
    private func logIn(
        _ step: LoginAttempt.Step, _ sending: Sending, _ challenges: [AuthenticationChallenge]
    ) async throws(LoginFailure.Reason) {
        switch step {
        case .giveUp: throw refused(sending)
        case .renew:
            guard let login = sending.login?.login else { throw .noKnownScheme }
            try adopt(challenges, login, sending)
        case .logIn(let unlessSame):
            let login = try await savedLogin()
            guard sending.mayLogIn else { throw sending.wasSecure ? .notVerified : .notPrivate }
            if unlessSame, login == sending.login?.login { throw refused(sending) }
            try adopt(challenges, login, sending)
        }
    }

    private func refused(_ sending: Sending) -> LoginFailure.Reason {
        // Another request's answer may have told already, so that this one went out without.
        let known = logins.withLock { logins in
            logins.refused(sending.login)
            return logins.refusedLogin
        }
        guard let login = sending.login?.login ?? known else { return .noKnownScheme }
        return .refused(user: login.user, credentials: login.name)
    }

    private func adopt(
        _ challenges: [AuthenticationChallenge], _ login: UserLogin, _ sending: Sending
    ) throws(LoginFailure.Reason) {
        try logins.withLock { memory throws(LoginFailure.Reason) in
            try memory.adopt(challenges, login, isPrivate: sending.wasPrivate)
        }
    }

    private func savedLogin() async throws(LoginFailure.Reason) -> UserLogin {
        guard let name = target.credentials else { throw .noneSaved }
        guard let credentials else {
            throw .unusable("this program was given no secrets file to find the credentials \"\(name)\" in")
        }
        do {
            return try UserLogin(await Self.read(credentials, name), name: name)
        } catch let reason as LoginFailure.Reason {
            throw reason
        } catch let error as CredentialError {
            throw .unusable(error.message)
        } catch {
            throw .unusable("the credentials \"\(name)\" cannot be read: \(error)")
        }
    }

    /// Off the event loop, since files are read: an actor too would run where this task prefers to.
    static func read(_ source: any CredentialSource, _ name: String) async throws -> Credentials {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { try await source.credentials(named: name) }
    }
}
