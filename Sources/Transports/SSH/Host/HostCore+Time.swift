internal import NIOCore

/// Whether a server was asked for a sign of life, and how often it was. Unchecked: used on the host's event loop only.
private final class Silence: @unchecked Sendable {
    var since: Int
    var isAsked = false
    var questions = 0

    init(_ since: Int) { self.since = since }
}

// Time.
extension HostCore {
    func startKeepAlive(_ handler: SSHHandler) {
        let silence = Silence(handler.octetsReceived)
        let interval = TimeAmount(deadlines.keepAlive)
        keepAliveTimer = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] timer in
            guard let self else {
                // Nobody closed the host, and nobody has it any more.
                timer.cancel()
                return handler.fail(.cancelled)
            }
            if silence.questions >= deadlines.mostKeepAlives, operations.isEmpty, line.isEmpty {
                return handler.fail(SSHError(.connectionLost, operation: "", reason: "the session is old and is made anew"))
            }
            defer { silence.since = handler.octetsReceived }
            guard handler.octetsReceived == silence.since else { return silence.isAsked = false }
            guard !silence.isAsked else {
                return handler.fail(SSHError(.connectionLost, operation: "", reason: "the server does not answer any more"))
            }
            silence.isAsked = true
            silence.questions += 1
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
                ticker = eventLoop.scheduleRepeatedTask(initialDelay: pace, delay: pace) { [weak self] _ in self?.tick() }
            }
            return
        }
        ticker?.cancel()
        ticker = nil
        idleTimer = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(deadlines.idle)) { [weak handler] in
            handler?.fail(SSHError(.connectionLost, operation: "", reason: "nothing was to do"))
        }
    }

    func stopTimers() {
        idleTimer?.cancel()
        keepAliveTimer?.cancel()
        ticker?.cancel()
        (idleTimer, keepAliveTimer, ticker) = (nil, nil, nil)
    }

    /// Looks after deadlines while something goes on.
    func tick() {
        guard case .up(let handler) = link, handler.failure == nil else { return }
        let now = NIODeadline.now()
        for operation in operations {
            if let since = operation.owedSince, now - since > TimeAmount(deadlines.answer) {
                let name = operation.isOpen ? operation.name : "open a channel"
                return handler.fail(SSHError(.timedOut, operation: name, reason: "no answer within \(deadlines.answer)"))
            }
            operation.work.checkTime(now)
        }
        if let sftp, !sftp.isAccepting { self.sftp = nil }
        // Perhaps begun by another connection's, and here since.
        for case let sftp as SFTPWork in operations.map(\.work) {
            sftp.isUnwelcome = !line.isEmpty
            handler.pump()
        }
        makeWay(now)
    }
}
