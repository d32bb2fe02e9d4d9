import CLibSSH2
import NIOCore
import PrintModel

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
    /// Whether the list of what the server offers is as old as the last attempt.
    private var isListOld = false
    private var report = LoginReport()
    var agent: AgentLogin?

    init(user: String, material: LoginMaterial, eventLoop: any EventLoop, promise: EventLoopPromise<Void>) {
        self.user = user
        self.material = material
        self.eventLoop = eventLoop
        self.promise = promise
        report.unusable = material.keyFailure
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
        // RFC 4251 §6: a name has 64 octets at most.
        report.offered = String(cString: list).split(separator: ",").filter { $0.utf8.count <= 64 }.prefix(16).map(
            String.init)
        isListOld = false
        // The list stays libssh2's.
        return try tryNext()
    }

    /// The next of ours that the server offers. After a part of what it wants, it offers something else: but it is
    /// asked anew only where nothing of ours is left that it offered before, since some servers count the question as
    /// an attempt.
    private func tryNext() throws(SSHError) -> Bool {
        if let next = untried.first(where: { report.offered.contains($0.offer) }) {
            untried.removeAll { $0 == next }
            phase = .trying(next)
        } else if isListOld, !untried.isEmpty {
            phase = .asking
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
                report.noteUnusable(error)
                return try tryNext()
            }
        case .password: result = tryPassword(session)
        case .interactive: result = tryPrompts(session)
        }
        if result == LIBSSH2_ERROR_EAGAIN { return false }
        if result == 0 { return succeed(connection) }
        if session.wire.farewell != nil || session.wire.memory.isExhausted { throw failure(session, result) }
        report.note(
            method, result, words: session.lastWords, key: material.key, isAgentAllRSA: agent?.isAllRSA ?? false)
        session.wire.memory.isReadingPrompts = false
        isListOld = true
        // A server that wants more after the password asks for something else, and one that refused it refuses it
        // again.
        if method == .password { untried.removeAll { $0 == .interactive } }
        return try tryNext()
    }

    private func succeed(_ connection: SSHHandler) -> Bool {
        phase = .over
        agent?.close()
        connection.session.wire.password = nil
        connection.session.wire.sign = nil
        connection.session.wire.memory.isReadingPrompts = false
        connection.session.wire.memory.isLoggedIn = true
        connection.isLoggedIn = true
        promise.succeed()
        return true
    }

    private func failure(_ session: SSHSession, _ code: Int32) -> SSHError {
        guard let farewell = session.wire.farewell, !report.notes.isEmpty else { return session.failure(name, code) }
        // Servers that count attempts hang up with a word of farewell.
        var error = report.refusal
        error.reason += "; it said \"\(farewell.text)\""
        return error
    }

    func connectionEnded(_ error: SSHError) {
        phase = .over
        agent?.close()
        promise.fail(error)
    }
}
