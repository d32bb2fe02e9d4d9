import PrintModel
import TLS

/// Why an exchange has no answer, and what the printer may have got before.
struct HTTPFailure: Error, Sendable {
    var cause: Cause
    /// Document bytes that the printer may have taken, at most.
    var documentBytes: Int64 = 0
    /// Proof that the printer cannot have acted on the request: it never got the whole message before the document.
    var nothingTaken = false
    /// A success that came before the whole document was sent, and then the connection broke.
    var earlySuccess: HTTPAnswer?

    enum Cause: Error, Sendable, Hashable {
        case hostNotFound(reason: String)
        case connect(errno: Int32)
        /// The dialer opened none.
        case dial(TransportError)
        /// The kept connection was found closed before anything was written.
        case stale
        /// The printer closed before its answer was whole.
        case closedEarly
        /// The socket failed.
        case socket(errno: Int32)
        /// The channel failed with an error that has no errno.
        case channel(String)
        case timedOut(Wait)
        case cancelled
        /// The answer is no HTTP, or breaks a bound.
        case malformed(String)
        /// The answer says that it is one to another request.
        case foreignAnswer(requestID: Int32)
        case document(DocumentFailure)
        case login(LoginFailure)
        /// The saved credentials cannot be read; why, and what to do.
        case credentials(String)
        /// `identity`: the name of the credentials whose certificate we showed.
        case tls(TLSError, identity: String? = nil)
        /// TLS was demanded, and it answered so to the upgrade (RFC 2817). `trust`: what demanded TLS, where it was not
        /// the printer.
        case upgradeRefused(UpgradeAnswer, trust: Trust? = nil)
    }

    /// What came for an upgrade that did not come about.
    enum UpgradeAnswer: Sendable, Hashable {
        case status(Int)
        case hangsUp
        case malformed(String)
    }

    /// What was waited for.
    enum Wait: Sendable, Hashable {
        case connection, handshake, sending, answer, total
    }
}

/// Why our own document could not be read.
enum DocumentFailure: Error, Sendable, Hashable {
    case open(path: String, errno: Int32)
    case read(path: String, errno: Int32)
    case notAFile(path: String)
    case wrongLength(path: String, stored: Int64, found: Int64)
}
