import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import PrintModel
import TLS

/// Makes connections to printers: the one place where a socket is opened or taken over, and where TLS goes between it
/// and HTTP.
struct Connector: Sendable {
    let eventLoop: any EventLoop
    let threadPool: NIOThreadPool
    /// Until a connection may be used: TLS has shaken hands by then.
    let connectTimeout: TimeAmount
    /// Opens the connections in our place.
    let dialer: (any PrinterDialer)?
    /// Whether what goes to an address never leaves this computer.
    let staysInside: @Sendable (SocketAddress) -> Bool
    let logger: Logger

    enum Security: Sendable {
        case clear
        case tls(TLSTerms)
        /// TLS after an upgrade of the connection (RFC 2817).
        case upgrade(TLSTerms)

        /// Whether it is known who is at the other end, once the connection is ready.
        var provesIdentity: Bool {
            switch self {
            case .clear: false
            case .tls(let terms), .upgrade(let terms): terms.context.trust != Trust.none
            }
        }
    }

    struct TLSTerms: Sendable {
        let context: TLSContext
        let sessions: TLSSessionCache?
        /// Whether the context is still the right one; nil where that is known. Nothing but a handshake happens before.
        var isCurrent: EventLoopFuture<Bool>?
    }

    /// The context that TLS began with is not the right one any more; another connection is to be made with a new one.
    struct OutdatedTerms: Error {}

    /// RFC 8010 §4 says nothing of header sizes; answers of printers have a few hundred bytes of them.
    private static let headerLimits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 * 1024
        limits.maxHeaderListSize = 64 * 1024
        limits.maxHeaderFieldCount = 128
        return limits
    }()

    /// Opens a connection; fails with a connect error of NIO, a `TLSError` or an `HTTPFailure`.
    func connect(to url: PrinterURL, security: Security, idleLimit: IdleLimit) -> EventLoopFuture<HTTPConnection> {
        let deadline = NIODeadline.now() + connectTimeout
        return open(url.host, port: url.effectivePort ?? 631, idleLimit).flatMap { channel in
            secure(channel, url, security, until: deadline).flatMapThrowing { handshake in
                // TLS with whoever answers hides the login from everybody but a man in the middle.
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

    /// Makes a connection of what a dialer opened.
    func adopt(_ dialed: DialedConnection, idleLimit: IdleLimit) -> EventLoopFuture<HTTPConnection> {
        bootstrap(idleLimit, dialed.exchange).withConnectedSocket(dialed.socket).flatMapThrowing { channel in
            try HTTPConnection(channel, handshake: nil, isPrivate: true)
        }
    }

    /// The resolver has a thread of its own, and reads files: it is asked only where it must be.
    private func open(_ host: String, port: Int, _ idleLimit: IdleLimit) -> EventLoopFuture<any Channel> {
        let addresses = SocketAddress.known(host, port: port)
        guard let first = addresses.first else { return bootstrap(idleLimit).connect(host: host, port: port) }
        return addresses.dropFirst().reduce(bootstrap(idleLimit).connect(to: first)) { attempt, next in
            attempt.flatMapError { error in
                guard error is IOError else { return eventLoop.makeFailedFuture(error) }
                return bootstrap(idleLimit).connect(to: next).flatMapErrorThrowing { _ in throw error }
            }
        }
    }

    private func bootstrap(_ idleLimit: IdleLimit, _ mark: ExchangeMark? = nil) -> ClientBootstrap {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // The end of input is an event of its own, so that what the printer acknowledged can be read before the
            // socket closes.
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(
                .writeBufferWaterMark, value: .init(low: DocumentBody.chunkSize, high: 2 * DocumentBody.chunkSize)
            )
            .channelInitializer { [threadPool] channel in
                channel.eventLoop.makeCompletedFuture {
                    let decoder = HTTPResponseDecoder(
                        informationalResponseStrategy: .forward, limitConfiguration: Self.headerLimits
                    )
                    try channel.pipeline.syncOperations.addHandlers(
                        HTTPRequestEncoder(), ByteToMessageHandler(decoder),
                        HTTPExchangeHandler(threadPool: threadPool, idleLimit: idleLimit, mark: mark)
                    )
                }
            }
    }

    /// What TLS agreed on, once the connection is ready; nil for one in clear.
    private func secure(
        _ channel: any Channel, _ url: PrinterURL, _ security: Security, until deadline: NIODeadline
    ) -> EventLoopFuture<TLSHandshake?> {
        switch security {
        case .clear: return channel.eventLoop.makeSucceededFuture(nil)
        case .tls(let terms): return shakeHands(channel, url, terms, until: deadline).map(Optional.some)
        case .upgrade(let terms):
            let handler = TLSUpgradeHandler(host: url.hostField, deadline: deadline) {
                shakeHands(channel, url, terms, until: deadline)
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
        _ channel: any Channel, _ url: PrinterURL, _ terms: TLSTerms, until deadline: NIODeadline
    ) -> EventLoopFuture<TLSHandshake> {
        do {
            let tls = try TLSHandler(
                client: terms.context, host: url.host, sessions: terms.sessions, handshakeTimeout: deadline - .now()
            )
            try channel.pipeline.syncOperations.addHandler(tls, position: .first)
            let handshake = tls.handshake(on: channel.eventLoop).map { handshake -> TLSHandshake in
                logger.debug(
                    "TLS",
                    metadata: [
                        "printer": "\(url)", "version": "\(handshake.version)", "resumed": "\(handshake.isResumed)",
                    ]
                )
                return handshake
            }
            .flatMapErrorThrowing { error in
                guard NIODeadline.now() < deadline else {
                    throw HTTPFailure(cause: .timedOut(.handshake), nothingTaken: true)
                }
                throw Self.brokenHandshake(error) ?? error
            }
            guard let isCurrent = terms.isCurrent else { return handshake }
            // Also where it failed: that may be the old context's fault.
            return isCurrent.flatMapThrowing { if !$0 { throw OutdatedTerms() } }.flatMap { handshake }
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    /// Whoever hangs up on TLS speaks none, or none that is ours.
    private static func brokenHandshake(_ error: any Error) -> TLSError? {
        switch error {
        case is IOError, ChannelError.eof:
            TLSError(.handshakeFailed, reason: "it broke the connection in the middle of the handshake")
        case let error as TLSError where error.code == .truncated: TLSError(.handshakeFailed, reason: error.reason)
        default: nil
        }
    }
}

extension PrinterURL {
    /// HTTP's `Host` (RFC 9110 §7.2): the port is IPP's default here, not HTTP's, so it always stands there (RFC 8010
    /// §4).
    var hostField: String { port == nil ? "\(authority):\(effectivePort ?? 631)" : authority }
}
