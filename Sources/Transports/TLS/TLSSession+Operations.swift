import COpenSSL

// The steps. Each empties OpenSSL's error queue first, and takes what a failure left there.
extension TLSSession {
    package enum HandshakeOutcome {
        case done(TLSHandshake)
        case wantsInput
        case failed(TLSError)
    }

    package enum ReadOutcome {
        /// Never zero octets.
        case read(Int)
        case wantsInput
        /// The other side's close_notify: nothing will come any more.
        case closed
        case failed(TLSError)
    }

    package enum WriteOutcome {
        /// At most one record's worth.
        case written(Int)
        /// `takeOutput` first.
        case full
        case failed(TLSError)
    }

    /// Goes on with the handshake as far as the received octets allow.
    package func handshake() -> HandshakeOutcome {
        switch phase {
        case .open(let handshake): return .done(handshake)
        case .failed(let error): return .failed(error)
        case .handshaking: break
        }
        OpenSSLErrors.clear()
        let result = SSL_do_handshake(ssl)
        guard result == 1 else {
            guard SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { return .failed(handshakeFailure(result)) }
            return hasInputEnded ? .failed(fail(.truncated("it ended in the middle of the handshake"))) : .wantsInput
        }
        // A client looked at its kept certificate before it offered the session.
        if isServer, SSL_session_reused(ssl) == 1, let refusal = refusalOfKeptClient() { return .failed(fail(refusal)) }
        let handshake = agreed()
        phase = .open(handshake)
        return .done(handshake)
    }

    /// Decrypts into `space`, which must not be empty.
    package func read(into space: UnsafeMutableRawBufferPointer) -> ReadOutcome {
        if case .failed(let error) = phase { return .failed(error) }
        guard case .open = phase else { return .wantsInput }
        var count = 0
        OpenSSLErrors.clear()
        let result = SSL_read_ex(ssl, space.baseAddress, space.count, &count)
        guard result != 1 else { return .read(count) }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_WANT_READ:
            return hasInputEnded
                ? .failed(fail(.truncated("it ended without close_notify: what came may be cut off"))) : .wantsInput
        default: return .failed(failure(.broken))
        }
    }

    /// Encrypts at most one record; `octets` must not be empty.
    package func write(_ octets: UnsafeRawBufferPointer) -> WriteOutcome {
        if case .failed(let error) = phase { return .failed(error) }
        guard case .open = phase, !isCloseSent else {
            return .failed(
                TLSError(.broken, reason: "nothing can be written before the handshake or after close_notify"))
        }
        guard pendingOutput < Self.outputLimit else { return .full }
        var count = 0
        OpenSSLErrors.clear()
        let result = SSL_write_ex(ssl, octets.baseAddress, octets.count, &count)
        return result == 1 ? .written(count) : .failed(failure(.broken))
    }

    private func agreed() -> TLSHandshake {
        var (name, length): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
        SSL_get0_alpn_selected(ssl, &name, &length)
        let chosen = UnsafeBufferPointer(start: name, count: Int(length))
        return TLSHandshake(
            version: SSL_get_version(ssl).map { String(cString: $0) } ?? "",
            cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? "",
            applicationProtocol: length > 0 ? String(decoding: chosen, as: UTF8.self) : nil,
            isResumed: SSL_session_reused(ssl) == 1,
            x509: SSL_get1_peer_certificate(ssl).map(OpenSSLReference.x509))
    }
}
