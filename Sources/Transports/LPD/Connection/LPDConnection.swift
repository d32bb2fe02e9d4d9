import Glibc
import KioskPrintModel
import NIOCore
import NIOPosix
import Synchronization

/// Asks a handler on a channel to give its exchange up.
struct GiveUp: Sendable {}

/// One exchange with a line printer daemon over a TCP connection of its own: RFC 1179 §5 has one command for each.
enum LPDConnection {
    /// An idle connection whose other end is gone is found out within half a minute.
    private static let keepAlive: (idle: Int, interval: Int, count: Int) = (15, 5, 3)
    /// The kernel takes more than the printer has room for: what it holds may be printed.
    private static let sendBuffer = 16 * 1024

    /// Connects, runs the handler that `makeHandler` returns until it fulfils its promise, and returns the result. Ends
    /// soon when the task is cancelled. Throws `LPDFailure`.
    static func run<Value: Sendable>(
        at url: PrinterURL, connecting timeout: Duration, on group: any EventLoopGroup,
        _ makeHandler: @escaping @Sendable (any Channel, EventLoopPromise<Value>) -> any ChannelInboundHandler
    ) async throws -> Value {
        let loop = group.next()
        let promise = loop.makePromise(of: Value.self)
        let cancelling = Cancelling()
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(.init(timeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_sndbuf), value: .init(sendBuffer))
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: keepAlive.idle)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: keepAlive.interval)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: keepAlive.count)
            .channelOption(.allowRemoteHalfClosure, value: true)
        return try await withTaskCancellationHandler {
            bootstrap.connect(host: url.resolvableHost, port: url.effectivePort ?? 515).whenComplete { result in
                switch result {
                case .failure(let error): promise.fail(LPDFailure(.notConnected(error)))
                case .success(let channel):
                    // Only now: of a host's addresses, several may be tried at a time.
                    do {
                        guard cancelling.begin(channel) else { throw LPDFailure(.cancelled) }
                        try channel.pipeline.syncOperations.addHandler(makeHandler(channel, promise))
                    } catch {
                        promise.fail(LPDFailure(error))
                        channel.close(promise: nil)
                    }
                }
            }
            return try await promise.futureResult.get()
        } onCancel: {
            cancelling.cancel(promise)
        }
    }
}

/// What a cancelled task does to its connection, whether that is made or not.
private final class Cancelling: Sendable {
    private let state = Mutex<(isCancelled: Bool, channel: (any Channel)?)>((false, nil))

    /// False where it was cancelled before.
    func begin(_ channel: any Channel) -> Bool {
        state.withLock { state in
            state.channel = channel
            return !state.isCancelled
        }
    }

    func cancel<Value>(_ promise: EventLoopPromise<Value>) {
        let channel = state.withLock { state in
            state.isCancelled = true
            return state.channel
        }
        // A connection that is still being made is closed once it is.
        guard let channel else { return promise.fail(LPDFailure(.cancelled)) }
        channel.pipeline.fireUserInboundEventTriggered(GiveUp())
    }
}

/// Fires where nothing moves for too long. On one event loop.
struct IdleTimer {
    private let eventLoop: any EventLoop
    private var scheduled: Scheduled<Void>?

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    mutating func start(_ time: Duration, _ fire: @escaping () -> Void) {
        scheduled?.cancel()
        scheduled = eventLoop.assumeIsolated().scheduleTask(in: .init(time)) { fire() }
    }

    mutating func stop() {
        scheduled?.cancel()
        scheduled = nil
    }
}
