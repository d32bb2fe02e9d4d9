import KioskDurableFiles
import KioskPrintModel
import KioskTLS
import NIOCore
import NIOHTTP1
import NIOPosix

/// One IPP request as HTTP carries it: a POST of the encoded message, followed by the document.
struct HTTPRequest: Sendable {
    static let method = "POST"

    var path: String
    /// The `Host` field.
    var host: String
    /// The value of `Authorization`.
    var authorization: Secret?
    /// The message's `request-id`, which its response repeats.
    var requestID: Int32?
    /// The encoded IPP message, up to and including end-of-attributes.
    var message: [UInt8]
    var document: DocumentBody?
    /// Whether sending it twice does no harm, so that it may be sent again when its response is lost.
    var isIdempotent: Bool
    var timeouts: Timeouts
    /// Called with the count of document bytes handed over: on the event loop, in order, never after the exchange
    /// ended.
    var onSending: (@Sendable (Int64) -> Void)?
    /// Whether it may carry a login, or be sent again with one where the printer demands that.
    var carriesLogin = true
    /// The value of `Connection`; nil leaves it to the protocol.
    var connection: ConnectionOption?
    /// Whether to ask before the document is sent (`Expect: 100-continue`, RFC 9110 §10.1.1).
    var expectsContinue = false

    enum ConnectionOption: String, Sendable, Hashable {
        /// The connection ends with this exchange.
        case close
        case keepAlive = "keep-alive"
    }

    /// `#17`, for the wire trace.
    var number: String { requestID.map { "#\($0)" } ?? "a request" }

    /// How long one exchange may wait, and how much of a response it takes.
    struct Timeouts: Sendable, Hashable {
        /// The maximum time without a byte moving while the document is being sent.
        var stall: TimeAmount
        /// The maximum time without a byte arriving once all is sent.
        var response: TimeAmount
        /// The maximum time for the whole exchange.
        var total: TimeAmount
        /// The maximum of bytes that a response's body may have.
        var maximumResponseLength: Int
    }
}

/// A complete HTTP response.
struct HTTPResponse: Sendable {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: ByteBuffer
    /// Document bytes that the printer may have accepted, at most.
    var documentBytes: Int64 = 0

    /// Whether the printer says that it did what was asked: by HTTP's status and, in the body's octets 2 and 3, by
    /// IPP's (RFC 8010 §3.1).
    var isSuccess: Bool {
        guard isHTTPSuccess, let code = body.getInteger(at: body.readerIndex + 2, as: UInt16.self) else { return false }
        return code < 0x0100
    }

    /// Whether HTTP's status is one of success, whatever IPP's is.
    var isHTTPSuccess: Bool { (200..<300).contains(status.code) }

    /// The response's `request-id` (RFC 8010 §3.1: octets 4 to 7) where it belongs to another request: a stray response
    /// to an earlier one on the same connection (RFC 8011 §4.1.1). Nil where it fits. Printers that ignore the
    /// `request-id` return 0 or 1 for everything; none of our requests has these numbers, so they never mark a stray
    /// response.
    func mismatchedRequestID(for request: HTTPRequest) -> Int32? {
        guard let own = request.requestID, isHTTPSuccess,
            let major = body.getInteger(at: body.readerIndex, as: UInt8.self), (1...2).contains(major),
            let id = body.getInteger(at: body.readerIndex + 4, as: Int32.self), id != own, id != 0, id != 1
        else { return nil }
        return id
    }

    /// Digest's nonce for the next request (RFC 7616 §3.5).
    var nextNonce: String? {
        guard let field = headers.first(name: "authentication-info") else { return nil }
        // The field is a challenge's list of parameters without a scheme.
        return AuthenticationChallenge.parse(["Digest \(field)"]).first { $0.isWhole }?.parameters["nextnonce"]
    }

    /// The seconds for which the printer keeps an idle connection, where it says so (`Keep-Alive: timeout=15`).
    var keepAliveTimeout: Int? {
        for field in headers["keep-alive"] {
            for parameter in field.split(separator: ",") {
                let parts = parameter.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].drop(while: { $0 == " " }).lowercased() == "timeout" else { continue }
                return Int(parts[1])
            }
        }
        return nil
    }
}

/// Why an exchange brought no response, and what the printer may have accepted before.
struct HTTPFailure: Error, Sendable {
    var cause: Cause
    /// Document bytes that the printer may have accepted, at most.
    var documentBytes: Int64 = 0
    /// Proof that the printer cannot have acted on the request: it never got the whole message before the document.
    var nothingAccepted = false
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
        /// The response is not HTTP, or exceeds a limit.
        case malformed(String)
        /// The response to a request in clear is TLS.
        case speaksTLS
        /// The response belongs to another request, by its `request-id`.
        case mismatchedResponse(requestID: Int32)
        case document(DocumentFile.Failure)
        /// The document could not be rendered to its end.
        case rendering(DocumentStreamFailure)
        case login(LoginFailure)
        /// The saved credentials cannot be read; the text says why and what to do.
        case credentials(String)
        /// `identity`: the name of the credentials whose certificate was shown.
        case tls(TLSError, identity: String? = nil)
        /// TLS was demanded, and the printer responded to the upgrade (RFC 2817) with this. `trust`: what demanded TLS,
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
    func allowsRetry(of request: HTTPRequest) -> Bool {
        switch cause {
        case .stale, .closedEarly, .socket, .mismatchedResponse: nothingAccepted || request.isIdempotent
        default: false
        }
    }
}

extension HTTPFailure {
    /// Why no connection could be made: where several addresses were tried, the last one's reason.
    init(connecting error: any Error) {
        self.init(cause: Self.cause(connecting: error), nothingAccepted: true)
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
        case let error as HTTPParserError: self = .malformed("its response is not HTTP (\(error))")
        case let error as NIOHTTPDecoderError: self = .malformed("its response is not HTTP (\(error))")
        case ChannelError.eof: self = .closedEarly
        case is TLSAlertDetector.SpeaksTLS: self = .speaksTLS
        case let error as TLSError: self = error.code == .truncated ? .closedEarly : .tls(error)
        default: self = .channel("\(error)")
        }
    }
}
