import DurableFiles
import NIOCore
import NIOHTTP1
import NIOPosix
import PrintModel
import TLS

/// Why an exchange brought no response, and what the printer may have taken before.
struct HTTPFailure: Error, Sendable {
    var cause: Cause
    /// Document bytes that the printer may have taken, at most.
    var documentBytes: Int64 = 0
    /// Proof that the printer cannot have acted on the request: it never got the whole message before the document.
    var nothingTaken = false
    /// A success that came before the whole document was sent, after which the connection broke.
    var earlySuccess: HTTPResponse?

    enum Cause: Error, Sendable, Hashable {
        case hostNotFound(reason: String)
        case connect(errno: Int32)
        /// The dialer opened no connection.
        case dial(TransportError)
        /// The kept connection was closed before anything was written.
        case stale
        /// The printer closed the connection before its response was complete.
        case closedEarly
        /// The socket failed.
        case socket(errno: Int32)
        /// The channel failed with an error that has no errno.
        case channel(String)
        case timedOut(Wait)
        case cancelled
        /// The response is no HTTP, or exceeds a limit.
        case malformed(String)
        /// The response belongs to another request, by its `request-id`.
        case mismatchedResponse(requestID: Int32)
        case document(DocumentFile.Failure)
        case login(LoginFailure)
        /// The saved credentials cannot be read; the text says why and what to do.
        case credentials(String)
        /// `identity`: the name of the credentials whose certificate was shown.
        case tls(TLSError, identity: String? = nil)
        /// TLS was demanded, and the printer answered the upgrade (RFC 2817) with this. `trust`: what demanded TLS,
        /// where it was not the printer.
        case upgradeRefused(UpgradeResponse, trust: Trust? = nil)
    }

    /// The response to an upgrade that failed.
    enum UpgradeResponse: Sendable, Hashable {
        case status(Int)
        case hangsUp
        case malformed(String)
    }

    /// What the exchange was waiting for.
    enum Wait: Sendable, Hashable {
        case connection, handshake, sending, response, total
    }

    /// Whether a request that failed so on a kept connection may go out again on a new one.
    func allowsRepeating(_ request: HTTPRequest) -> Bool {
        switch cause {
        case .stale, .closedEarly, .socket, .mismatchedResponse: nothingTaken || request.isRepeatable
        default: false
        }
    }
}

extension HTTPFailure {
    /// Why no connection could be made: where several addresses were tried, the last one's reason.
    init(connecting error: any Error) {
        self.init(cause: Self.cause(connecting: error), nothingTaken: true)
    }

    private static func cause(connecting error: any Error) -> Cause {
        switch error {
        case let error as NIOConnectionError:
            guard let last = error.connectionErrors.last else {
                return .hostNotFound(reason: "\(error.dnsAError ?? error.dnsAAAAError ?? ChannelError.connectPending)")
            }
            return cause(connecting: last.error)
        case is CancellationError: return .cancelled
        case ChannelError.connectTimeout: return .timedOut(.connection)
        case let error as IOError: return .connect(errno: error.errnoCode)
        case let failure as HTTPFailure: return failure.cause
        case let error as TLSError: return .tls(error)
        case let error as TransportError: return .dial(error)
        case let error as CredentialError: return .credentials(error.message)
        default: return .channel("\(error)")
        }
    }
}

extension HTTPFailure.Cause {
    /// The cause of an error on an open connection.
    init(_ error: any Error) {
        switch error {
        case let error as IOError: self = .socket(errno: error.errnoCode)
        case HTTPParserError.invalidEOFState: self = .closedEarly
        case let error as HTTPParserError: self = .malformed("its response is no HTTP (\(error))")
        case let error as NIOHTTPDecoderError: self = .malformed("its response is no HTTP (\(error))")
        case ChannelError.eof: self = .closedEarly
        case let error as TLSError: self = error.code == .truncated ? .closedEarly : .tls(error)
        default: self = .channel("\(error)")
        }
    }
}
