import COpenSSL
import PrintModel

/// One TLS connection as a pure machine over memory: ciphertext in, ciphertext out, plaintext in, plaintext out.
///
/// After `receive` and after every other call there may be something to send: `takeOutput`, also after a failure (our
/// alert). What it keeps is bounded by `inputLimit` and `outputLimit`, OpenSSL's own record buffers (17 kB each way)
/// and its limit for the other side's certificates (100 kB).
///
/// Not Sendable: used by one thread at a time.
package final class TLSSession {
    enum Phase {
        case handshaking
        case open(TLSHandshake)
        case failed(TLSError)
    }

    /// Octets received and not looked at yet.
    static let inputLimit = 64 << 10
    /// Octets to send that nobody has taken yet; one record may exceed it.
    static let outputLimit = 64 << 10

    let ssl: OpaquePointer
    let context: TLSContext
    private let input: OpaquePointer
    private let output: OpaquePointer
    private let sessions: TLSSessionCache?
    let terms: TLSSessionCache.Terms
    /// When the full handshake was that an offered session goes back to.
    private var offeredSince: ContinuousClock.Instant?
    var phase = Phase.handshaking
    private(set) var hasInputEnded = false
    private(set) var isCloseSent = false
    /// Why the callback below refused the other side's certificate.
    private(set) var refusal: TLSError?
    /// Whether the server asked for a client certificate.
    private(set) var wasAskedForCertificate = false

    var isServer: Bool { context.trust == nil }

    /// A client. `host`: the name, or the address without brackets, that was connected to.
    package init(client context: TLSContext, host: String, sessions: TLSSessionCache? = nil) throws(TLSError) {
        self.context = context
        self.sessions = sessions
        let host = PeerName(host)
        terms = .init(host: host.text, trust: context.trust, identity: context.identity?.certificate.fingerprint)
        (ssl, input, output) = try Self.make(context)
        SSL_set_connect_state(ssl)
        try host.expect(on: ssl)
        attach()
        offerSession()
    }

    package init(server context: TLSContext) throws(TLSError) {
        self.context = context
        sessions = nil
        terms = .init(host: "", trust: nil, identity: nil)
        (ssl, input, output) = try Self.make(context)
        SSL_set_accept_state(ssl)
        attach()
    }

    deinit {
        // Else SSL_free takes a connection that was not closed in form for a broken one, and spoils its session for
        // others. Printers drop idle connections by the bare end of TCP, which says nothing against the session either.
        if isSessionGood { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        SSL_free(ssl)
        OpenSSLErrors.clear()
    }

    private var isSessionGood: Bool {
        switch phase {
        case .open: true
        case .failed(let error): error.code == .truncated
        case .handshaking: false
        }
    }

    private static func make(
        _ context: TLSContext
    ) throws(TLSError) -> (ssl: OpaquePointer, input: OpaquePointer, output: OpaquePointer) {
        OpenSSLErrors.clear()
        let (input, output) = (BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
        guard let input, let output, let ssl = SSL_new(context.pointer) else {
            BIO_free(input)
            BIO_free(output)
            throw TLSError(.handshakeFailed, reason: "OpenSSL has no memory")
        }
        // Both belong to it now.
        SSL_set_bio(ssl, input, output)
        return (ssl, input, output)
    }

    /// So that OpenSSL's callbacks find this object; it outlives `ssl`.
    private func attach() {
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    static func attached(to ssl: OpaquePointer?) -> TLSSession? {
        guard let ssl, let this = SSL_get_ex_data(ssl, 0) else { return nil }
        return Unmanaged<TLSSession>.fromOpaque(this).takeUnretainedValue()
    }

    /// Offers a kept session, if the certificate that it began with would be trusted today as well.
    private func offerSession() {
        guard let kept = sessions?.take(for: terms), SSL_set_session(ssl, kept.session.pointer) == 1 else { return }
        offeredSince = kept.since
        guard refusalOfKeptServer(judgedBy: kept.judge) != nil else { return }
        SSL_set_session(ssl, nil)
        sessions?.removeAll()
    }
}

// What OpenSSL calls back for, always inside of one of the calls on `ssl`.
extension TLSSession {
    func decide(_ certificate: OpaquePointer) -> Bool {
        refusal = context.refusal(of: certificate)
        return refusal == nil
    }

    func noteAskedForCertificate() { wasAskedForCertificate = true }
    func keep(_ session: OpenSSLReference) {
        sessions?.keep(session, terms: terms, judge: context, since: SSL_session_reused(ssl) == 1 ? offeredSince : nil)
    }
    /// A session that the handshake failed with is not offered again.
    func forgetSessions() { sessions?.removeAll() }
}

// The octets of the connection.
extension TLSSession {
    /// Takes received ciphertext, as much as there is room for, and returns the count. There is room again after
    /// `handshake()` or `read(into:)` said `.wantsInput`.
    package func receive(_ octets: UnsafeRawBufferPointer) -> Int {
        if case .failed = phase { return octets.count }
        let count = min(octets.count, Self.inputLimit - Int(BIO_ctrl_pending(input)))
        guard count > 0 else { return 0 }
        return max(0, Int(BIO_write(input, octets.baseAddress, Int32(count))))
    }

    /// The connection's end was received. Without a close_notify before it, the next call fails as truncated.
    package func receiveEnd() { hasInputEnded = true }

    /// Octets to send.
    package var pendingOutput: Int { Int(BIO_ctrl_pending(output)) }

    /// Moves octets to send into `space` and returns their count.
    package func takeOutput(into space: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(space.count, pendingOutput)
        guard count > 0 else { return 0 }
        return max(0, Int(BIO_read(output, space.baseAddress, Int32(count))))
    }

    /// Sends our close_notify: nothing can be written afterwards. Does nothing before the handshake's end.
    package func shutdown() {
        guard case .open = phase, !isCloseSent else { return }
        isCloseSent = true
        OpenSSLErrors.clear()
        // 0 says that the other side's close_notify is still to come, which nobody waits for.
        _ = SSL_shutdown(ssl)
        OpenSSLErrors.clear()
    }
}
