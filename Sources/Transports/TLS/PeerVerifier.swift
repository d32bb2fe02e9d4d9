import CKioskOpenSSL
import KioskPrintModel

/// Decides whether the peer is trusted: within the handshake, before any of our data is sent.
struct PeerVerifier {
    let context: TLSContext

    /// Verifies the certificate in `check` (an X509_STORE_CTX). Returns nil if it is trusted.
    func failure(of check: OpaquePointer) -> TLSError? {
        guard let x509 = X509_STORE_CTX_get0_cert(check) else {
            return TLSError(.untrusted, reason: "it shows no certificate")
        }
        switch context.trust {
        case .system, .caFile, nil:
            guard X509_verify_cert(check) != 1 else { return nil }
            return .verification(X509_STORE_CTX_get_error(check), x509)
        case .pinned(let pins):
            if let shown = Certificate.keyFingerprint(x509: x509), pins.contains(shown) { return nil }
            let certificate = Certificate(x509: x509)
            let old = pins.map(\.description).joined(separator: ", ")
            let new = certificate?.keyFingerprint.description ?? "an unreadable one"
            return TLSError(
                .changed(from: pins), reason: "its key is \(new), not the pinned \(old)", certificate: certificate)
        case .knownHosts:
            return TLSError(
                .untrusted, reason: "a known_hosts file is for SSH servers only",
                certificate: Certificate(x509: x509))
        case .ask:
            return TLSError(
                .notAccepted, reason: "nobody has accepted its certificate yet", certificate: Certificate(x509: x509))
        case .some(.none): return nil
        }
    }

    /// Verifies, in a client, the certificate of the cached session that `ssl` offers, like a new certificate. Returns
    /// nil if it is trusted. `original` is the context that verified it in the full handshake.
    ///
    /// If `original` is this context, a chain that led to its CAs still does: the session began minutes ago at most.
    /// Only the dates are checked then, so resuming stays cheap. Comparing pins again is cheap.
    func failureOfCachedServer(on ssl: OpaquePointer, verifiedBy original: TLSContext) -> TLSError? {
        guard let x509 = SSL_get0_peer_certificate(ssl) else {
            return TLSError(.untrusted, reason: "its session has no certificate")
        }
        switch context.trust {
        case .system, .caFile: if original === context { return failureOfExpired(x509) }
        default: break
        }
        guard let check = X509_STORE_CTX_new() else { return .outOfMemory(.untrusted) }
        defer {
            X509_STORE_CTX_free(check)
            OpenSSLErrors.clear()
        }
        let store = SSL_CTX_get_cert_store(context.pointer)
        guard X509_STORE_CTX_init(check, store, x509, SSL_get_peer_cert_chain(ssl)) == 1 else {
            return .outOfMemory(.untrusted)
        }
        // OpenSSL's own handshake does the same.
        X509_STORE_CTX_set_default(check, "ssl_server")
        X509_VERIFY_PARAM_set1(X509_STORE_CTX_get0_param(check), SSL_get0_param(ssl))
        return failure(of: check)
    }

    /// Verifies, in a server, the certificate of the session that the client resumes. Its ticket contains no chain, but
    /// our CAs have not changed since we issued it.
    func failureOfResumingClient(on ssl: OpaquePointer) -> TLSError? {
        SSL_get0_peer_certificate(ssl).flatMap(failureOfExpired)
    }

    private func failureOfExpired(_ x509: OpaquePointer) -> TLSError? {
        guard X509_cmp_current_time(X509_get0_notAfter(x509)) <= 0 else { return nil }
        return .verification(X509_V_ERR_CERT_HAS_EXPIRED, x509)
    }
}

extension TLSError {
    /// `code`: X509_V_ERR_….
    fileprivate static func verification(_ code: Int32, _ x509: OpaquePointer) -> TLSError {
        let reason =
            X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "X.509 verification error \(code)"
        return TLSError(
            .untrusted, reason: reason, certificate: Certificate(x509: x509),
            native: .certificateVerification(Int(code)))
    }
}

/// The host that a client connects to, as its certificate must name it.
struct ServerName {
    /// The name without the final dot of a fully qualified name, or the address without an IPv6 zone: certificates
    /// contain neither.
    let text: String

    init(_ host: String) {
        let host = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        text = String(host.hasSuffix(".") ? host.dropLast() : host)
    }

    /// Sets the name that the certificate must have. For a name, also sets the server name indication, which an address
    /// must not have (RFC 6066 §3).
    func require(on ssl: OpaquePointer) throws(TLSError) {
        defer { OpenSSLErrors.clear() }
        let parameters = SSL_get0_param(ssl)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, text) == 1 { return }
        // A whole label may be a wildcard, but not a part of one (RFC 6125 §6.4.3).
        X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        guard !text.isEmpty, !text.utf8.contains(0), text.utf8.count <= 255,
            X509_VERIFY_PARAM_set1_host(parameters, text, text.utf8.count) == 1,
            copenssl_set_server_name(ssl, text) == 1
        else { throw TLSError(.handshakeFailed, reason: "its name is not a host name") }
    }
}
