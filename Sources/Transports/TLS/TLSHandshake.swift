import COpenSSL
package import PrintModel

/// What a finished handshake agreed on. `TLSHandler` fires it as a user inbound event, once, before any data.
package struct TLSHandshake: Sendable {
    /// `TLSv1.3` or `TLSv1.2`.
    package var version: String
    /// OpenSSL's name of the cipher suite.
    package var cipher: String
    /// What ALPN (RFC 7301) chose; nil where the other side knows no ALPN.
    package var applicationProtocol: String?
    /// Whether a kept session spared the full handshake.
    package var isResumed: Bool
    let x509: OpenSSLReference?

    /// What the other side showed, now or when the resumed session began; nil for a client without one. Read when it is
    /// asked for, since few do.
    package var certificate: Certificate? { x509.flatMap { Certificate(x509: $0.pointer) } }
}

/// Fired by `TLSHandler` as a user inbound event when the other side's close_notify came: it sends no more.
///
/// The end of the TCP stream is an event of its own (`ChannelEvent.inputClosed`) that follows soon, or never where
/// the other side waits for our close_notify.
package struct TLSPeerClosed: Hashable, Sendable {}
