package import KioskPrintModel

/// The reason why a TLS connection was not established, or why it broke.
package struct TLSError: Error, Hashable, Sendable {
    package var code: Code
    /// What happened, in OpenSSL's words if it gives some. It names no host and gives no advice.
    package var reason: String
    /// The certificate that the peer showed; for `.clientRefused`, the server's certificate, which was trusted.
    package var certificate: Certificate?
    /// X509_V_ERR_… or ERR_get_error's packed code.
    package var native: TransportError.NativeCode?

    package enum Code: Hashable, Sendable {
        /// Unknown issuer, wrong host, expired or revoked.
        case untrusted
        /// The peer's key is not one of these pinned keys.
        case changed(from: [Fingerprint])
        /// Trust is `ask`, and nobody has accepted a certificate yet.
        case notAccepted
        /// The CA file or the system's CA store cannot be used, so no certificate can be verified.
        case unusableTrust
        /// Our own certificate or key cannot be used.
        case badIdentity
        /// The peer refused us with an alert: it wants a client certificate, or another one.
        case clientRefused
        /// No common version or cipher, a broken record, or a peer that does not speak TLS.
        case handshakeFailed
        /// The connection ended without close_notify, so the received data may be incomplete.
        case truncated
        /// The connection broke after the handshake.
        case broken
    }

    package init(
        _ code: Code, reason: String, certificate: Certificate? = nil, native: TransportError.NativeCode? = nil
    ) {
        self.code = code
        self.reason = reason
        self.certificate = certificate
        self.native = native
    }

    static func outOfMemory(_ code: Code) -> TLSError { TLSError(code, reason: "OpenSSL is out of memory") }
}

extension TLSError: CustomStringConvertible {
    package var description: String { reason }
}
