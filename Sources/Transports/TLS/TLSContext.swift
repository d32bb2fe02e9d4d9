import CKioskOpenSSL
package import KioskPrintModel

/// A configuration prepared for many connections (OpenSSL's SSL_CTX).
///
/// Creating one reads files, and so blocks. With `Trust.system`, each full handshake also reads the issuer's file below
/// /etc/ssl/certs.
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
        // Writes pass one record at a time from buffers that may move. An idle connection keeps no record buffers.
        copenssl_ctx_set_mode(
            pointer,
            Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
                | Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY))
        SSL_CTX_set_timeout(pointer, TLSSessionCache.maximumLifetime)
        return OpenSSLReference(pointer) { SSL_CTX_free($0) }
    }

    private func setUpClient(_ configuration: TLSClientConfiguration) throws(TLSError) {
        switch configuration.trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw .unusable("the system's CA store", .unusableTrust)
            }
        case .caFile(let path):
            try trustCAs(in: path)
            // Allows a printer's own certificate in the file instead of its issuer's.
            X509_STORE_set_flags(SSL_CTX_get_cert_store(pointer), UInt(X509_V_FLAG_PARTIAL_CHAIN))
        case .knownHosts, .pinned, .ask, .none: break
        }
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(pointer, TLSCallbacks.verifyCertificate, nil)
        SSL_CTX_set_cert_cb(pointer, TLSCallbacks.certificateRequested, nil)
        copenssl_ctx_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        SSL_CTX_sess_set_new_cb(pointer, TLSCallbacks.newSession)
        let list = protocolList
        // Unlike the other calls, this one returns 0 for success.
        guard list.isEmpty || SSL_CTX_set_alpn_protos(pointer, list, UInt32(list.count)) == 0 else {
            throw .unusable("the list of application protocols")
        }
        if let identity { try use(identity) }
    }

    /// The ALPN list: each name after its length (RFC 7301 §3.1).
    private var protocolList: [UInt8] {
        applicationProtocols.flatMap { name in [UInt8(clamping: name.utf8.count)] + Array(name.utf8) }
    }

    private func setUpServer(_ configuration: TLSServerConfiguration) throws(TLSError) {
        SSL_CTX_set_options(pointer, copenssl_op_server_preference())
        try use(configuration.identity)
        if let path = configuration.clientCAFile {
            for certificate in try trustCAs(in: path) { SSL_CTX_add_client_CA(pointer, certificate.pointer) }
            let mode = configuration.requiresClientCertificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | mode, nil)
            SSL_CTX_set_cert_verify_callback(pointer, TLSCallbacks.verifyCertificate, nil)
        }
        // Tickets need no cache here. OpenSSL resumes sessions with client certificates only with a session ID context.
        copenssl_ctx_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        let name = Array("kiosk-print-engine".utf8)
        SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count))
        if !applicationProtocols.isEmpty { SSL_CTX_set_alpn_select_cb(pointer, TLSCallbacks.selectProtocol, nil) }
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
        return TLSError(code, reason: "\(what) cannot be used: \(errors.text)", native: errors.native)
    }
}

/// The C functions that an SSL_CTX calls. Each finds its session in the SSL object.
private enum TLSCallbacks {
    /// SSL_CTX_set_cert_verify_callback(3): 1 continues, 0 ends the handshake with an alert.
    static let verifyCertificate: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { check, _ in
        guard let check,
            let ssl = X509_STORE_CTX_get_ex_data(check, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let session = TLSSession.attached(to: OpaquePointer(ssl))
        else { return 0 }
        let isTrusted = session.verifyPeer(check)
        if isTrusted {
            X509_STORE_CTX_set_error(check, X509_V_OK)
        } else if X509_STORE_CTX_get_error(check) == X509_V_OK {
            X509_STORE_CTX_set_error(check, X509_V_ERR_CERT_UNTRUSTED)
        }
        return isTrusted ? 1 : 0
    }

    /// SSL_CTX_set_cert_cb(3): called in a client when the server requests a certificate. 1 continues.
    static let certificateRequested: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { ssl, _ in
        TLSSession.attached(to: ssl)?.noteCertificateRequest()
        return 1
    }

    /// SSL_CTX_sess_set_new_cb(3): 1 keeps the reference that comes with the call.
    static let newSession: @convention(c) (OpaquePointer?, OpaquePointer?) -> Int32 = { ssl, new in
        guard let new, let session = TLSSession.attached(to: ssl) else { return 0 }
        session.cache(.session(new))
        return 1
    }

    /// SSL_CTX_set_alpn_select_cb(3): the selection points into the client's list.
    static let selectProtocol:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
        ) -> Int32 = { ssl, selected, length, list, count, _ in
            guard let session = TLSSession.attached(to: ssl) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
            let offered = TLSCallbacks.names(in: UnsafeBufferPointer(start: list, count: Int(count)))
            for name in session.context.applicationProtocols {
                guard let match = offered.first(where: { $0.elementsEqual(name.utf8) }) else { continue }
                selected?.pointee = match.baseAddress
                length?.pointee = UInt8(clamping: match.count)
                return SSL_TLSEXT_ERR_OK
            }
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }

    private static func names(in list: UnsafeBufferPointer<UInt8>) -> [UnsafeBufferPointer<UInt8>] {
        var names: [UnsafeBufferPointer<UInt8>] = []
        var rest = list[...]
        while let length = rest.popFirst(), length > 0, rest.count >= Int(length) {
            names.append(UnsafeBufferPointer(rebasing: rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        return names
    }
}
