import KioskPrintModel
import KioskTLS
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Makes the connections to printers: the one place where a socket is opened or taken over, and where TLS is put
/// between it and HTTP.
struct Connector: Sendable {
    /// Runs what waits for the connections, on their event loop.
    let executor: EventLoopTaskExecutor
    let threadPool: NIOThreadPool
    /// The time until a connection is ready, with TLS's handshake.
    let connectTimeout: TimeAmount
    /// Opens the connections in place of the network.
    let dialer: (any PrinterDialer)?
    /// Whether what is sent to an address never leaves this computer.
    let staysInside: @Sendable (SocketAddress) -> Bool
    let trace: PrinterTrace
    let logger: Logger

    enum Security: Sendable {
        case clear
        case tls(TLSParameters)
        /// TLS by an upgrade of the connection (RFC 2817).
        case upgrade(TLSParameters)

        /// Whether the other end's identity is verified once the connection is ready.
        var provesIdentity: Bool {
            switch self {
            case .clear: false
            case .tls(let parameters), .upgrade(let parameters): parameters.context.trust != Trust.none
            }
        }
    }

    struct TLSParameters: Sendable {
        let context: TLSContext
        let sessions: TLSSessionCache?
        /// Whether the context is still valid; nil where that is certain. Only the handshake happens before it is
        /// known.
        var isCurrent: EventLoopFuture<Bool>?
    }

    /// The context of the handshake is outdated; the caller makes another connection with a new one.
    struct OutdatedTLSContext: Error {}

