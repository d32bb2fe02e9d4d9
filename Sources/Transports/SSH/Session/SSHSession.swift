import CKioskLibSSH2
import Glibc
import KioskPrintModel
import NIOCore

/// A session of libssh2 over memory buffers: every call goes on as far as the received octets allow, and never blocks.
/// Used by one thread at a time.
final class SSHSession {
    let pointer: OpaquePointer
    let callbacks: SessionCallbacks
    private let descriptor: Int32

    /// `preferred`: the host key types to request first.
    init(preferred: [String]) throws(SSHError) {
        let callbacks = SessionCallbacks()
        guard SSHLibrary.initialised == 0, let pointer = callbacks.makeSession() else {
            throw SSHError(.protocolViolation, operation: "handshake", reason: "libssh2 could not be started")
        }
        descriptor = clibssh2_descriptor()
        guard descriptor >= 0 else {
            let code = errno
            withExtendedLifetime(callbacks) { _ = libssh2_session_free(pointer) }
            throw SSHError(
                .unreachable, operation: "handshake", reason: "no more file descriptors", native: .errno(code))
        }
        self.callbacks = callbacks
        self.pointer = pointer
        // In seconds; libssh2 turns 1 into 2. `KeepAlive` decides when one is due.
        libssh2_keepalive_config(pointer, 1, 1)
        let order = HostKeyAlgorithms.signatures(of: preferred, supported: supported(LIBSSH2_METHOD_HOSTKEY))
        libssh2_session_method_pref(pointer, LIBSSH2_METHOD_HOSTKEY, order.joined(separator: ","))
    }

    deinit {
        callbacks.isOver = true
        // It returns "again" only when it waits for the peer, and there is none any more.
        libssh2_session_free(pointer)
        close(descriptor)
    }

    /// Goes on with the key exchange. Returns true when it is done.
    func handshake() throws(SSHError) -> Bool {
        let result = libssh2_session_handshake(pointer, descriptor)
        if result == LIBSSH2_ERROR_EAGAIN { return false }
        if result == 0 { return true }
        if result == LIBSSH2_ERROR_KEX_FAILURE { throw noCommonAlgorithm }
        throw failure("handshake", result)
    }

    /// The server's public key in its wire format; available after the handshake.
    var hostKey: [UInt8]? {
        var (count, type): (Int, Int32) = (0, 0)
        guard let octets = libssh2_session_hostkey(pointer, &count, &type) else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: octets, count: count))
    }

    /// Asks the server for a sign of life.
    func sendKeepAlive() {
        var seconds: Int32 = 0
        libssh2_keepalive_send(pointer, &seconds)
    }

    /// libssh2's message for the last failure.
    var lastErrorMessage: String {
        var (text, count): (UnsafeMutablePointer<CChar>?, Int32) = (nil, 0)
        libssh2_session_last_error(pointer, &text, &count, 0)
        guard let text, count > 0 else { return "libssh2 gives no reason" }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }

    var lastErrorCode: Int32 { libssh2_session_last_errno(pointer) }

    /// The error that ended the whole session, from the code of a call that failed.
    func failure(_ operation: String, _ code: Int32) -> SSHError {
        if callbacks.memory.isExhausted {
            return SSHError(.tooMuchOutput, operation: operation, reason: "it sends more than was requested")
        }
        let native = TransportError.NativeCode.libSSH2(Int(code))
        if let message = callbacks.disconnectMessage {
            return SSHError(
                .connectionLost, operation: operation,
                reason: "the server closed the connection: \"\(message.text)\"", native: native)
        }
        return SSHError(
            .protocolViolation, operation: operation, reason: "it sends invalid SSH: \(lastErrorMessage)",
            native: native)
    }

    /// Whether a code means that the session itself is broken, not only the request.
    static func isFatal(_ code: Int32) -> Bool {
        switch code {
        case LIBSSH2_ERROR_SOCKET_NONE, LIBSSH2_ERROR_INVALID_MAC, LIBSSH2_ERROR_KEX_FAILURE, LIBSSH2_ERROR_ALLOC,
            LIBSSH2_ERROR_SOCKET_SEND, LIBSSH2_ERROR_KEY_EXCHANGE_FAILURE, LIBSSH2_ERROR_TIMEOUT,
            LIBSSH2_ERROR_HOSTKEY_INIT,
            LIBSSH2_ERROR_HOSTKEY_SIGN, LIBSSH2_ERROR_DECRYPT, LIBSSH2_ERROR_SOCKET_DISCONNECT, LIBSSH2_ERROR_PROTO,
            LIBSSH2_ERROR_METHOD_NONE, LIBSSH2_ERROR_ZLIB, LIBSSH2_ERROR_INVAL, LIBSSH2_ERROR_BAD_USE,
            LIBSSH2_ERROR_OUT_OF_BOUNDARY, LIBSSH2_ERROR_SOCKET_RECV, LIBSSH2_ERROR_ENCRYPT, LIBSSH2_ERROR_BAD_SOCKET,
            LIBSSH2_ERROR_RANDGEN:
            true
        default: false
        }
    }

    private var noCommonAlgorithm: SSHError {
        // In the order in which libssh2 negotiates them: the first that is missing is the one that failed.
        let kinds = [
            (LIBSSH2_METHOD_KEX, "key exchange or host key"), (LIBSSH2_METHOD_CRYPT_CS, "cipher"),
            (LIBSSH2_METHOD_CRYPT_SC, "cipher"), (LIBSSH2_METHOD_MAC_CS, "MAC"), (LIBSSH2_METHOD_MAC_SC, "MAC"),
        ]
        let missing = kinds.first { libssh2_session_methods(pointer, $0.0) == nil } ?? kinds[0]
        var offered = supported(missing.0).joined(separator: ", ")
        // These two are negotiated together.
        if missing.0 == LIBSSH2_METHOD_KEX {
            offered += " and " + supported(LIBSSH2_METHOD_HOSTKEY).joined(separator: ", ")
        }
        return SSHError(
            .noCommonAlgorithm, operation: "handshake",
            reason: "it has no \(missing.1) algorithm in common with libssh2 \(version), whose are \(offered)",
            native: .libSSH2(Int(LIBSSH2_ERROR_KEX_FAILURE)))
    }

    private var version: String { libssh2_version(0).map { String(cString: $0) } ?? "" }

    private func supported(_ kind: Int32) -> [String] {
        var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        let count = libssh2_session_supported_algs(pointer, kind, &names)
        guard count > 0, let names else { return [] }
        defer { libssh2_free(pointer, names) }
        return (0..<Int(count)).compactMap { names[$0].map { String(cString: $0) } }
    }
}

extension SSHError {
    /// Whether it ends the session.
    var isFatal: Bool {
        if case .libSSH2(let code)? = native { SSHSession.isFatal(Int32(clamping: code)) } else { false }
    }
}

/// The libssh2 library: initialised at its first use, and never released.
enum SSHLibrary {
    /// The result of `libssh2_init`; 0 is success.
    static let initialised: Int32 = libssh2_init(0)

    /// A channel's exit status before one arrives: not an exit status of POSIX, which has 8 bits.
    static let noExitStatus = Int32.min + 0x5A5A
}
