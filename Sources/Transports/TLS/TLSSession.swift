import CKioskOpenSSL
package import KioskPrintModel

/// One TLS connection as a state machine over memory: ciphertext in and out, plaintext in and out.
///
/// After `receive` and after every other call there may be output to send (`takeOutput`), even after a failure (our
/// alert). The session buffers at most `inputLimit`, `outputLimit`, OpenSSL's own record buffers (17 kB each way) and
/// OpenSSL's limit for the peer's certificates (100 kB).
///
/// Not Sendable: only one thread at a time may use it.
package final class TLSSession {
    private enum Phase {
        case handshaking
        case established(TLSHandshake)
        case failed(TLSError)
    }

    /// The maximum octets of received ciphertext that OpenSSL has not read yet.
    private static let inputLimit = 64 << 10
    /// The maximum octets of ciphertext to send that nobody has taken yet. One record may exceed it.
    private static let outputLimit = 64 << 10

    let context: TLSContext
    private let ssl: OpaquePointer
    private let inputBIO: OpaquePointer
    private let outputBIO: OpaquePointer
    private let sessionCache: TLSSessionCache?
    private let sessionKey: TLSSessionCache.Key
    /// When the full handshake of the offered session was.
    private var offeredHandshakeTime: ContinuousClock.Instant?
    private var phase = Phase.handshaking
    private var hasInputEnded = false
    private var isCloseSent = false
    /// Why `verifyPeer` refused the peer's certificate.
    private var verificationFailure: TLSError?
    /// Whether the server requested a client certificate.
    private var wasCertificateRequested = false

    var isServer: Bool { context.trust == nil }

    /// Creates a client. `host` is the name or the address (without brackets) of the connection.
    package init(client context: TLSContext, host: String, sessions: TLSSessionCache? = nil) throws(TLSError) {
        self.context = context
        sessionCache = sessions
        let name = ServerName(host)
        sessionKey = .init(host: name.text, trust: context.trust, identity: context.identity?.certificate.fingerprint)
        (ssl, inputBIO, outputBIO) = try Self.make(context)
        SSL_set_connect_state(ssl)
        try name.require(on: ssl)
        attach()
        offerCachedSession()
    }

    package init(server context: TLSContext) throws(TLSError) {
        self.context = context
        sessionCache = nil
        sessionKey = .init(host: "", trust: nil, identity: nil)
        (ssl, inputBIO, outputBIO) = try Self.make(context)
        SSL_set_accept_state(ssl)
        attach()
    }

    deinit {
        // Otherwise SSL_free takes a connection without close_notify for a broken one, and makes its session unusable.
        // Printers drop idle connections by closing TCP only, which does not make the session untrustworthy either.
        if isSessionReusable { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        SSL_free(ssl)
        OpenSSLErrors.clear()
    }

    private var isSessionReusable: Bool {
        switch phase {
        case .established: true
        case .failed(let error): error.code == .truncated
        case .handshaking: false
        }
    }

    private static func make(
        _ context: TLSContext
    ) throws(TLSError) -> (ssl: OpaquePointer, inputBIO: OpaquePointer, outputBIO: OpaquePointer) {
        OpenSSLErrors.clear()
        let (input, output) = (BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
        guard let input, let output, let ssl = SSL_new(context.pointer) else {
            BIO_free(input)
            BIO_free(output)
            throw .outOfMemory(.handshakeFailed)
        }
        // `ssl` owns both from here on.
        SSL_set_bio(ssl, input, output)
        return (ssl, input, output)
    }

    /// Lets OpenSSL's callbacks find this object, which outlives `ssl`.
    private func attach() {
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    static func attached(to ssl: OpaquePointer?) -> TLSSession? {
        guard let ssl, let this = SSL_get_ex_data(ssl, 0) else { return nil }
        return Unmanaged<TLSSession>.fromOpaque(this).takeUnretainedValue()
    }

    /// Offers a cached session if its certificate is still trusted.
    private func offerCachedSession() {
        guard let entry = sessionCache?.take(for: sessionKey), SSL_set_session(ssl, entry.session.pointer) == 1 else {
            return
        }
        offeredHandshakeTime = entry.fullHandshakeTime
        let verifier = PeerVerifier(context: context)
        guard verifier.failureOfCachedServer(on: ssl, verifiedBy: entry.verifiedBy) != nil else { return }
        SSL_set_session(ssl, nil)
        sessionCache?.removeAll()
    }
}

// OpenSSL calls these back during a call on `ssl`.
extension TLSSession {
    /// Returns whether the certificate in `check` (an X509_STORE_CTX) is trusted.
    func verifyPeer(_ check: OpaquePointer) -> Bool {
        verificationFailure = PeerVerifier(context: context).failure(of: check)
        return verificationFailure == nil
    }

    func noteCertificateRequest() { wasCertificateRequested = true }

    func cache(_ session: OpenSSLReference) {
        sessionCache?.insert(
            session, for: sessionKey, verifiedBy: context,
            fullHandshakeTime: SSL_session_reused(ssl) == 1 ? offeredHandshakeTime : nil)
    }
}

// Ciphertext.
extension TLSSession {
    /// Takes as much received ciphertext as there is room for and returns the count. There is room again after
    /// `handshake()` or `read(into:)` returned `.wantsInput`.
    package func receive(_ octets: UnsafeRawBufferPointer) -> Int {
        if case .failed = phase { return octets.count }
        let count = min(octets.count, Self.inputLimit - Int(BIO_ctrl_pending(inputBIO)))
        guard count > 0 else { return 0 }
        return max(0, Int(BIO_write(inputBIO, octets.baseAddress, Int32(count))))
    }

    /// Notes that the connection's end was received. Without a close_notify before it, the next call fails as
    /// truncated.
    package func receiveEnd() { hasInputEnded = true }

    /// The octets to send.
    package var pendingOutput: Int { Int(BIO_ctrl_pending(outputBIO)) }

    /// Moves octets to send into `space` and returns their count.
    package func takeOutput(into space: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(space.count, pendingOutput)
        guard count > 0 else { return 0 }
        return max(0, Int(BIO_read(outputBIO, space.baseAddress, Int32(count))))
    }
}

// Handshake, plaintext and closing. Each call empties OpenSSL's error queue first, and takes what a failure left there.
extension TLSSession {
    package enum HandshakeOutcome {
        case done(TLSHandshake)
        case wantsInput
        case failed(TLSError)
    }

    package enum ReadOutcome {
        /// The number of octets, never zero.
        case read(Int)
        case wantsInput
        /// The peer sent close_notify: no more data will come.
        case closed
        case failed(TLSError)
    }

    package enum WriteOutcome {
        /// The number of octets, at most one record.
        case written(Int)
        /// Call `takeOutput` first.
        case full
        case failed(TLSError)
    }

    /// Continues the handshake as far as the received octets allow.
    package func handshake() -> HandshakeOutcome {
        switch phase {
        case .established(let handshake): return .done(handshake)
        case .failed(let error): return .failed(error)
        case .handshaking: break
        }
        OpenSSLErrors.clear()
        let result = SSL_do_handshake(ssl)
        guard result == 1 else {
            guard SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { return .failed(handshakeFailure(result)) }
            return hasInputEnded
                ? .failed(fail(TLSError(.truncated, reason: "it ended in the middle of the handshake"))) : .wantsInput
        }
        // A client has verified the cached certificate before it offered the session.
        if isServer, SSL_session_reused(ssl) == 1,
            let failure = PeerVerifier(context: context).failureOfResumingClient(on: ssl)
        {
            return .failed(fail(failure))
        }
        let handshake = finishedHandshake()
        phase = .established(handshake)
        return .done(handshake)
    }

    private func finishedHandshake() -> TLSHandshake {
        var (name, length): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
        SSL_get0_alpn_selected(ssl, &name, &length)
        let selected = UnsafeBufferPointer(start: name, count: Int(length))
        return TLSHandshake(
            version: SSL_get_version(ssl).map { String(cString: $0) } ?? "",
            cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? "",
            applicationProtocol: length > 0 ? String(decoding: selected, as: UTF8.self) : nil,
            isResumed: SSL_session_reused(ssl) == 1,
            x509: SSL_get1_peer_certificate(ssl).map(OpenSSLReference.x509))
    }

    /// Decrypts into `space`, which must not be empty.
    package func read(into space: UnsafeMutableRawBufferPointer) -> ReadOutcome {
        if case .failed(let error) = phase { return .failed(error) }
        guard case .established = phase else { return .wantsInput }
        var count = 0
        OpenSSLErrors.clear()
        let result = SSL_read_ex(ssl, space.baseAddress, space.count, &count)
        guard result != 1 else { return .read(count) }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_WANT_READ:
            guard hasInputEnded else { return .wantsInput }
            return .failed(
                fail(TLSError(.truncated, reason: "it ended without close_notify: the data may be cut off")))
        default: return .failed(failure(.broken))
        }
    }

    /// Encrypts at most one record. `octets` must not be empty.
    package func write(_ octets: UnsafeRawBufferPointer) -> WriteOutcome {
        if case .failed(let error) = phase { return .failed(error) }
        guard case .established = phase, !isCloseSent else {
            return .failed(
                TLSError(.broken, reason: "nothing can be written before the handshake or after close_notify"))
        }
        guard pendingOutput < Self.outputLimit else { return .full }
        var count = 0
        OpenSSLErrors.clear()
        let result = SSL_write_ex(ssl, octets.baseAddress, octets.count, &count)
        return result == 1 ? .written(count) : .failed(failure(.broken))
    }

    /// Sends our close_notify, after which nothing can be written. Does nothing before the end of the handshake.
    package func shutdown() {
        guard case .established = phase, !isCloseSent else { return }
        isCloseSent = true
        OpenSSLErrors.clear()
        // 0 means that the peer's close_notify is still missing. Nobody waits for it.
        _ = SSL_shutdown(ssl)
        OpenSSLErrors.clear()
    }
}

// Failures.
extension TLSSession {
    private func fail(_ error: TLSError) -> TLSError {
        // Does not offer a session again if the handshake failed with it.
        if case .handshaking = phase { sessionCache?.removeAll() }
        phase = .failed(error)
        return error
    }

    /// Explains why `SSL_do_handshake` failed with `result`.
    private func handshakeFailure(_ result: Int32) -> TLSError {
        guard SSL_get_error(ssl, result) != SSL_ERROR_ZERO_RETURN else {
            return fail(TLSError(.handshakeFailed, reason: "it closed the connection in the middle of the handshake"))
        }
        return failure(.handshakeFailed)
    }

    /// Explains why a call failed for good. Takes the error queue.
    private func failure(_ code: TLSError.Code) -> TLSError {
        let errors = OpenSSLErrors.drain()
        if let verificationFailure { return fail(verificationFailure) }
        let native = errors.native
        guard let reason = errors.tlsReason else { return fail(TLSError(code, reason: errors.text, native: native)) }
        if wasCertificateRequested, Self.certificateAlerts.contains(reason) {
            let what = context.identity == nil ? "it wants a client certificate" : "it refuses our client certificate"
            let certificate = SSL_get0_peer_certificate(ssl).flatMap { Certificate(x509: $0) }
            return fail(
                TLSError(.clientRefused, reason: "\(what) (\(errors.text))", certificate: certificate, native: native))
        }
        switch reason {
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
            return fail(TLSError(.untrusted, reason: errors.text, native: native))
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG:
            let text = code == .handshakeFailed ? "it does not speak TLS (\(errors.text))" : errors.text
            return fail(TLSError(code, reason: text, native: native))
        default:
            return fail(TLSError(code, reason: errors.text, native: native))
        }
    }

    /// OpenSSL's reasons for the alerts that refuse a client because of its certificate, or because it has none
    /// (RFC 8446 §6.2): the alert's number plus 1000. If it is missing, TLS 1.2 servers send handshake_failure
    /// (RFC 5246 §7.4.6).
    private static let certificateAlerts: Set<Int32> = Set([40, 41, 42, 43, 44, 45, 46, 48, 49, 116].map { 1000 + $0 })
}

/// The result of a finished handshake. `TLSHandler` fires it once as a user inbound event, before any data.
package struct TLSHandshake: Sendable {
    /// `TLSv1.3` or `TLSv1.2`.
    package var version: String
    /// OpenSSL's name of the cipher suite.
    package var cipher: String
    /// The protocol that ALPN selected (RFC 7301); nil if the peer does not support ALPN.
    package var applicationProtocol: String?
    /// Whether a cached session spared the full handshake.
    package var isResumed: Bool
    fileprivate let x509: OpenSSLReference?

    /// The certificate that the peer showed, now or when the resumed session began; nil for a client without one. Few
    /// callers need it, so it is read only on access.
    package var certificate: Certificate? { x509.flatMap { Certificate(x509: $0.pointer) } }
}