    /// RFC 8010 §4 does not limit header sizes; the responses of printers have a few hundred bytes of headers.
    private static let headerLimits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 * 1024
        limits.maxHeaderListSize = 64 * 1024
        limits.maxHeaderFieldCount = 128
        return limits
    }()

    var eventLoop: any EventLoop { executor.eventLoop }

    /// Opens a connection; fails with a connect error of NIO, a `TLSError`, an `OutdatedTLSContext` or an
    /// `HTTPFailure`.
    func connect(to url: PrinterURL, security: Security, idleTimeout: IdleTimeout) -> EventLoopFuture<HTTPConnection> {
        let deadline = NIODeadline.now() + connectTimeout
        return open(url.resolvableHost, port: url.effectivePort ?? 631, idleTimeout).flatMap { channel in
            trace.tell("connected to \(channel.remoteAddress?.authority ?? url.authority)")
            return secure(channel, url, security, until: deadline).flatMapThrowing { handshake in
                // TLS without verification hides a login from everybody but a man in the middle.
                let isPrivate =
                    handshake != nil && security.provesIdentity || channel.remoteAddress.map(staysInside) ?? false
                return try HTTPConnection(channel, handshake: handshake, isPrivate: isPrivate)
            }
            .flatMapErrorThrowing { error in
                channel.close(promise: nil)
                throw error
            }
        }
    }

    /// Makes a connection over what a dialer opened.
    func adopt(_ dialed: DialedConnection, idleTimeout: IdleTimeout) -> EventLoopFuture<HTTPConnection> {
        bootstrap(idleTimeout, dialed.exchange).withConnectedSocket(dialed.socket).flatMapThrowing { channel in
            trace.tell("connected through the dialer")
            return try HTTPConnection(channel, handshake: nil, isPrivate: true)
        }
    }

    /// Opens a TCP connection. The resolver takes a thread and reads files, so it is used only where it must be.
    private func open(_ host: String, port: Int, _ idleTimeout: IdleTimeout) -> EventLoopFuture<any Channel> {
        let addresses = SocketAddress.known(host, port: port)
        guard let first = addresses.first else { return bootstrap(idleTimeout).connect(host: host, port: port) }
        return addresses.dropFirst().reduce(bootstrap(idleTimeout).connect(to: first)) { attempt, next in
            attempt.flatMapError { error in
                guard error is IOError else { return eventLoop.makeFailedFuture(error) }
                return bootstrap(idleTimeout).connect(to: next).flatMapErrorThrowing { _ in throw error }
            }
        }
    }

    private func bootstrap(_ idleTimeout: IdleTimeout, _ mark: ExchangeMark? = nil) -> ClientBootstrap {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // The end of input is a separate event, so that what the printer acknowledged can be read before the socket
            // closes.
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(
                .writeBufferWaterMark, value: .init(low: DocumentBody.chunkSize, high: 2 * DocumentBody.chunkSize)
            )
            .channelInitializer { [threadPool, trace] channel in
                channel.eventLoop.makeCompletedFuture {
                    let decoder = HTTPResponseDecoder(
                        informationalResponseStrategy: .forward, limitConfiguration: Self.headerLimits
                    )
                    try channel.pipeline.syncOperations.addHandlers(
                        TLSAlertDetector(), HTTPRequestEncoder(), ByteToMessageHandler(decoder),
                        HTTPExchangeHandler(
                            threadPool: threadPool, idleTimeout: idleTimeout, trace: trace, mark: mark)
                    )
                }
            }
    }

    /// Starts TLS where it is wanted; completes with its handshake once the connection is ready, or with nil in clear.
    private func secure(
        _ channel: any Channel, _ url: PrinterURL, _ security: Security, until deadline: NIODeadline
    ) -> EventLoopFuture<TLSHandshake?> {
        switch security {
        case .clear: return channel.eventLoop.makeSucceededFuture(nil)
        case .tls(let parameters): return shakeHands(channel, url, parameters, until: deadline).map(Optional.some)
        case .upgrade(let parameters):
            trace.tellTLS("→ OPTIONS * with Upgrade: TLS (RFC 2817)")
            let handler = TLSUpgradeHandler(host: url.withoutZone.hostField, deadline: deadline) {
                shakeHands(channel, url, parameters, until: deadline)
            }
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(handler, position: .first)
                return NIOLoopBound(handler, eventLoop: channel.eventLoop)
            }
            .flatMap { $0.value.upgrade(on: channel.eventLoop) }
            .map(Optional.some)
        }
    }

    private func shakeHands(
        _ channel: any Channel, _ url: PrinterURL, _ parameters: TLSParameters, until deadline: NIODeadline
    ) -> EventLoopFuture<TLSHandshake> {
        do {
            let tls = try TLSHandler(
                client: parameters.context, host: url.host, sessions: parameters.sessions,
                handshakeTimeout: deadline - .now()
            )
            try channel.pipeline.syncOperations.addHandler(tls, position: .first)
            let handshake = tls.handshake(on: channel.eventLoop).map { handshake -> TLSHandshake in
                logger.debug(
                    "TLS",
                    metadata: [
                        "printer": "\(url)", "version": "\(handshake.version)", "resumed": "\(handshake.isResumed)",
                    ]
                )
                trace.tellTLS(Self.text(handshake))
                return handshake
            }
            .flatMapErrorThrowing { error in
                trace.tellTLS(Self.text(error))
                guard NIODeadline.now() < deadline else {
                    throw HTTPFailure(cause: .timedOut(.handshake), nothingAccepted: true)
                }
                throw Self.brokenHandshake(error) ?? error
            }
            guard let isCurrent = parameters.isCurrent else { return handshake }
            // Also after a failure, which the old context may have caused.
            return isCurrent.flatMapThrowing { if !$0 { throw OutdatedTLSContext() } }.flatMap { handshake }
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    /// `TLSv1.3, TLS_AES_256_GCM_SHA384, certificate sha256:…`.
    private static func text(_ handshake: TLSHandshake) -> String {
        let certificate = handshake.certificate.map { ", certificate \($0.fingerprint), key \($0.keyFingerprint)" }
        let resumption = handshake.isResumed ? ", resumed session" : ""
        return "\(handshake.version), \(handshake.cipher)\(certificate ?? "")\(resumption)"
    }

    private static func text(_ error: any Error) -> String {
        guard let error = error as? TLSError else { return "the handshake failed: \(error)" }
        let certificate = error.certificate.map { ", certificate \($0.fingerprint), key \($0.keyFingerprint)" } ?? ""
        return switch error.code {
        case .untrusted, .changed, .notAccepted, .unusableTrust:
            "the printer's certificate is refused: \(error.reason)\(certificate)"
        default: "the handshake failed: \(error.reason)\(certificate)"
        }
    }

    /// The error of a handshake that the peer broke off: it has no TLS, or none that is compatible.
    private static func brokenHandshake(_ error: any Error) -> TLSError? {
        switch error {
        case is IOError, ChannelError.eof:
            TLSError(.handshakeFailed, reason: "it broke the connection in the middle of the handshake")
        case let error as TLSError where error.code == .truncated: TLSError(.handshakeFailed, reason: error.reason)
        default: nil
        }
    }
}

extension SocketAddress {
    /// The addresses of a host that need no resolver, in the order to try them; empty where a resolver is needed.
    ///
    /// `localhost` is this computer, whatever a resolver would say (RFC 6761 §6.3).
    static func known(_ host: String, port: Int) -> [SocketAddress] {
        let texts = host == "localhost" ? ["127.0.0.1", "::1"] : [host]
        return texts.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
    }

    /// `192.0.2.10:631`, `[2001:db8::1]:631`; nil where it has no port.
    fileprivate var authority: String? {
        guard let ipAddress, let port else { return nil }
        return ipAddress.contains(":") ? "[\(ipAddress)]:\(port)" : "\(ipAddress):\(port)"
    }

    /// Whether it is an address of this computer: 127.0.0.0/8 (RFC 1122 §3.2.1.3), ::1 (RFC 4291 §2.5.3), and the
    /// former written as the latter (§2.5.5.2), each in the one form that inet_ntop gives it.
    var isLoopback: Bool {
        switch self {
        case .v4: ipAddress?.hasPrefix("127.") ?? false
        case .v6: ipAddress.map { $0 == "::1" || $0.hasPrefix("::ffff:127.") } ?? false
        case .unixDomainSocket: true
        }
    }
}
