internal import CLibSSH2
internal import NIOCore
internal import PrintModel

/// A login: asks what the server offers, and tries what we have of it until it lets us in.
final class LoginOperation: SSHOperation {
    enum Method: String, CaseIterable {
        case key, agent, password, interactive

        /// Its name in the protocol (RFC 4252, RFC 4256).
        var offer: String {
            switch self {
            case .key, .agent: "publickey"
            case .password: "password"
            case .interactive: "keyboard-interactive"
            }
        }
    }

    private enum Phase {
        case asking
        case trying(Method)
        case over
    }

    let name = "log in"
    let user: String
    let material: LoginMaterial
    private let promise: EventLoopPromise<Void>
    let eventLoop: any EventLoop
    private var phase = Phase.asking
    private var untried: [Method]
    private var offered: [String] = []
    /// What each attempt came to, in words.
    private var notes: [String] = []
    var agent: AgentLogin?
    /// What of ours could not be used at all.
    private var unusable: SSHError?

    init(user: String, material: LoginMaterial, eventLoop: any EventLoop, promise: EventLoopPromise<Void>) {
        self.user = user
        self.material = material
        self.eventLoop = eventLoop
        self.promise = promise
        untried = Method.allCases.filter { method in
            switch method {
            case .key: material.key != nil
            case .agent: material.agentSocket != nil
            case .password, .interactive: material.password != nil
            }
        }
    }

    var isOver: Bool { if case .over = phase { true } else { false } }

    func step(on connection: SSHHandler) throws(SSHError) -> Bool {
        switch phase {
        case .asking: return try ask(connection)
        case .trying(let method): return try attempt(method, connection)
        case .over: return false
        }
    }

    private func ask(_ connection: SSHHandler) throws(SSHError) -> Bool {
        let session = connection.session
        guard let list = libssh2_userauth_list(session.pointer, user, UInt32(user.utf8.count)) else {
            if libssh2_userauth_authenticated(session.pointer) == 1 { return succeed(connection) }
            if session.lastCode == LIBSSH2_ERROR_EAGAIN { return false }
            throw failure(session, session.lastCode)
        }
        offered = String(cString: list).split(separator: ",").prefix(16).map(String.init)
        // The list stays libssh2's.
        return try tryNext()
    }

    /// The next of ours that the server offers.
    private func tryNext() throws(SSHError) -> Bool {
        guard let next = untried.first(where: { offered.contains($0.offer) }) else { throw refusal }
        untried.removeAll { $0 == next }
        phase = .trying(next)
        return true
    }

    private func attempt(_ method: Method, _ connection: SSHHandler) throws(SSHError) -> Bool {
        let session = connection.session
        let result: Int32
        switch method {
        case .key: result = tryKey(session)
        case .agent:
            do throws(SSHError) { result = try tryAgent(connection) } catch {
                noteUnusable(error)
                return try goOn()
            }
        case .password: result = tryPassword(session)
        case .interactive: result = tryPrompts(session)
        }
        if result == LIBSSH2_ERROR_EAGAIN { return false }
        if result == 0 { return succeed(connection) }
        if session.wire.farewell != nil || session.wire.memory.isExhausted { throw failure(session, result) }
        note(method, result, session)
        return try goOn()
    }

    private func goOn() throws(SSHError) -> Bool {
        // After a part of what it wants, a server offers something else; what is left of ours is asked for anew.
        guard !untried.isEmpty else { throw refusal }
        phase = .asking
        return true
    }

    private func noteUnusable(_ error: SSHError) {
        if unusable == nil { unusable = error }
    }

    private func note(_ method: Method, _ code: Int32, _ session: SSHSession) {
        switch (method, code) {
        case (.key, LIBSSH2_ERROR_AUTHENTICATION_FAILED), (.key, LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED):
            notes.append(material.key?.isRSA == true ? Self.noRSA("the key") : "it does not take the key")
        case (.key, _):
            let path = material.key?.path ?? ""
            noteUnusable(
                SSHError(
                    .credentialsUnusable, operation: name,
                    reason: "the key \(path) cannot be used (\(session.lastWords)); its passphrase is wrong or missing, or it is no key",
                    native: .libSSH2(Int(code))))
        case (.password, LIBSSH2_ERROR_PASSWORD_EXPIRED): notes.append("the password has expired")
        case (.password, _): notes.append("it does not take the password")
        case (.agent, _):
            let isAllRSA = agent?.isAllRSA ?? false
            notes.append(isAllRSA ? Self.noRSA("any key of the agent") : "it takes no key of the agent")
        case (.interactive, _): notes.append("its prompts did not take the password")
        }
    }

    /// libssh2 1.10 signs with SHA-1 alone, which OpenSSH refuses since 8.8.
    private static func noRSA(_ what: String) -> String {
        "it does not take \(what), which is RSA, and such signatures are refused by most servers today (make another key with"
            + " \"ssh-keygen -t ed25519\")"
    }

    private func succeed(_ connection: SSHHandler) -> Bool {
        phase = .over
        agent?.close()
        connection.session.wire.password = nil
        connection.session.wire.sign = nil
        connection.isLoggedIn = true
        promise.succeed()
        return true
    }

    private var refusal: SSHError {
        // What is wrong on our side comes first: only there it can be mended.
        if var unusable {
            unusable.offeredMethods = offered
            if !notes.isEmpty { unusable.reason += "; the server refuses the rest: " + notes.joined(separator: ", ") }
            return unusable
        }
        let words = notes.isEmpty ? "it offers nothing that is saved here" : notes.joined(separator: ", ")
        return SSHError(
            .loginRefused, operation: name, reason: "the server refuses the login: \(words)", offeredMethods: offered)
    }

    private func failure(_ session: SSHSession, _ code: Int32) -> SSHError {
        guard let farewell = session.wire.farewell, !notes.isEmpty else { return session.failure(name, code) }
        // Servers that count attempts hang up with a word of farewell.
        var error = refusal
        error.reason += "; it said \"\(farewell.text)\""
        return error
    }

    func connectionEnded(_ error: SSHError) {
        phase = .over
        agent?.close()
        promise.fail(error)
    }
}
