internal import Glibc
internal import Logging
internal import NIOCore
internal import Synchronization

/// Spare descriptors, which are closed when no others are left. Then root and the daemon's own user are still served, other users are told why they
/// are not, and jobs still reach their printers.
final class DescriptorReserve: Sendable {
    private static let size = 16
    private let held = Mutex<[CInt]>([])

    /// Opens those that are missing; true where all are open.
    @discardableResult
    func fill() -> Bool {
        held.withLock { held in
            while held.count < Self.size {
                let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { return false }
                held.append(descriptor)
            }
            return true
        }
    }

    /// Closes all of them; false where none was left.
    func release() -> Bool {
        let released = held.withLock { held in
            defer { held = [] }
            return held
        }
        for descriptor in released { close(descriptor) }
        return !released.isEmpty
    }

    var isShort: Bool { held.withLock { $0.count < Self.size } }

    deinit { _ = release() }
}

/// Keeps the listening socket open when a connection cannot be accepted: gives up the reserve, or pauses instead of trying over and over. It is the
/// first handler in the socket's pipeline.
final class ListenerHandler: ChannelInboundHandler {
    typealias InboundIn = Channel
    typealias InboundOut = Channel

    private let reserve: DescriptorReserve
    private let logger: Logger
    private var lastLogged: NIODeadline?
    private var isRefilling = false

    init(reserve: DescriptorReserve, logger: Logger) {
        self.reserve = reserve
        self.logger = logger
    }

    private static let pause: TimeAmount = .milliseconds(100)
    private static let refill: TimeAmount = .seconds(1)

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case ECONNABORTED: return
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: break
        default: return context.fireErrorCaught(error)
        }
        log(error)
        if !reserve.release() { pause(context) }
        refillLater(context)
    }

    /// Logs at most once a second.
    private func log(_ error: any Error) {
        let now = NIODeadline.now()
        if let lastLogged, now - lastLogged < .seconds(1) { return }
        lastLogged = now
        logger.error("connections cannot be accepted (\(error)): until descriptors are free only root and kioskd's own user are served; close connections, or raise LimitNOFILE= in kioskd.service")
    }

    /// Stops accepting for a moment: otherwise the event loop would report the waiting connection again at once.
    private func pause(_ context: ChannelHandlerContext) {
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenComplete { _ in
            channel.eventLoop.scheduleTask(in: Self.pause) { channel.setOption(.autoRead, value: true) }
        }
    }

    private func refillLater(_ context: ChannelHandlerContext) {
        guard !isRefilling else { return }
        isRefilling = true
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.refill) {
            self.isRefilling = false
            guard self.reserve.fill() else { return self.refillLater(context) }
            self.logger.notice("connections are accepted again")
        }
    }
}
