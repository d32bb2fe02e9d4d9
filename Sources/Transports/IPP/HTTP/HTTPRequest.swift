import NIOCore
import PrintModel

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
    var isRepeatable: Bool
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

    var contentLength: Int64 { Int64(message.count) + (document?.length ?? 0) }

    /// How long one exchange may wait, and how much of a response it takes.
    struct Timeouts: Sendable, Hashable {
        /// The longest time without a byte moving while the document is being sent.
        var stall: TimeAmount
        /// The longest time without a byte arriving once all is sent.
        var response: TimeAmount
        /// The longest time for the whole exchange.
        var total: TimeAmount
        /// The most bytes that a response's body may have.
        var maximumResponseLength: Int
    }
}
