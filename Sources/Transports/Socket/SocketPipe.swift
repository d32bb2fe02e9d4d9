import Glibc
import KioskDevicePrinting
import NIOCore
import NIOPosix
import Synchronization

/// A TCP connection to the raw port of a printer, as a byte pipe.
///
/// What TCP has acknowledged counts as taken by the printer; what the kernel was given counts as taken at most. A full
/// window is a printer that takes nothing at the moment: it is waited for as long as the other host answers the
/// kernel's probes (RFC 9293 §3.8.6.1).
final class SocketPipe: DevicePipe {
    let hasBackChannel = true
    let endsWhenCancelled = true
    private let channel: any Channel
    private let handler: NIOLoopBound<SocketHandler>

    private init(_ channel: any Channel, _ handler: NIOLoopBound<SocketHandler>) {
        (self.channel, self.handler) = (channel, handler)
    }

    /// The kernel takes more than the printer has room for: what it holds when a job is given up is lost with the
    /// connection, and counts as taken at most.
    static let sendBuffer = 16 * 1024
    /// An idle connection whose other end is gone is found out within half a minute.
    private static let keepAlive: (idle: Int, interval: Int, count: Int) = (15, 5, 3)
    /// Status reports have a few bytes.
    private static let receiveChunk = 1024

    /// Connects. Throws NIO's errors, and at once where the task is cancelled.
    static func connect(
        to host: String, port: Int, timeout: TimeAmount, on group: any EventLoopGroup
    ) async throws -> SocketPipe {
        let loop = group.next()
        let connected = loop.makePromise(of: SocketPipe.self)
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            open(host, port, timeout, on: loop).whenComplete { result in
                if isCancelled.load(ordering: .acquiring), case .success(let pipe) = result {
                    pipe.channel.close(promise: nil)
                }
                connected.completeWith(result)
            }
            return try await connected.futureResult.get()
        } onCancel: {
            isCancelled.store(true, ordering: .releasing)
            loop.execute { connected.fail(CancellationError()) }
        }
    }

    private static func open(
        _ host: String, _ port: Int, _ timeout: TimeAmount, on group: any EventLoopGroup
    ) -> EventLoopFuture<SocketPipe> {
        let bootstrap = ClientBootstrap(group: group)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_sndbuf), value: .init(sendBuffer))
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: keepAlive.idle)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: keepAlive.interval)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: keepAlive.count)
            // The end of input is a separate event: what the printer acknowledged is read before the socket closes.
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: receiveChunk))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SocketHandler(channel))
                }
            }
        return bootstrap.connect(host: host, port: port).flatMapThrowing { channel in
            let handler = try channel.pipeline.syncOperations.handler(type: SocketHandler.self)
            return SocketPipe(channel, NIOLoopBound(handler, eventLoop: channel.eventLoop))
        }
    }

    /// The printer's IP address.
    var remoteAddress: String? { channel.remoteAddress?.ipAddress }

    /// `192.0.2.10:9100`, for a trace.
    var remote: String { channel.remoteAddress.map { "\($0.ipAddress ?? "?"):\($0.port ?? 0)" } ?? "the printer" }

    func begin(_ bytes: ArraySlice<UInt8>, isLast: Bool, accepted: @escaping @Sendable (Int) -> Void) -> PendingSend {
        let handler = handler
        let number = SendQueue.nextNumber()
        let sending = PendingSend { [channel] in
            channel.eventLoop.execute { handler.value.cancel(number) }
        }
        if bytes.isEmpty {
            sending.finish(.success(()))
        } else if Task.isCancelled {
            sending.finish(.failure(.cancelled))
        } else {
            // Calls of one task come in their order.
            channel.eventLoop.execute {
                handler.value.begin(SendQueue.Call(number, bytes, sending, accepted))
            }
        }
        return sending
    }

    func responses() -> AsyncStream<[UInt8]> {
        let (stream, output) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(Self.maximumUnreadChunks))
        let handler = handler
        channel.eventLoop.execute { handler.value.deliverResponses(to: output) }
        return stream
    }

    /// Each of at most `receiveChunk` bytes; most have a few.
    private static let maximumUnreadChunks = 1024

    func portStatus() async throws(DevicePipeError) -> PortStatus? { nil }

    /// A connection that was given up cannot be restored: the printer needs another.
    func restore(resetting: Bool) async throws(DevicePipeError) {
        let handler = handler
        let broken: DevicePipeError?
        do {
            broken = try await channel.eventLoop.submit { handler.value.broken }.get()
        } catch {
            throw .disconnected("the connection is closed")
        }
        if let broken { throw broken }
    }

    /// Ends the connection once the printer has taken what was sent: says so to it (FIN), reads what it still has to
    /// say, and waits for its end of the connection. A socket that is closed with bytes unread would reset the
    /// connection, and the printer could lose the end of its data.
    func close(timeout: Duration) async {
        let handler = handler
        try? await channel.eventLoop.flatSubmit { handler.value.close(timeout: TimeAmount(timeout)) }.get()
    }

    /// Gives the connection up (RST): what the printer has not read is discarded.
    func reset() async {
        let handler = handler
        try? await channel.eventLoop.flatSubmit { () -> EventLoopFuture<Void> in
            handler.value.reset(.cancelled)
            return handler.value.closed
        }.get()
    }
}
