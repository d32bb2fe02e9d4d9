import CKioskLibSSH2
import Glibc
import KioskPrintModel
import NIOCore

/// A login: queries the methods that the server offers, and tries those that we have credentials for until one
/// succeeds.
final class LoginOperation: SSHOperation {
    enum Method: String, CaseIterable {
        case key, agent, password, interactive

        /// Its name in the protocol (RFC 4252, RFC 4256).
        var protocolName: String {
            switch self {
            case .key, .agent: "publickey"
            case .password: "password"
            case .interactive: "keyboard-interactive"
            }
        }

        /// What proves who we are, for a trace.
        var proof: String {
            switch self {
            case .key: "a key"
            case .agent: "a key of the ssh-agent"
            case .password: "a password"
            case .interactive: "a password at a prompt"
            }
        }
    }

    private enum Phase {
        case querying
        case trying(Method)
        case over
    }

    let name = "log in"
    private let user: String
    private let login: LoadedLogin
    private let promise: EventLoopPromise<Void>
    private let eventLoop: any EventLoop
    private let trace: ConnectionTrace
    private var phase = Phase.querying
    private var untried: [Method]
    /// Whether the list of offered methods is older than the last attempt.
    private var isListOld = false
    private var report = LoginReport()
    private var agent: AgentLogin?

    init(
        user: String, login: LoadedLogin, eventLoop: any EventLoop, promise: EventLoopPromise<Void>,
        trace: ConnectionTrace
    ) {
        self.trace = trace
        self.user = user
        self.login = login
        self.eventLoop = eventLoop
        self.promise = promise
        report.unusable = login.keyFailure
        untried = Method.allCases.filter { method in
            switch method {
            case .key: login.key != nil
            case .agent: login.agentSocket != nil
            case .password, .interactive: login.password != nil
            }
        }
    }

    var isOver: Bool { if case .over = phase { true } else { false } }

    func step(on connection: SSHHandler) throws(SSHError) -> Bool {
        switch phase {
        case .querying: return try queryMethods(connection)
        case .trying(let method): return try attempt(method, connection)
        case .over: return false
        }
    }

    private func queryMethods(_ connection: SSHHandler) throws(SSHError) -> Bool {
        let session = connection.session
        guard let list = libssh2_userauth_list(session.pointer, user, UInt32(user.utf8.count)) else {
            if libssh2_userauth_authenticated(session.pointer) == 1 { return succeed(connection) }
            if session.lastErrorCode == LIBSSH2_ERROR_EAGAIN { return false }
            throw failure(session, session.lastErrorCode)
        }
        // RFC 4251 §6: a name has 64 octets at most.
        report.offered = String(cString: list).split(separator: ",").filter { $0.utf8.count <= 64 }.prefix(16).map(
            String.init)
        isListOld = false
        trace.tell("the server offers \(report.offered.joined(separator: ", "))")
        // The list stays libssh2's.
        return try tryNext()
    }

    /// Tries the next of our methods that the server offers. A server that wants a second method offers another list
    /// after the first. The list is queried again only when none of our methods is left in the old one, since some
    /// servers count the query as an attempt.
    private func tryNext() throws(SSHError) -> Bool {
        if let next = untried.first(where: { report.offered.contains($0.protocolName) }) {
            untried.removeAll { $0 == next }
            phase = .trying(next)
            trace.tell("log in as \(ConnectionTrace.bounded(user)) with \(next.proof)")
        } else if isListOld, !untried.isEmpty {
            phase = .querying
        } else {
            throw report.refusal
        }
        return true
    }

    private func attempt(_ method: Method, _ connection: SSHHandler) throws(SSHError) -> Bool {
        let session = connection.session
        let result: Int32
        switch method {
        case .key: result = tryKey(session)
        case .agent:
            do throws(SSHError) { result = try tryAgent(connection) } catch {
                trace.tell(ConnectionTrace.bounded(error.reason))
                report.noteUnusable(error)
                return try tryNext()
            }
        case .password: result = tryPassword(session)
        case .interactive: result = tryPrompts(session)
        }
        if result == LIBSSH2_ERROR_EAGAIN { return false }
        if result == 0 { return succeed(connection) }
        if session.callbacks.disconnectMessage != nil || session.callbacks.memory.isExhausted {
            throw failure(session, result)
        }
        report.note(
            method, result, message: session.lastErrorMessage, key: login.key, isAgentAllRSA: agent?.isAllRSA ?? false)
        trace.tell("the server does not accept \(method.proof)")
        session.callbacks.memory.isReadingPrompts = false
        isListOld = true
        // A server that wants more after the password asks for something else, and one that refused it refuses it
        // again.
        if method == .password { untried.removeAll { $0 == .interactive } }
        return try tryNext()
    }

