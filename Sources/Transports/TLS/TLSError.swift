package import PrintModel

/// Why there is no TLS connection, or no more of it.
package struct TLSError: Error, Hashable, Sendable {
    package var code: Code
    /// What happened, in OpenSSL's words where it has some; no host, no advice.
    package var reason: String
    /// The certificate that the other side showed; with `.clientRefused`, the one that held.
    package var certificate: Certificate?
    /// X509_V_ERR_… or ERR_get_error's packed code.
    package var native: TransportError.NativeCode?

    package enum Code: Hashable, Sendable {
        /// Unknown issuer, wrong host, expired, revoked.
        case untrusted
        /// Its key is none of the pinned ones, which stand here.
        case changed(from: [Fingerprint])
        /// Trust is `ask`, and nobody has accepted a certificate yet.
        case notAccepted
        /// The CA file, or the system's CA store, cannot be used, so that nobody's certificate holds.
        case unusableTrust
        /// Our own certificate or key cannot be used.
        case badIdentity
        /// The other side refused us with an alert: it wants a client certificate, or another one.
        case clientRefused
        /// No common version or cipher, a broken record, or no TLS at all.
        case handshakeFailed
        /// The connection ended without close_notify: what came may be cut off.
        case truncated
        /// It broke after the handshake.
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
}

extension TLSError: CustomStringConvertible {
    package var description: String { reason }
}
