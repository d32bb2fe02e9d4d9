import COpenSSL
import PrintModel

// Whom we talk to: decided inside of the handshake, before anything of ours goes out.
extension TLSContext {
    /// Nil when the certificate in `check` (an X509_STORE_CTX) holds.
    func refusal(of check: OpaquePointer) -> TLSError? {
        guard let x509 = X509_STORE_CTX_get0_cert(check) else {
            return TLSError(.untrusted, reason: "it shows no certificate")
        }
        switch trust {
        case .system, .caFile, nil:
            guard X509_verify_cert(check) != 1 else { return nil }
            let code = X509_STORE_CTX_get_error(check)
            return TLSError(
                .untrusted, reason: TLSError.words(verification: code), certificate: Certificate(x509: x509),
                native: .certificateVerification(Int(code)))
        case .pinned(let pins):
            if let shown = Certificate.keyFingerprint(x509: x509), pins.contains(shown) { return nil }
            let certificate = Certificate(x509: x509)
            let old = pins.map(\.description).joined(separator: ", ")
            let new = certificate?.keyFingerprint.description ?? "an unreadable one"
            return TLSError(
                .changed(from: pins), reason: "its key is \(new), not the pinned \(old)", certificate: certificate)
        case .knownHosts:
            return TLSError(
                .untrusted, reason: "a known_hosts file vouches for SSH servers only",
                certificate: Certificate(x509: x509))
        case .ask:
            return TLSError(
                .notAccepted, reason: "nobody has accepted its certificate yet", certificate: Certificate(x509: x509))
        case .some(.none): return nil
        }
    }
}

extension TLSSession {
    /// In a client: the certificate of the session that is offered, judged as a new one would be; nil when it holds.
    ///
    /// A chain that led to this context's own CAs when the session began, which is minutes ago at most, still does;
    /// then only time can have spoilt it, and resuming stays cheap. Pins are compared anew: that is cheap.
    func refusalOfKeptServer(judgedBy judge: TLSContext) -> TLSError? {
        guard let x509 = SSL_get0_peer_certificate(ssl) else {
            return TLSError(.untrusted, reason: "its session keeps no certificate")
        }
        switch context.trust {
        case .system, .caFile: if judge === context { return refusalOfExpired(x509) }
        default: break
        }
        guard let check = X509_STORE_CTX_new() else { return TLSError(.untrusted, reason: "OpenSSL has no memory") }
        defer {
            X509_STORE_CTX_free(check)
            OpenSSLErrors.clear()
        }
        let store = SSL_CTX_get_cert_store(context.pointer)
        guard X509_STORE_CTX_init(check, store, x509, SSL_get_peer_cert_chain(ssl)) == 1 else {
            return TLSError(.untrusted, reason: "OpenSSL has no memory")
        }
        // As OpenSSL's own handshake sets it up.
        X509_STORE_CTX_set_default(check, "ssl_server")
        X509_VERIFY_PARAM_set1(X509_STORE_CTX_get0_param(check), SSL_get0_param(ssl))
        return context.refusal(of: check)
    }

    /// In a server: the certificate of the session that the client brought back. Its ticket holds no chain, but our own
    /// CAs have not changed since we gave it.
    func refusalOfKeptClient() -> TLSError? {
        SSL_get0_peer_certificate(ssl).flatMap(refusalOfExpired)
    }

    private func refusalOfExpired(_ x509: OpaquePointer) -> TLSError? {
        guard X509_cmp_current_time(X509_get0_notAfter(x509)) <= 0 else { return nil }
        let code = X509_V_ERR_CERT_HAS_EXPIRED
        return TLSError(
            .untrusted, reason: TLSError.words(verification: code), certificate: Certificate(x509: x509),
            native: .certificateVerification(Int(code)))
    }
}

extension TLSError {
    fileprivate static func words(verification code: Int32) -> String {
        X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "X.509 verification error \(code)"
    }
}
