import NIOCore
import PrintModel

/// One IPP request as HTTP carries it: a POST of the encoded message and, behind it, the document.
struct HTTPRequest: Sendable {
    static let method = "POST"

    var path: String
    /// The `Host` field.
    var host: String
    /// The value of `Authorization`.
    var authorization: Secret?
    /// The message's `request-id`, which an answer to it repeats.
    var requestID: Int32?
    /// The encoded IPP message, up to and including end-of-attributes.
    var message: [UInt8]
    var document: DocumentBody?
    /// Whether asking twice does no harm, so that a lost answer may be asked for again.
    var isRepeatable: Bool
    var patience: Patience
    /// Told the count of document bytes handed over; on the event loop, in order, never after the exchange ended.
    var onSending: (@Sendable (Int64) -> Void)?
    /// Whether a login may go along, or follow where one is demanded.
    var carriesLogin = true
    /// What `Connection` says; nil leaves it to the protocol.
    var connection: ConnectionOption?
    /// Whether to ask before the document is sent (`Expect: 100-continue`, RFC 9110 §10.1.1).
    var expectsContinue = false

    enum ConnectionOption: String, Sendable, Hashable {
        /// The connection ends with this exchange.
        case close
        case keepAlive = "keep-alive"
    }

    var contentLength: Int64 { Int64(message.count) + (document?.length ?? 0) }

    /// How long one exchange may wait.
    struct Patience: Sendable, Hashable {
        /// Without a byte moving, while the document is being sent.
        var stall: TimeAmount
        /// Without a byte arriving, once all is sent.
        var answer: TimeAmount
        /// For the whole exchange.
        var total: TimeAmount
        /// Bytes of an answer's body.
        var longestAnswer: Int
    }
}
