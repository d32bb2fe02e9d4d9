/// The reason why a transport operation failed.
public struct TransportError: Error, Hashable, Sendable {
    /// The kind of failure.
    public var code: Code
    /// The operation, in the protocol's own terms: "Print-Job", "connect", "libusb_submit_transfer".
    public var operation: String
    /// What happened, to which printer, and what to do next; one or two sentences for people.
    public var message: String
    /// The maximum number of document bytes that the other side may have accepted. Only zero proves that a retry cannot
    /// print twice.
    public var bytesAccepted: Int64
    /// The error code of the layer below, where it has one.
    public var underlying: NativeCode?
    /// The job, where the printer had already given it an identifier when the error occurred.
    public var remoteJob: RemoteJob?
    /// The identity that was presented and not trusted.
    public var identity: ShownIdentity?
    /// With `outcomeUnknown`: whether the other side cannot tell what becomes of jobs at all, so that asking it about
    /// another attempt would be as vain.
    public var isUnanswerable = false
    /// With `printerBusy`: how long the other side asks to be left alone (`Retry-After`, RFC 9110 §10.2.3); nil where
    /// it does not say.
    public var retryAfter: Duration?

    /// Creates an error.
    public init(
        _ code: Code, operation: String, message: String, bytesAccepted: Int64 = 0,
        underlying: NativeCode? = nil, remoteJob: RemoteJob? = nil, identity: ShownIdentity? = nil
    ) {
        self.code = code
        self.operation = operation
        self.message = message
        self.bytesAccepted = bytesAccepted
        self.underlying = underlying
        self.remoteJob = remoteJob
        self.identity = identity
    }

    /// Explains why a document could not be rendered to its end.
    package init(_ failure: DocumentStreamFailure, bytesAccepted: Int64 = 0) {
        self.init(
            .documentUnreadable, operation: "render", message: failure.problem.description, bytesAccepted: bytesAccepted
        )
    }

    /// The error code of the layer below.
    public enum NativeCode: Hashable, Sendable {
        /// A system call's errno(3).
        case errno(Int32)
        /// An IPP status code (RFC 8011 appendix B).
        case ippStatus(Int)
        /// An HTTP status code (RFC 9110 §15).
        case httpStatus(Int)
        /// X509_V_ERR_… of OpenSSL's x509_vfy.h.
        case certificateVerification(Int)
        /// ERR_get_error's packed code.
        case openSSL(UInt)
        /// LIBSSH2_ERROR_… of libssh2.h.
        case libSSH2(Int)
        /// SSH_FX_… (draft-ietf-secsh-filexfer-02 §7).
        case sftpStatus(UInt)
        /// LIBUSB_ERROR_… of libusb.h.
        case libUSB(Int)
        /// The exit status of a command on a remote host.
        case exitStatus(Int)
        /// The signal that ended a command on a remote host, without SIG.
        case exitSignal(String)
    }
}

