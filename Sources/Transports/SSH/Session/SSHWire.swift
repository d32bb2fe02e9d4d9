import CLibSSH2
import Glibc
import NIOCore

/// The two ends of a connection as libssh2 sees them, in memory: what came and was not looked at yet, and what is to go
/// out.
///
/// Sending takes everything always: so no operation of libssh2 is ever half sent, and whichever is called next need not
/// be the one that was interrupted. libssh2's callbacks get this object.
final class SSHWire {
    let memory = SSHMemory()
    var inbound = ByteBuffer()
    var outbound = ByteBuffer()
    /// The session is being given back: nothing comes any more, and what goes out is dropped.
    var isOver = false
    /// Why the server hung up, in its words.
    private(set) var farewell: Farewell?
    /// Answers the prompts of keyboard-interactive.
    var password: String?
    var prompt = PasswordPrompt()
    /// Makes the signature that logs in; nil while it is being made.
    var sign: ((UnsafeRawBufferPointer) -> Signature)?

    struct Farewell {
        /// SSH_DISCONNECT_… (RFC 4253 §11.1).
        var code: Int
        var text: String
    }

    enum Signature {
        case underWay
        case made([UInt8])
        case refused
    }

    /// Octets of a farewell that are kept.
    private static let longestFarewell = 512

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

    fileprivate func noteFarewell(_ code: Int32, _ text: UnsafeRawBufferPointer) {
        farewell = Farewell(code: Int(code), text: String(decoding: text.prefix(Self.longestFarewell), as: UTF8.self))
    }
}

// The callbacks. The pointer that they get points to the one that the session was made with.
extension SSHWire {
    typealias Context = UnsafeMutablePointer<UnsafeMutableRawPointer?>?

    static func attached(to context: Context) -> SSHWire? {
        guard let context, let this = context.pointee else { return nil }
        return Unmanaged<SSHWire>.fromOpaque(this).takeUnretainedValue()
    }

    /// A session whose callbacks find this object, which must outlive it.
    func makeSession() -> OpaquePointer? {
        let session = libssh2_session_init_ex(
            { count, context in SSHWire.attached(to: context)?.memory.allocate(count) },
            { pointer, context in SSHWire.attached(to: context)?.memory.release(pointer) },
            { pointer, count, context in SSHWire.attached(to: context)?.memory.reallocate(pointer, count) },
            Unmanaged.passUnretained(self).toOpaque())
        guard let session else { return nil }
        let receive: @convention(c) (Int32, UnsafeMutableRawPointer?, Int, Int32, Context) -> Int = {
            _, space, count, _, context in
            guard let wire = SSHWire.attached(to: context) else { return -Int(ECONNRESET) }
            return wire.receive(into: UnsafeMutableRawBufferPointer(start: space, count: space == nil ? 0 : count))
        }
        let send: @convention(c) (Int32, UnsafeRawPointer?, Int, Int32, Context) -> Int = {
            _, octets, count, _, context in
            SSHWire.attached(to: context)?.send(UnsafeRawBufferPointer(start: octets, count: octets == nil ? 0 : count))
            return count
        }
        let disconnect:
            @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>?, Int32, UnsafePointer<CChar>?, Int32, Context)
                -> Void = {
                    _, code, text, count, _, _, context in
                    let octets = UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(max(0, count)))
                    SSHWire.attached(to: context)?.noteFarewell(code, octets)
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
