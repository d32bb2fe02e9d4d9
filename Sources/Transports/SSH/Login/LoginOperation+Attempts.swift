import CLibSSH2
import NIOCore

// One attempt each; libssh2's code: 0, "again", or why not.
extension LoginOperation {
    /// An encrypted key in OpenSSH's form is opened on the event loop, twice: bcrypt takes 0.1 s each with
    /// `ssh-keygen`'s rounds, and libssh2 alone reads that form. So connections belong on event loops that nothing else
    /// waits for.
    func tryKey(_ session: SSHSession) -> Int32 {
        guard let key = material.key else { return LIBSSH2_ERROR_FILE }
        // It is told the length, and to sign it looks for a NUL behind the key all the same (libssh2 1.10, userauth.c).
        let text = key.octets + [0]
        return text.withUnsafeBytes { octets in
            libssh2_userauth_publickey_frommemory(
                session.pointer, user, user.utf8.count, nil, 0,
                octets.baseAddress?.assumingMemoryBound(to: CChar.self), key.octets.count, material.passphrase)
        }
    }

    func tryAgent(_ connection: SSHHandler) throws(SSHError) -> Int32 {
        guard let socket = material.agentSocket else { return LIBSSH2_ERROR_AUTHENTICATION_FAILED }
        let agent = self.agent ?? AgentLogin(user: user, socket: socket, connection: connection, eventLoop: eventLoop)
        self.agent = agent
        return try agent.step(connection.session)
    }

    func tryPassword(_ session: SSHSession) -> Int32 {
        let password = material.password ?? ""
        return libssh2_userauth_password_ex(
            session.pointer, user, UInt32(user.utf8.count), password, UInt32(password.utf8.count), nil)
    }

    func tryPrompts(_ session: SSHSession) -> Int32 {
        session.wire.password = material.password
        session.wire.memory.isReadingPrompts = true
        return libssh2_userauth_keyboard_interactive_ex(session.pointer, user, UInt32(user.utf8.count)) {
            _, _, _, _, count, prompts, responses, context in
            SSHWire.answer(prompts, count: count, with: responses, context)
        }
    }
}
