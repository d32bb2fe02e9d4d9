import CLibSSH2
import Glibc

extension SSHWire {
    /// Answers a round of keyboard-interactive's prompts: the password where `PasswordPrompt` takes it, nothing
    /// elsewhere.
    static func answer(
        _ prompts: UnsafePointer<LIBSSH2_USERAUTH_KBDINT_PROMPT>?, count: Int32,
        with responses: UnsafeMutablePointer<LIBSSH2_USERAUTH_KBDINT_RESPONSE>?, _ context: Context
    ) {
        guard let wire = attached(to: context), let prompts, let responses, let password = wire.password,
            wire.prompt.takes((0..<Int(max(0, count))).map { prompts[$0].echo != 0 })
        else { return }
        let octets = Array(password.utf8)
        // libssh2 gives it back.
        guard let text = wire.memory.allocate(octets.count + 1) else { return }
        text.copyMemory(from: octets, byteCount: octets.count)
        responses[0].text = text.assumingMemoryBound(to: CChar.self)
        responses[0].length = UInt32(octets.count)
    }
}
