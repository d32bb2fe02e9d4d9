import CKioskOpenSSLLoader
import Glibc
import KioskAPIMessages

/// TLS over a socket, as a client. OpenSSL reads and writes memory; this moves its bytes to and from the socket.
final class TLSStream: ByteStream {
    private let socket: SocketStream
    private let library: copenssl_library
    private let ssl: OpaquePointer
    /// OpenSSL's, and freed with `ssl`: what has come from the socket, and what goes to it.
    private let input: OpaquePointer
    private let output: OpaquePointer
    /// Ciphertext that the socket has not taken yet, and the bytes of plaintext in it that the sender waits for.
    private var unsent: ArraySlice<UInt8> = []
    private var unsentPlaintext = 0
    /// One decrypted byte that `hasArrived` has found.
    private var arrived: UInt8?
    private var hasSocketEnded = false
    private var space = [UInt8](repeating: 0, count: TLSStream.spaceLength)

    /// A record and its frame (RFC 8446 §5.2).
    private static let spaceLength = 17 << 10

    var descriptor: Int32 { socket.descriptor }

    /// Connects, and proves that the host is the one that is meant. Until then nothing is sent but the handshake.
    static func connect(_ host: RemoteHost, until deadline: ContinuousClock.Instant) throws -> TLSStream {
        let library: copenssl_library
        switch LoadedOpenSSL.library {
        case .success(let loaded): library = loaded
        case .failure(let error): throw KioskClientError.withoutTLS(error.reason, host)
        }
        let stream = try TLSStream(SocketStream.connect(host, until: deadline), library, host)
        try stream.shakeHands(host, until: deadline)
        try stream.verify(host)
        return stream
    }

    private init(_ socket: SocketStream, _ library: copenssl_library, _ host: RemoteHost) throws(KioskClientError) {
        self.socket = socket
        self.library = library
        library.ERR_clear_error()
        guard let context = library.SSL_CTX_new(library.TLS_client_method()) else {
            throw .withoutTLS(library.reason, host)
        }
        // The session holds the context.
        defer { library.SSL_CTX_free(context) }
        let isSetUp = withUnsafePointer(to: library) { copenssl_loaded_set_up($0, context) } == 1
        // RFC 7301 §3.1: each name after its length. Unlike the other calls, this one returns 0 for success.
        let protocols: [UInt8] = [8] + Array("http/1.1".utf8)
        guard isSetUp, library.SSL_CTX_set_alpn_protos(context, protocols, UInt32(protocols.count)) == 0,
            host.fingerprint != nil || library.SSL_CTX_set_default_verify_paths(context) == 1,
            let ssl = library.SSL_new(context)
        else { throw .withoutTLS(library.reason, host) }
        guard let input = library.BIO_new(library.BIO_s_mem()), let output = library.BIO_new(library.BIO_s_mem()) else {
            library.SSL_free(ssl)
            throw .withoutTLS("it is out of memory", host)
        }
        library.SSL_set_bio(ssl, input, output)
        library.SSL_set_connect_state(ssl)
        (self.ssl, self.input, self.output) = (ssl, input, output)
        try require(host)
    }

    deinit {
        // Says that no more comes, where the socket takes it.
        if unsent.isEmpty, !hasSocketEnded, library.SSL_shutdown(ssl) >= 0 { _ = flush() }
        library.SSL_free(ssl)
        library.ERR_clear_error()
    }

    /// The name that the certificate must have. An address is not told as a server name (RFC 6066 §3).
    private func require(_ host: RemoteHost) throws(KioskClientError) {
        let parameters = library.SSL_get0_param(ssl)
        if library.X509_VERIFY_PARAM_set1_ip_asc(parameters, host.name) == 1 { return }
        library.ERR_clear_error()
        library.X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        // The final dot of a fully qualified name stands in no certificate.
        let name = host.name.hasSuffix(".") ? String(host.name.dropLast()) : host.name
        guard library.X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1,
            withUnsafePointer(to: library, { copenssl_loaded_set_server_name($0, ssl, name) }) == 1
        else { throw .tlsFailed("\(name) is not a host name", host) }
    }
}

// MARK: - The handshake

