import COpenSSL

/// The host that a client means to reach, as its certificate must name it.
struct PeerName {
    /// Without the dot that ends a fully qualified name, and without an IPv6 zone: no certificate has either.
    let text: String

    init(_ host: String) {
        let host = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        text = String(host.hasSuffix(".") ? host.dropLast() : host)
    }

    /// Sets what the certificate is checked for, and the server name indication: for names only (RFC 6066 §3).
    func expect(on ssl: OpaquePointer) throws(TLSError) {
        defer { OpenSSLErrors.clear() }
        let parameters = SSL_get0_param(ssl)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, text) == 1 { return }
        // A whole label may be a wildcard, a part of one may not (RFC 6125 §6.4.3).
        X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        guard !text.isEmpty, !text.utf8.contains(0), text.utf8.count <= 255,
            X509_VERIFY_PARAM_set1_host(parameters, text, text.utf8.count) == 1,
            copenssl_set_server_name(ssl, text) == 1
        else { throw TLSError(.handshakeFailed, reason: "its name is no host name") }
    }
}
