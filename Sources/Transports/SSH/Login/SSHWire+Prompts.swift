internal import CLibSSH2
internal import Glibc

extension SSHWire {
    /// Answers keyboard-interactive's prompts (RFC 4256 §3.2): the password where it would not be shown, nothing elsewhere.
    static func answer(
        _ prompts: UnsafePointer<LIBSSH2_USERAUTH_KBDINT_PROMPT>?, count: Int32,
        with responses: UnsafeMutablePointer<LIBSSH2_USERAUTH_KBDINT_RESPONSE>?, _ context: Context
    ) {
        guard let wire = attached(to: context), let prompts, let responses, let password = wire.password else { return }
        for index in 0..<Int(max(0, count)) where prompts[index].echo == 0 {
            let octets = Array(password.utf8)
            // libssh2 gives it back.
            guard let text = wire.memory.allocate(octets.count + 1) else { return }
            text.copyMemory(from: octets, byteCount: octets.count)
            responses[index].text = text.assumingMemoryBound(to: CChar.self)
            responses[index].length = UInt32(octets.count)
        }
    }
}
