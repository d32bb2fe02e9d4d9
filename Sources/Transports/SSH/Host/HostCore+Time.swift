import NIOCore

/// Whether a server was asked for a sign of life, and how often it was. Unchecked: used on the host's event loop only.
private final class Silence: @unchecked Sendable {
    var since: Int
    var isAsked = false
    var questions = 0

    init(_ since: Int) { self.since = since }
}

// Time.
extension HostCore {
    func startKeepAlive(_ handler: SSHHandler) { wait(for: handler, Silence(handler.octetsReceived)) }

    private func wait(for handler: SSHHandler, _ silence: Silence) {
        keepAliveTimer = clock.schedule(in: TimeAmount(deadlines.keepAlive), on: eventLoop) { [weak self] in
            // Nobody closed the host, and nobody has it any more.
            guard let self else { return handler.fail(.cancelled) }
            askForLife(handler, silence)
        }
    }

    private func askForLife(_ handler: SSHHandler, _ silence: Silence) {
        if silence.questions >= deadlines.mostKeepAlives, operations.isEmpty, line.isEmpty {
            return handler.fail(SSHError(.connectionLost, operation: "", reason: "the session is old and is made anew"))
        }
        if handler.octetsReceived != silence.since {
            silence.isAsked = false
        } else {
            guard !silence.isAsked else {
                return handler.fail(
                    SSHError(.connectionLost, operation: "", reason: "the server does not answer any more"))
            }
            silence.isAsked = true
            silence.questions += 1
            handler.session.sendKeepAlive()
            handler.pump()
        }
        silence.since = handler.octetsReceived
        if isUp(handler) { wait(for: handler, silence) }
    }

    /// Watches over what goes on, or closes what nobody uses.
    func watch(_ handler: SSHHandler) {
        idleTimer?.cancel()
        idleTimer = nil
        guard operations.isEmpty, line.isEmpty else {
            return startTicking()
        }
        ticker?.cancel()
        ticker = nil
        idleTimer = clock.schedule(in: TimeAmount(deadlines.idle), on: eventLoop) { [weak handler] in
            handler?.fail(SSHError(.connectionLost, operation: "", reason: "nothing was to do"))
        }
    }

    private func startTicking() {
        guard ticker == nil else { return }
        ticker = clock.schedule(in: .milliseconds(100), on: eventLoop) { [weak self] in
            guard let self else { return }
            ticker = nil
            tick()
            if case .up(let handler) = link, isUp(handler), !operations.isEmpty || !line.isEmpty { startTicking() }
        }
    }

    func stopTimers() {
        idleTimer?.cancel()
        keepAliveTimer?.cancel()
        ticker?.cancel()
        (idleTimer, keepAliveTimer, ticker) = (nil, nil, nil)
    }

    /// Looks after deadlines while something goes on.
    private func tick() {
        guard case .up(let handler) = link, handler.failure == nil else { return }
        let now = clock.now
        for operation in operations {
            if let since = operation.owedSince, now - since > TimeAmount(deadlines.answer) {
                let name = operation.isOpen ? operation.name : "open a channel"
                return handler.fail(
                    SSHError(.timedOut, operation: name, reason: "no answer within \(deadlines.answer)"))
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
