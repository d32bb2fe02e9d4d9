import COpenSSL
package import PrintModel

/// A configuration made ready for many connections (OpenSSL's SSL_CTX). Making one reads files, and so blocks; with
/// `Trust.system` each full handshake reads the issuer's file below /etc/ssl/certs as well.
package final class TLSContext: Sendable {
    /// Whom a client trusts; nil in a server's context.
    package let trust: Trust?
    let identity: TLSIdentity?
    let applicationProtocols: [String]
    private let reference: OpenSSLReference

    var pointer: OpaquePointer { reference.pointer }

    /// Throws `.unusableTrust` for the CA file, `.badIdentity` for the identity.
    package init(_ configuration: TLSClientConfiguration) throws(TLSError) {
        trust = configuration.trust
        identity = configuration.identity
        applicationProtocols = configuration.applicationProtocols
        reference = try Self.make(TLS_client_method(), configuration.highestVersion)
        try setUpClient(configuration)
    }

    /// Throws `.unusableTrust` for the CA file, `.badIdentity` for the identity.
    package init(_ configuration: TLSServerConfiguration) throws(TLSError) {
        trust = nil
        identity = configuration.identity
        applicationProtocols = configuration.applicationProtocols
        reference = try Self.make(TLS_server_method(), configuration.highestVersion)
        try setUpServer(configuration)
    }

    private static func make(
        _ method: OpaquePointer?, _ highest: TLSVersion
    ) throws(TLSError) -> OpenSSLReference {
        OpenSSLErrors.clear()
        guard let pointer = SSL_CTX_new(method) else { throw .unusable("OpenSSL's configuration (openssl.cnf)") }
        copenssl_ctx_set_versions(pointer, TLS1_2_VERSION, highest == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION)
        SSL_CTX_set_options(pointer, copenssl_op_no_renegotiation() | copenssl_op_no_compression())
        // Records are taken one at a time from buffers that may move, and an idle connection keeps no record buffers.
        copenssl_ctx_set_mode(
            pointer,
            Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
                | Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY))
        SSL_CTX_set_timeout(pointer, TLSSessionCache.longestLife)
        return OpenSSLReference(pointer) { SSL_CTX_free($0) }
    }
}

extension TLSContext {
    /// What ALPN sends: each name after its length (RFC 7301 §3.1).
    private var protocolList: [UInt8] {
        applicationProtocols.flatMap { name in [UInt8(clamping: name.utf8.count)] + Array(name.utf8) }
    }

    private func setUpClient(_ configuration: TLSClientConfiguration) throws(TLSError) {
        switch configuration.trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw .unusable("the system's CA store", .unusableTrust)
            }
        case .caFile(let path):
            try trustCAs(in: path)
            // So that a printer's own certificate may stand in the file instead of its issuer's.
            X509_STORE_set_flags(SSL_CTX_get_cert_store(pointer), UInt(X509_V_FLAG_PARTIAL_CHAIN))
        case .knownHosts, .pinned, .ask, .none: break
        }
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(pointer, TLSSession.certificateShown, nil)
        SSL_CTX_set_cert_cb(pointer, TLSSession.certificateWanted, nil)
        copenssl_ctx_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        SSL_CTX_sess_set_new_cb(pointer, TLSSession.sessionGiven)
        let list = protocolList
        // Alone among these calls it returns 0 for success.
        guard list.isEmpty || SSL_CTX_set_alpn_protos(pointer, list, UInt32(list.count)) == 0 else {
            throw .unusable("the list of application protocols")
        }
        if let identity { try use(identity) }
    }

    private func setUpServer(_ configuration: TLSServerConfiguration) throws(TLSError) {
        SSL_CTX_set_options(pointer, copenssl_op_server_preference())
        try use(configuration.identity)
        if let path = configuration.clientCAFile {
            for certificate in try trustCAs(in: path) { SSL_CTX_add_client_CA(pointer, certificate.pointer) }
            let mode = configuration.requiresClientCertificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | mode, nil)
            SSL_CTX_set_cert_verify_callback(pointer, TLSSession.certificateShown, nil)
        }
        // Tickets need no cache here; OpenSSL resumes with client certificates only under a name of the server's own.
        copenssl_ctx_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        let name = Array("kiosk-print-engine".utf8)
        SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count))
        if !applicationProtocols.isEmpty { SSL_CTX_set_alpn_select_cb(pointer, TLSSession.protocolsOffered, nil) }
    }

    @discardableResult
    private func trustCAs(in path: String) throws(TLSError) -> [OpenSSLReference] {
        let certificates: [OpenSSLReference]
        do {
            certificates = try FileContent("the CA file", at: path).certificates(
                at: "the CA file \(path)", atMost: 4096)
        } catch {
            throw TLSError(.unusableTrust, reason: error.reason, native: error.native)
        }
        guard !certificates.isEmpty else {
            throw TLSError(.unusableTrust, reason: "the CA file \(path) holds no certificate; it must be PEM")
        }
        for certificate in certificates {
            guard X509_STORE_add_cert(SSL_CTX_get_cert_store(pointer), certificate.pointer) == 1 else {
                throw .unusable("the CA file \(path)", .unusableTrust)
            }
        }
        return certificates
    }

    private func use(_ identity: TLSIdentity) throws(TLSError) {
        OpenSSLErrors.clear()
        guard SSL_CTX_use_certificate(pointer, identity.x509.pointer) == 1,
            SSL_CTX_use_PrivateKey(pointer, identity.key.pointer) == 1,
            identity.chain.allSatisfy({ copenssl_ctx_add1_chain_cert(pointer, $0.pointer) == 1 })
        else { throw .unusable("the certificate of \(identity.certificate.subject)") }
    }
}

extension TLSError {
    fileprivate static func unusable(_ what: String, _ code: Code = .badIdentity) -> TLSError {
        let errors = OpenSSLErrors.drain()
        return TLSError(
            code, reason: "\(what) cannot be used: \(errors.words)", native: errors.first.map { .openSSL($0) })
    }
}