extension TLSStream {
    private func shakeHands(_ host: RemoteHost, until deadline: ContinuousClock.Instant) throws {
        while true {
            library.ERR_clear_error()
            let result = library.SSL_do_handshake(ssl)
            let error = result == 1 ? SSL_ERROR_NONE : library.SSL_get_error(ssl, result)
            let reason = result == 1 || error == SSL_ERROR_WANT_READ ? "" : library.reason
            // Also after a failure: the alert.
            while flush() == .waiting { try wait(for: POLLOUT, host, until: deadline) }
            if result == 1 { return }
            guard error == SSL_ERROR_WANT_READ else { throw KioskClientError.tlsFailed(reason, host) }
            guard !hasSocketEnded else {
                throw KioskClientError.tlsFailed("it closed the connection in the middle of the handshake", host)
            }
            while !fill(), !hasSocketEnded { try wait(for: POLLIN, host, until: deadline) }
        }
    }

    private func wait(for events: Int32, _ host: RemoteHost, until deadline: ContinuousClock.Instant) throws {
        var states = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
        guard try Interruption.wait(for: &states, until: deadline) else {
            throw KioskClientError.notConnecting(.host(host))
        }
    }

    /// SSL_get_verify_result(3). OpenSSL has checked the chain and the name; it is asked afterwards and not within the
    /// handshake, so that an error can show the key.
    private func verify(_ host: RemoteHost) throws(KioskClientError) {
        guard let certificate = library.SSL_get1_peer_certificate(ssl) else {
            throw .tlsFailed("it shows no certificate", host)
        }
        defer { library.X509_free(certificate) }
        guard let shown = library.fingerprints(of: certificate) else {
            throw .tlsFailed("its certificate cannot be read", host)
        }
        if let pinned = host.fingerprint {
            guard shown.key == pinned else {
                throw .changed(key: shown.key, certificate: shown.certificate, host)
            }
            return
        }
        let result = library.SSL_get_verify_result(ssl)
        guard result == Int(X509_V_OK) else {
            throw .untrusted(library.verificationReason(result), key: shown.key, host)
        }
    }
}

// MARK: - Bytes

extension TLSStream {
    func send(_ bytes: UnsafeRawBufferPointer) -> StreamProgress {
        if unsent.isEmpty, unsentPlaintext == 0 {
            var count = 0
            library.ERR_clear_error()
            guard library.SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count) == 1 else { return .closed }
            unsentPlaintext = count
        }
        switch flush() {
        case .waiting: return .none
        case .ended: return .closed
        case .done: break
        }
        defer { unsentPlaintext = 0 }
        return .bytes(unsentPlaintext)
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> StreamProgress {
        guard !buffer.isEmpty else { return .none }
        if let arrived {
            buffer[0] = arrived
            self.arrived = nil
            return .bytes(1)
        }
        while true {
            var count = 0
            library.ERR_clear_error()
            let result = library.SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
            if result == 1 { return .bytes(count) }
            switch library.SSL_get_error(ssl, result) {
            case SSL_ERROR_ZERO_RETURN: return .closed
            case SSL_ERROR_WANT_READ:
                // What OpenSSL has to say of itself, such as a new key.
                _ = flush()
                if fill() { continue }
                return hasSocketEnded ? .broken : .none
            default: return .broken
            }
        }
    }

    /// The socket may have bytes of TLS itself, such as session tickets: only what they say counts.
    var hasArrived: Bool {
        guard arrived == nil else { return true }
        var byte: UInt8 = 0
        switch withUnsafeMutableBytes(of: &byte, { receive(into: $0) }) {
        case .bytes: arrived = byte
        case .none: return false
        case .closed, .broken: break
        }
        return true
    }

    private enum Flush {
        case done, waiting, ended
    }

    /// Sends OpenSSL's output.
    private func flush() -> Flush {
        while true {
            if unsent.isEmpty {
                let count = library.BIO_read(output, &space, Int32(Self.spaceLength))
                guard count > 0 else { return .done }
                unsent = space[..<Int(count)]
            }
            switch unsent.withUnsafeBytes({ socket.send($0) }) {
            case .bytes(let count): unsent = unsent.dropFirst(count)
            case .none: return .waiting
            case .closed, .broken: return .ended
            }
        }
    }

    /// Gives OpenSSL what the socket has. Returns whether that was anything.
    private func fill() -> Bool {
        guard !hasSocketEnded else { return false }
        switch space.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
        case .bytes(let count):
            return library.BIO_write(input, &space, Int32(count)) == Int32(count)
        case .none: return false
        case .closed, .broken:
            hasSocketEnded = true
            return false
        }
    }
}
