import CKioskLibSSH2
import Glibc
import NIOCore

/// The object behind libssh2's callbacks for one session: its memory, the octets received and to be sent, and the
/// answers that a login needs.
///
/// Sending always takes everything. So no operation of libssh2 is ever half sent, and the next call need not repeat the
/// interrupted one.
final class SessionCallbacks {
    let memory = SSHMemory()
    /// Octets that were received and that libssh2 has not read yet.
    var inbound = ByteBuffer()
    /// Octets that libssh2 has written and that were not sent yet.
    var outbound = ByteBuffer()
    /// The session ends: libssh2 receives nothing more, and what it sends is dropped.
    var isOver = false
    /// The server's message when it closed the connection.
    private(set) var disconnectMessage: DisconnectMessage?
    /// The answer to the prompts of keyboard-interactive.
    var password: String?
    var prompt = PasswordPrompt()
    /// Makes the signature for a login with an agent's key.
    var sign: ((UnsafeRawBufferPointer) -> Signature)?

    struct DisconnectMessage {
        /// SSH_DISCONNECT_… (RFC 4253 §11.1).
        var code: Int
        var text: String
    }

    enum Signature {
        /// It is being made; libssh2 asks again.
        case pending
        case made([UInt8])
        case refused
    }

    /// Octets of a disconnect message that are kept.
    private static let maximumDisconnectText = 512

    fileprivate func receive(into space: UnsafeMutableRawBufferPointer) -> Int {
        guard !isOver else { return -Int(ECONNRESET) }
        let count = min(space.count, inbound.readableBytes)
        guard count > 0 else { return -Int(EAGAIN) }
        inbound.readWithUnsafeReadableBytes { octets in
            space.copyMemory(from: UnsafeRawBufferPointer(rebasing: octets[..<count]))
            return count
        }
        if inbound.readableBytes == 0 { inbound.clear() }
        return count
    }

    fileprivate func send(_ octets: UnsafeRawBufferPointer) {
        if !isOver { outbound.writeBytes(octets) }
    }

    fileprivate func noteDisconnect(_ code: Int32, _ text: UnsafeRawBufferPointer) {
        let text = String(decoding: text.prefix(Self.maximumDisconnectText), as: UTF8.self)
        disconnectMessage = DisconnectMessage(code: Int(code), text: text)
    }

    // MARK: - Callbacks

    /// What a callback gets: a pointer to the pointer that the session was made with.
    typealias Context = UnsafeMutablePointer<UnsafeMutableRawPointer?>?

    static func attached(to context: Context) -> SessionCallbacks? {
        guard let context, let this = context.pointee else { return nil }
        return Unmanaged<SessionCallbacks>.fromOpaque(this).takeUnretainedValue()
    }

    /// Makes a session whose callbacks find this object, which must outlive it.
    func makeSession() -> OpaquePointer? {
        let session = libssh2_session_init_ex(
            { count, context in SessionCallbacks.attached(to: context)?.memory.allocate(count) },
            { pointer, context in SessionCallbacks.attached(to: context)?.memory.release(pointer) },
            { pointer, count, context in SessionCallbacks.attached(to: context)?.memory.reallocate(pointer, count) },
            Unmanaged.passUnretained(self).toOpaque())
        guard let session else { return nil }
        let receive: @convention(c) (Int32, UnsafeMutableRawPointer?, Int, Int32, Context) -> Int = {
            _, space, count, _, context in
            guard let callbacks = SessionCallbacks.attached(to: context) else { return -Int(ECONNRESET) }
            return callbacks.receive(into: UnsafeMutableRawBufferPointer(start: space, count: space == nil ? 0 : count))
        }
        let send: @convention(c) (Int32, UnsafeRawPointer?, Int, Int32, Context) -> Int = {
            _, octets, count, _, context in
            let octets = UnsafeRawBufferPointer(start: octets, count: octets == nil ? 0 : count)
            SessionCallbacks.attached(to: context)?.send(octets)
            return count
        }
        let disconnect:
            @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>?, Int32, UnsafePointer<CChar>?, Int32, Context)
                -> Void = {
                    _, code, text, count, _, _, context in
                    let octets = UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(max(0, count)))
                    SessionCallbacks.attached(to: context)?.noteDisconnect(code, octets)
                }
        libssh2_session_callback_set(
            session, LIBSSH2_CALLBACK_RECV, unsafeBitCast(receive, to: UnsafeMutableRawPointer.self))
        libssh2_session_callback_set(
            session, LIBSSH2_CALLBACK_SEND, unsafeBitCast(send, to: UnsafeMutableRawPointer.self))
        libssh2_session_callback_set(
            session, LIBSSH2_CALLBACK_DISCONNECT, unsafeBitCast(disconnect, to: UnsafeMutableRawPointer.self))
        libssh2_session_set_blocking(session, 0)
        return session
    }
}
