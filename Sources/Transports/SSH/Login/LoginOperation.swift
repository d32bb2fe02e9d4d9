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
    private let user: String
    private let material: LoginMaterial
    private let promise: EventLoopPromise<Void>
    private let eventLoop: any EventLoop
    private var phase = Phase.asking
    private var untried: [Method]
    private var offered: [String] = []
    /// What each attempt came to, in words.
    private var notes: [String] = []

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
        let result =
            switch method {
            case .key: tryKey(session)
            case .agent: LIBSSH2_ERROR_AUTHENTICATION_FAILED
            case .password: tryPassword(session)
            case .interactive: tryPrompts(session)
            }
        if result == LIBSSH2_ERROR_EAGAIN { return false }
        if result == 0 { return succeed(connection) }
        if session.wire.farewell != nil || session.wire.memory.isExhausted { throw failure(session, result) }
        try note(method, result, session)
        // After a part of what it wants, a server offers something else; what is left of ours is asked for anew.
        guard !untried.isEmpty else { throw refusal }
        phase = .asking
        return true
    }

    private func tryKey(_ session: SSHSession) -> Int32 {
        guard let key = material.key else { return LIBSSH2_ERROR_FILE }
        return key.octets.withUnsafeBytes { octets in
            libssh2_userauth_publickey_frommemory(
                session.pointer, user, user.utf8.count, nil, 0,
                octets.baseAddress?.assumingMemoryBound(to: CChar.self), octets.count, material.passphrase)
        }
    }

    private func tryPassword(_ session: SSHSession) -> Int32 {
        let password = material.password ?? ""
        return libssh2_userauth_password_ex(
            session.pointer, user, UInt32(user.utf8.count), password, UInt32(password.utf8.count), nil)
    }

    private func tryPrompts(_ session: SSHSession) -> Int32 {
        session.wire.password = material.password
        return libssh2_userauth_keyboard_interactive_ex(session.pointer, user, UInt32(user.utf8.count)) {
            _, _, _, _, count, prompts, responses, context in
            SSHWire.answer(prompts, count: count, with: responses, context)
        }
    }

    private func note(_ method: Method, _ code: Int32, _ session: SSHSession) throws(SSHError) {
        switch (method, code) {
        case (.key, LIBSSH2_ERROR_AUTHENTICATION_FAILED), (.key, LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED):
            notes.append("it does not take the key")
        case (.key, _):
            throw SSHError(
                .credentialsUnusable, operation: name, reason: "the key cannot be used: \(session.lastWords)",
                native: .libSSH2(Int(code)))
        case (.password, LIBSSH2_ERROR_PASSWORD_EXPIRED): notes.append("the password has expired")
        case (.password, _): notes.append("it does not take the password")
        case (.agent, _): notes.append("it takes no key of the agent")
        case (.interactive, _): notes.append("its prompts did not take the password")
        }
    }

    private func succeed(_ connection: SSHHandler) -> Bool {
        phase = .over
        connection.session.wire.password = nil
        connection.isLoggedIn = true
        promise.succeed()
        return true
    }

    private var refusal: SSHError {
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
        promise.fail(error)
    }
}
