import Glibc
package import KioskPrintModel
import NIOCore
import NIOPosix

/// The failure of an SSH connection, a command or an upload.
package struct SSHError: Error, Hashable, Sendable {
    package var code: Code
    /// What failed: "connect", "handshake", "log in", "exec", "SFTP write".
    package var operation: String
    /// What happened, with the server's own text if it sent one (hostile until shown escaped); no host, no advice.
    package var reason: String
    /// Octets of the command's input, or of the uploaded file, that the server may have received: never too few.
    package var octetsSent: Int64 = 0
    /// Whether the end of the input may have reached the server: the last octet of the trailer, or of the document if
    /// it has no trailer. False is certain: no program there has read the end, and none will. It may have read an end
    /// of file, though, since an abandoned channel sends one; so an input whose end must be recognised needs a
    /// trailer.
    package var isInputComplete = false
    /// The host key that the server showed and that is not trusted.
    package var hostKey: HostKey?
    /// The methods that the server offers, with `.loginRefused` (RFC 4252 §5.2).
    package var offeredMethods: [String] = []
    package var native: TransportError.NativeCode?

    package enum Code: Hashable, Sendable {
        case hostNotFound
        case connectionRefused
        /// No route, no permission, or no more descriptors.
        case unreachable
        case connectionLost
        case timedOut
        case cancelled
        /// Client and server share no key exchange, host key type, cipher or MAC.
        case noCommonAlgorithm
        /// The peer does not speak SSH, or violates its protocol.
        case protocolViolation
        /// Nobody has accepted the host key yet.
        case hostKeyUnknown
        /// The host is known by other keys, these.
        case hostKeyChanged(from: [Fingerprint])
        case hostKeyRevoked
        /// The known_hosts file cannot be used.
        case unusableTrust
        /// No credentials are saved.
        case loginMissing
        case loginRefused
        /// The saved key, agent or password cannot be used.
        case credentialsUnusable
        /// The server opens no (more) channels, or runs no commands or no SFTP.
        case channelRefused
        /// The peer sent more than the limit.
        case tooMuchOutput
        /// SFTP refused: no such folder, no permission, disk full.
        case uploadRefused
        /// Our own document could not be read.
        case documentUnreadable
    }

    package init(
        _ code: Code, operation: String, reason: String, octetsSent: Int64 = 0, hostKey: HostKey? = nil,
        offeredMethods: [String] = [], native: TransportError.NativeCode? = nil
    ) {
        self.code = code
        self.operation = operation
        self.reason = reason
        self.octetsSent = octetsSent
        self.hostKey = hostKey
        self.offeredMethods = offeredMethods
        self.native = native
    }
}

extension SSHError: CustomStringConvertible {
    package var description: String { "\(operationInWords): \(reason)" }
}

extension SSHError {
    /// Names no operation; whoever knows it adds it by `during`.
    static var cancelled: SSHError { SSHError(.cancelled, operation: "", reason: "cancelled") }

    /// What failed, as the subject of a sentence; never empty.
    package var operationInWords: String { operation.isEmpty ? "the call to the host" : operation }

    /// The same error of another operation, unless it already names one.
    func during(_ operation: String) -> SSHError {
        var error = self
        if error.operation.isEmpty { error.operation = operation }
        return error
    }

    /// Why a connection failed: the reason of the last of all addresses that were tried.
    init(connecting error: any Error) {
        switch error {
        case let error as SSHError: self = error
        case let error as NIOConnectionError:
            if let last = error.connectionErrors.last {
                self.init(connecting: last.error)
            } else {
                self.init(.hostNotFound, operation: "connect", reason: "its name resolves to no address")
            }
        case ChannelError.connectTimeout:
            self.init(.timedOut, operation: "connect", reason: "no response in time")
        case let error as IOError:
            let code: Code =
                switch error.errnoCode {
                case ECONNREFUSED: .connectionRefused
                case ETIMEDOUT: .timedOut
                default: .unreachable
                }
            let reason = strerror(error.errnoCode).map { String(cString: $0) } ?? "errno \(error.errnoCode)"
            self.init(code, operation: "connect", reason: reason, native: .errno(error.errnoCode))
        case is CancellationError: self.init(.cancelled, operation: "connect", reason: "cancelled")
        default: self.init(.unreachable, operation: "connect", reason: "\(error)")
        }
    }
}
