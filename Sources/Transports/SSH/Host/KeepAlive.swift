import NIOCore

/// The keep-alive of one connection. Asks a silent server for a sign of life, and fails the connection when none comes
/// within the same time again.
///
/// Unchecked: its state is used on the host's event loop only.
final class KeepAlive: @unchecked Sendable {
    private let handler: SSHHandler
    private let deadlines: SSHDeadlines
    private let clock: any HostClock
    private let eventLoop: any EventLoop
    /// Whether no call uses the connection or waits for it.
    private let isIdle: () -> Bool
    private var octetsSeen: Int
    /// Whether the server was asked since its last octet.
    private var isAsked = false
    private var requestCount = 0
    private var timer: HostTimer?
    private var isStopped = false

    init(
        of handler: SSHHandler, deadlines: SSHDeadlines, clock: any HostClock, eventLoop: any EventLoop,
        isIdle: @escaping () -> Bool
    ) {
        self.handler = handler
        self.deadlines = deadlines
        self.clock = clock
        self.eventLoop = eventLoop
        self.isIdle = isIdle
        octetsSeen = handler.octetsReceived
    }

    func start() {
        timer = clock.schedule(in: TimeAmount(deadlines.keepAlive), on: eventLoop) { [weak self, handler] in
            // Nobody closed the host, and nobody refers to it any more.
            guard let self else { return handler.fail(.cancelled) }
            check()
        }
    }

    func stop() {
        isStopped = true
        timer?.cancel()
        timer = nil
    }

    private func check() {
        if requestCount >= deadlines.maximumKeepAlives, isIdle() {
            return handler.fail(SSHError(.connectionLost, operation: "", reason: "the session is old and is replaced"))
        }
        if handler.octetsReceived != octetsSeen {
            isAsked = false
        } else {
            guard !isAsked else {
                return handler.fail(
                    SSHError(.connectionLost, operation: "", reason: "the server does not respond any more"))
            }
            isAsked = true
            requestCount += 1
            handler.session.sendKeepAlive()
            handler.pump()
        }
        octetsSeen = handler.octetsReceived
        if !isStopped, handler.failure == nil { start() }
    }
}