    private func succeed(_ connection: SSHHandler) -> Bool {
        phase = .over
        trace.tell("logged in as \(ConnectionTrace.bounded(user))")
        agent?.close()
        connection.session.callbacks.password = nil
        connection.session.callbacks.sign = nil
        connection.session.callbacks.memory.isReadingPrompts = false
        connection.session.callbacks.memory.isLoggedIn = true
        connection.isLoggedIn = true
        promise.succeed()
        return true
    }

    private func failure(_ session: SSHSession, _ code: Int32) -> SSHError {
        guard let message = session.callbacks.disconnectMessage, !report.notes.isEmpty else {
            return session.failure(name, code)
        }
        // Servers that count attempts send a message when they disconnect.
        var error = report.refusal
        error.reason += "; it said \"\(message.text)\""
        return error
    }

    func connectionEnded(_ error: SSHError) {
        phase = .over
        agent?.close()
        promise.fail(error)
    }

    // MARK: - One attempt each; libssh2's code: 0, "again", or the failure

    /// An encrypted key in OpenSSH's format is decrypted on the event loop, twice: bcrypt takes 0.1 s each with
    /// `ssh-keygen`'s rounds, and only libssh2 reads that format. So connections belong on event loops that nothing
    /// else waits for.
    private func tryKey(_ session: SSHSession) -> Int32 {
        guard let key = login.key else { return LIBSSH2_ERROR_FILE }
        // libssh2 1.10 gets the length, and yet looks for a NUL behind the key when it signs (userauth.c).
        let text = key.octets + [0]
        return text.withUnsafeBytes { octets in
            libssh2_userauth_publickey_frommemory(
                session.pointer, user, user.utf8.count, nil, 0,
                octets.baseAddress?.assumingMemoryBound(to: CChar.self), key.octets.count, login.passphrase)
        }
    }

    private func tryAgent(_ connection: SSHHandler) throws(SSHError) -> Int32 {
        guard let socket = login.agentSocket else { return LIBSSH2_ERROR_AUTHENTICATION_FAILED }
        let agent = self.agent ?? AgentLogin(user: user, socket: socket, connection: connection, eventLoop: eventLoop)
        self.agent = agent
        return try agent.step(connection.session)
    }

    private func tryPassword(_ session: SSHSession) -> Int32 {
        let password = login.password ?? ""
        return libssh2_userauth_password_ex(
            session.pointer, user, UInt32(user.utf8.count), password, UInt32(password.utf8.count), nil)
    }

    private func tryPrompts(_ session: SSHSession) -> Int32 {
        session.callbacks.password = login.password
        session.callbacks.memory.isReadingPrompts = true
        return libssh2_userauth_keyboard_interactive_ex(session.pointer, user, UInt32(user.utf8.count)) {
            _, _, _, _, count, prompts, responses, context in
            SessionCallbacks.respond(to: prompts, count: count, with: responses, context)
        }
    }
}

/// The choice of the keyboard-interactive prompt that gets the password: the first that comes alone and does not echo.
/// All others may ask for something else, a one-time code or a new password, and get nothing.
struct PasswordPrompt {
    private var hasResponded = false

    /// Whether the password answers a round of prompts. `echoes`: whether each prompt's answer may be shown as it is
    /// typed (RFC 4256 §3.2).
    mutating func accepts(_ echoes: [Bool]) -> Bool {
        guard !hasResponded, !echoes.isEmpty else { return false }
        hasResponded = true
        return echoes == [false]
    }
}

extension SessionCallbacks {
    /// Answers a round of keyboard-interactive prompts: with the password where `PasswordPrompt` accepts them, with
    /// nothing otherwise.
    fileprivate static func respond(
        to prompts: UnsafePointer<LIBSSH2_USERAUTH_KBDINT_PROMPT>?, count: Int32,
        with responses: UnsafeMutablePointer<LIBSSH2_USERAUTH_KBDINT_RESPONSE>?, _ context: Context
    ) {
        guard let callbacks = attached(to: context), let prompts, let responses, let password = callbacks.password,
            callbacks.prompt.accepts((0..<Int(max(0, count))).map { prompts[$0].echo != 0 })
        else { return }
        let octets = Array(password.utf8)
        // libssh2 frees it.
        guard let text = callbacks.memory.allocate(octets.count + 1) else { return }
        text.copyMemory(from: octets, byteCount: octets.count)
        responses[0].text = text.assumingMemoryBound(to: CChar.self)
        responses[0].length = UInt32(octets.count)
    }
}
