internal import NIOCore

/// Whether a server was asked for a sign of life. Unchecked: used on the host's event loop only.
private final class Silence: @unchecked Sendable {
    var since: Int
    var isAsked = false

    init(_ since: Int) { self.since = since }
}

// Time.
extension HostCore {
    func startKeepAlive(_ handler: SSHHandler) {
        let silence = Silence(handler.octetsReceived)
        let interval = TimeAmount(deadlines.keepAlive)
        keepAliveTimer = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            defer { silence.since = handler.octetsReceived }
            guard handler.octetsReceived == silence.since else { return silence.isAsked = false }
            guard !silence.isAsked else {
                return handler.fail(SSHError(.connectionLost, operation: "", reason: "the server does not answer any more"))
            }
            silence.isAsked = true
            handler.session.sendKeepAlive()
            handler.pump()
        }
    }

    /// Watches over what goes on, or closes what nobody uses.
    func watch(_ handler: SSHHandler) {
        idleTimer?.cancel()
        idleTimer = nil
        guard operations.isEmpty, line.isEmpty else {
            let pace = TimeAmount.milliseconds(100)
            if ticker == nil {
                ticker = eventLoop.scheduleRepeatedTask(initialDelay: pace, delay: pace) { [weak self] _ in self?.tick(handler) }
            }
            return
        }
        ticker?.cancel()
        ticker = nil
        idleTimer = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(deadlines.idle)) {
            handler.fail(SSHError(.connectionLost, operation: "", reason: "nothing was to do"))
        }
    }

    func stopTimers() {
        idleTimer?.cancel()
        keepAliveTimer?.cancel()
        ticker?.cancel()
        (idleTimer, keepAliveTimer, ticker) = (nil, nil, nil)
    }
}
