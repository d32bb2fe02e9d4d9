import COpenSSL
import PrintModel

// What a failed call means.
extension TLSSession {
    @discardableResult
    func fail(_ error: TLSError) -> TLSError {
        if case .handshaking = phase { forgetSessions() }
        phase = .failed(error)
        return error
    }

    /// After `SSL_do_handshake` failed with `result`.
    func handshakeFailure(_ result: Int32) -> TLSError {
        guard SSL_get_error(ssl, result) != SSL_ERROR_ZERO_RETURN else {
            return fail(TLSError(.handshakeFailed, reason: "it closed the connection in the middle of the handshake"))
        }
        return failure(.handshakeFailed)
    }

    /// After any call failed for good: takes the error queue.
    func failure(_ code: TLSError.Code) -> TLSError {
        let errors = OpenSSLErrors.drain()
        if let refusal { return fail(refusal) }
        let native = errors.first.map { TransportError.NativeCode.openSSL($0) }
        guard let reason = errors.tlsReason else { return fail(TLSError(code, reason: errors.words, native: native)) }
        if wasAskedForCertificate, Self.refusingAlerts.contains(reason) {
            let what = context.identity == nil ? "it wants a client certificate" : "it refuses our client certificate"
            let certificate = SSL_get0_peer_certificate(ssl).flatMap { Certificate(x509: $0) }
            return fail(
                TLSError(.clientRefused, reason: "\(what) (\(errors.words))", certificate: certificate, native: native))
        }
        switch reason {
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
            return fail(TLSError(.untrusted, reason: errors.words, native: native))
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG:
            let words = code == .handshakeFailed ? "what came is no TLS (\(errors.words))" : errors.words
            return fail(TLSError(code, reason: words, native: native))
        default:
            return fail(TLSError(code, reason: errors.words, native: native))
        }
    }

    /// The alerts that refuse a client for its certificate, or for the want of one (RFC 8446 §6.2); OpenSSL's reason is
    /// the alert's number and 1000. TLS 1.2 servers say handshake_failure for a missing one (RFC 5246 §7.4.6).
    private static let refusingAlerts: Set<Int32> = Set([40, 41, 42, 43, 44, 45, 46, 48, 49, 116].map { 1000 + $0 })
}

extension TLSError {
    static func truncated(_ words: String) -> TLSError { TLSError(.truncated, reason: words) }
}