extension TransportError {
    /// The kind of failure. More may be added; compare with the constants.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, Hashable {
            case hostNotFound = "host-not-found"
            case connectionRefused = "connection-refused"
            case connectionLost = "connection-lost"
            case timedOut = "timed-out"
            case cancelled
            case authenticationRequired = "authentication-required"
            case loginRefused = "login-refused"
            case accessDenied = "access-denied"
            case credentialsUnusable = "credentials-unusable"
            case certificateUntrusted = "certificate-untrusted"
            case certificateChanged = "certificate-changed"
            case certificateNotAccepted = "certificate-not-accepted"
            case tlsRequired = "tls-required"
            case tlsFailed = "tls-failed"
            case hostKeyUnknown = "host-key-unknown"
            case hostKeyChanged = "host-key-changed"
            case hostKeyRevoked = "host-key-revoked"
            case identityChanged = "identity-changed"
            case noCommonAlgorithm = "no-common-algorithm"
            case programMissing = "program-missing"
            case printerNotFound = "printer-not-found"
            case printerBusy = "printer-busy"
            case printerNotAccepting = "printer-not-accepting"
            case jobRefused = "job-refused"
            case formatRefused = "format-refused"
            case outcomeUnknown = "outcome-unknown"
            case protocolViolation = "protocol-violation"
            case printerFailed = "printer-failed"
            case documentUnreadable = "document-unreadable"
            case notSupported = "not-supported"
        }
        private let value: Value
        private init(_ value: Value) { self.value = value }

        /// The code in kebab case: `connection-refused`.
        public var description: String { value.rawValue }

        /// The host name has no address.
        public static let hostNotFound = Code(.hostNotFound)
        /// The host is there, and nothing listens at the port.
        public static let connectionRefused = Code(.connectionRefused)
        /// Includes a connection that closed before the response was complete.
        public static let connectionLost = Code(.connectionLost)
        /// The other side did not respond in time.
        public static let timedOut = Code(.timedOut)
        /// The call was cancelled.
        public static let cancelled = Code(.cancelled)
        /// The printer requires a login, and none is saved or none may be sent.
        public static let authenticationRequired = Code(.authenticationRequired)
        /// The login that was sent is wrong.
        public static let loginRefused = Code(.loginRefused)
        /// The login is correct, but the printer does not authorise it (HTTP 403, IPP not-authorized).
        public static let accessDenied = Code(.accessDenied)
        /// The saved credentials cannot be read: no such name, a file that others can read, a wrong passphrase.
        public static let credentialsUnusable = Code(.credentialsUnusable)
        /// Its certificate is not valid: unknown issuer, wrong host, expired. Nothing was sent.
        public static let certificateUntrusted = Code(.certificateUntrusted)
        /// Its public key is not the one that is pinned. Nothing was sent.
        public static let certificateChanged = Code(.certificateChanged)
        /// Nobody has accepted its certificate yet. Nothing was sent.
        public static let certificateNotAccepted = Code(.certificateNotAccepted)
        /// The printer requires TLS.
        public static let tlsRequired = Code(.tlsRequired)
        /// The handshake failed for another reason than trust, or the other side does not speak TLS.
        public static let tlsFailed = Code(.tlsFailed)
        /// Nobody has accepted its SSH host key yet. Nothing was sent.
        public static let hostKeyUnknown = Code(.hostKeyUnknown)
        /// Its SSH host key is not the known one. Nothing was sent.
        public static let hostKeyChanged = Code(.hostKeyChanged)
        /// Its SSH host key is marked as revoked. Nothing was sent.
        public static let hostKeyRevoked = Code(.hostKeyRevoked)
        /// Another device stands at its address: its serial number or hardware address is not the known one. Nothing was
        /// sent.
        public static let identityChanged = Code(.identityChanged)
        /// We and the SSH server have no algorithm in common.
        public static let noCommonAlgorithm = Code(.noCommonAlgorithm)
        /// The host lacks a program that printing through it needs.
        public static let programMissing = Code(.programMissing)
        /// The host exists, but the printer or queue on it does not.
        public static let printerNotFound = Code(.printerNotFound)
        /// The printer accepts no job at the moment; try again soon. This is not a failure.
        public static let printerBusy = Code(.printerBusy)
        /// The printer is set to accept no jobs (`printer-is-accepting-jobs` false).
        public static let printerNotAccepting = Code(.printerNotAccepting)
        /// The printer does not accept this job, now or later.
        public static let jobRefused = Code(.jobRefused)
        /// The printer does not accept this document format.
        public static let formatRefused = Code(.formatRefused)
        /// The printer no longer knows the job or its outcome.
        public static let outcomeUnknown = Code(.outcomeUnknown)
        /// The response violates the protocol.
        public static let protocolViolation = Code(.protocolViolation)
        /// The printer reported an internal error.
        public static let printerFailed = Code(.printerFailed)
        /// The stored document could not be read.
        public static let documentUnreadable = Code(.documentUnreadable)
        /// The transport does not support the operation for this printer.
        public static let notSupported = Code(.notSupported)
    }
}

extension TransportError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
