import Glibc
import KioskFleet
import KioskPrintModel
import KioskTLS
import NIOCore
import NIOHTTP1
import NIOPosix

/// Fetches documents by their address: one GET over a connection of its own, with kioskd's own TLS. The certificate is
/// checked against the system's authorities and the host's name before the address's secret is sent.
struct HTTPDocumentFetcher: DocumentFetcher {
    private typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// Until a connection is ready, with TLS's handshake; each of the two.
    private static let connectTimeout = TimeAmount.seconds(10)
    /// For how long the store may send nothing.
    private let readTimeout: TimeAmount
    private let trust: Trust

    init(readTimeout: Duration = .seconds(30), trust: Trust = .system) {
        (self.readTimeout, self.trust) = (TimeAmount(readTimeout), trust)
    }

    /// RFC 9110 §5.4 leaves the bounds to the reader; stores send some 1 KiB.
    private static let headerLimits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 * 1024
        limits.maxHeaderListSize = 64 * 1024
        limits.maxHeaderFieldCount = 128
        return limits
    }()

    func fetch(
        _ address: DocumentAddress, length: Int, into append: ([UInt8]) async throws -> Void
    ) async throws {
        let failure = FetchFailure(address: address, length: length)
        do {
            let channel = try await open(address)
            let connection = try await channel.eventLoop.submit { try speakHTTP(on: channel) }.get()
            try await connection.executeThenClose { parts, requests in
                // At once: a store may have answered and closed before a second write.
                try await requests.write(contentsOf: [.head(Self.request(for: address)), .end(nil)])
                try await read(parts, failure, length: length, into: append)
            }
        } catch let error where !Task.isCancelled && Self.isOfConnection(error) {
            throw failure.unavailable(error)
        } catch {
            // What is closed because of the cancellation is no failure of the store.
            try Task.checkCancellation()
            throw error
        }
    }

    private static func isOfConnection(_ error: any Error) -> Bool {
        switch error {
        case is IOError, is ChannelError, is NIOConnectionError, is TLSError, is HTTPParserError, is ReadTimeout: true
        case is NIOAsyncWriterError, is NIOHTTPDecoderError: true
        default: false
        }
    }

    private static func request(for address: DocumentAddress) -> HTTPRequestHead {
        HTTPRequestHead(
            version: .http1_1, method: .GET, uri: address.target,
            headers: [
                "Host": address.authority, "User-Agent": "kioskd/\(Version.text)", "Accept": "*/*",
                // The digest is that of the document itself.
                "Accept-Encoding": "identity", "Connection": "close",
            ])
    }

    private func read(
        _ parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>, _ failure: FetchFailure, length: Int,
        into append: ([UInt8]) async throws -> Void
    ) async throws {
        var received = 0
        for try await part in parts {
            switch part {
            case .head(let head):
                guard head.status == .ok else { throw failure.answer(head.status) }
                // The decoder takes none but whole numbers, and no two that differ (RFC 9112 §6.3).
                if let told = head.headers.first(name: "Content-Length"), told != "\(length)" {
                    throw failure.otherLength("\(told.prefix(20)) bytes")
                }
            case .body(let bytes):
                guard bytes.readableBytes <= length - received else { throw failure.otherLength("more") }
                received += bytes.readableBytes
                try await append(Array(bytes.readableBytesView))
            case .end: return
            }
        }
        // Also where the task was cancelled.
        throw ChannelError.eof
    }

    // MARK: The connection

    /// Connects, and has the store prove who it is. Where the task is cancelled the connection is not waited for.
    private func open(_ address: DocumentAddress) async throws -> any Channel {
        let context: TLSContext? =
            if address.isSecure {
                // Making one reads files. For each document anew: the system's authorities change.
                try await NIOThreadPool.singleton.runIfActive {
                    try TLSContext(TLSClientConfiguration(trust: trust))
                }
            } else { nil }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let opening = ClientBootstrap(group: loop).connectTimeout(Self.connectTimeout)
            // Whatever a resolver would say (RFC 6761 §6.3).
            .connect(host: address.host == "localhost" ? "127.0.0.1" : address.host, port: address.port)
            .flatMap { channel in Self.secure(channel, address, context) }
        let opened = loop.makePromise(of: (any Channel).self)
        opening.cascade(to: opened)
        opened.futureResult.whenFailure { _ in opening.whenSuccess { $0.close(promise: nil) } }
        return try await withTaskCancellationHandler {
            try await opened.futureResult.get()
        } onCancel: {
            opened.fail(CancellationError())
        }
    }

    private static func secure(
        _ channel: any Channel, _ address: DocumentAddress, _ context: TLSContext?
    ) -> EventLoopFuture<any Channel> {
        guard let context else { return channel.eventLoop.makeSucceededFuture(channel) }
        do {
            let tls = try TLSHandler(client: context, host: address.host, handshakeTimeout: connectTimeout)
            try channel.pipeline.syncOperations.addHandler(tls)
            return tls.handshake(on: channel.eventLoop).map { _ in channel }.flatMapErrorThrowing { error in
                channel.close(promise: nil)
                throw error
            }
        } catch {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    /// To be called on the channel's event loop.
    private func speakHTTP(on channel: any Channel) throws -> Connection {
        let decoder = HTTPResponseDecoder(limitConfiguration: Self.headerLimits)
        try channel.pipeline.syncOperations.addHandlers(
            ReadTimeoutHandler(limit: readTimeout), HTTPRequestEncoder(), ByteToMessageHandler(decoder))
        return try Connection(wrappingChannelSynchronously: channel)
    }
}

/// The errors of one fetch. They name the address without its secret.
private struct FetchFailure {
    let address: DocumentAddress
    let length: Int

    func answer(_ status: HTTPResponseStatus) -> FleetError {
        let text = "\(status.code) \(status.reasonPhrase.prefix(utf8Count: 60))"
        switch status.code {
        case 300..<400:
            return refused(
                "answers with a redirect (\(text)), which is not followed; send the address where it really lies")
        case 408, 425, 429, 500...: return FleetError(.storeUnavailable, "\(store) answers \(text)")
        case 401, 403, 404, 410:
            return refused(
                "answers \(text): it is not there, or its address has expired; send the job under another key with a new address"
            )
        default: return refused("answers \(text); send an address that is read by a plain GET")
        }
    }

    func otherLength(_ found: String) -> FleetError {
        refused(
            "sends \(found), and the job names \(length) bytes; send the job under another key, with the size and SHA-256 of what the store has"
        )
    }

    private func refused(_ what: String) -> FleetError { FleetError(.storeRefused, "\(store) \(what)") }

    func unavailable(_ error: any Error) -> FleetError {
        FleetError(.storeUnavailable, "\(store) \(reason(error))")
    }

    private var store: String { "the store of the document \(address)" }

    private func reason(_ error: any Error) -> String {
        switch error {
        case let error as TLSError where error.certificate != nil:
            "cannot prove who it is (\(error.reason)); its certificate must be for \(address.host), by an authority of the kiosk's system"
        case let error as TLSError:
            "fails the TLS handshake (\(error.reason)); check that the address is of an https server"
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason($0.error) }
                ?? "has a name that the kiosk's system cannot resolve (\(address.host))"
        case ChannelError.connectTimeout: "does not answer; check its host and port"
        case let error as IOError: "cannot be reached (\(String(cString: strerror(error.errnoCode))))"
        case let error as HTTPParserError where error != .invalidEOFState: "answers with what is not HTTP (\(error))"
        case let error as ReadTimeout: "has sent nothing for \(error.seconds) s"
        default: "has closed the connection before the document's end"
        }
    }
}

/// The store has sent nothing for this time.
private struct ReadTimeout: Error {
    var seconds: Int64
}

/// Closes a connection that delivers nothing for `limit` while a read is pending. Used on the channel's event loop
/// only.
private final class ReadTimeoutHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limit: TimeAmount
    /// Whether a read is under way: a reader that is slow itself asks for none. The channel has begun with one.
    private var isReading = true
    /// When something came, or was asked for, last.
    private var lastSign = NIODeadline.now()
    private var timer: Scheduled<Void>?

    init(limit: TimeAmount) { self.limit = limit }

    func handlerAdded(context: ChannelHandlerContext) { check(context) }
    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    private func check(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        guard isReading, now - lastSign >= limit else {
            let next = isReading ? lastSign + limit : now + limit
            timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: next) { self.check(context) }
            return
        }
        context.fireErrorCaught(ReadTimeout(seconds: limit.nanoseconds / 1_000_000_000))
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if !isReading { lastSign = .now() }
        isReading = true
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = false
        lastSign = .now()
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Over TLS perhaps a record without data, or a part of one: then the read is still pending.
        lastSign = .now()
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // It sends no more, and may wait for this side to close.
        if event is TLSPeerClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
