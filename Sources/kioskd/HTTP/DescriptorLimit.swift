import Glibc
import Logging
import NIOCore
import Synchronization

/// The limit on open file descriptors (RLIMIT_NOFILE), of which connections never take the last. Printers, documents,
/// the database and what draws need some, and libdispatch ends the process when it cannot open a file of its own
/// (`_dispatch_workq_count_runnable_workers` in its workqueue.c).
final class DescriptorLimit: Sendable {
    enum Room: Hashable, Sendable {
        case plenty
        /// Root and the daemon's own user alone are served.
        case scarce
        /// Nobody is served any more.
        case none
    }

    private let refused: CInt
    private let logger: Logger
    private let lastLogged = Mutex<NIODeadline?>(nil)

    /// `refused` is how many connections of other users may be kept for a moment although they are refused.
    init(refused: Int, logger: Logger) {
        self.refused = CInt(refused)
        self.logger = logger
    }

    /// The room that is left besides a connection's descriptor.
    func room(beside descriptor: CInt) -> Room {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .plenty }
        let count = CInt(clamping: limit.rlim_cur)
        // The kernel gives the lowest number that is free. Where there are so many, connections alone never come near
        // the limit (`CallerLimits`).
        guard count <= 1024 || count - descriptor <= 256 else { return .plenty }
        let (kept, keptForRoot) = (min(32, count / 6), min(16, count / 12))
        let free = (0..<count).count { fcntl($0, F_GETFD) == -1 }
        return free >= kept + keptForRoot + refused ? .plenty : free >= kept ? .scarce : .none
    }

    /// Logs that connections are refused, at most once a second.
    func logRefusal(_ why: String) {
        let isDue = lastLogged.withLock { last in
            let now = NIODeadline.now()
            if let last, now - last < .seconds(1) { return false }
            last = now
            return true
        }
        guard isDue else { return }
        logger.error("\(why): close connections, or raise LimitNOFILE= in kioskd.service")
    }
}

/// Keeps the listening socket open when a connection cannot be accepted, and pauses instead of trying over and over. It
/// is the first handler in the socket's pipeline.
final class ListenerHandler: ChannelInboundHandler {
    typealias InboundIn = Channel
    typealias InboundOut = Channel

    private let descriptors: DescriptorLimit

    init(descriptors: DescriptorLimit) { self.descriptors = descriptors }

    private static let pause: TimeAmount = .milliseconds(100)

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case ECONNABORTED: return
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: break
        default: return context.fireErrorCaught(error)
        }
        descriptors.logRefusal("connections cannot be accepted (\(error))")
        // The event loop would report the waiting connection again at once.
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenComplete { _ in
            channel.eventLoop.scheduleTask(in: Self.pause) { channel.setOption(.autoRead, value: true) }
        }
    }
}
