import NIOCore

// One timer a connection, set anew when it fires: an exchange that ends in time costs no scheduling of its own.
extension HTTPExchangeHandler {
    func watchTheClock() {
        let deadline = running?.exchange.deadline ?? idleSince.map { $0 + idleLimit.amount }
        guard let deadline, let eventLoop = context?.eventLoop, !isSpent else { return }
        if let timer, timer.at <= deadline { return }
        timer?.task.cancel()
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] () -> Void in
            self?.timerFired()
        }
        timer = (deadline, task)
    }

    private func timerFired() {
        timer = nil
        let now = NIODeadline.now()
        if running != nil {
            step { $0.timePassed(now: now) }
            goOn()
        } else if let idleSince, idleSince + idleLimit.amount <= now {
            spend()
        }
        watchTheClock()
    }
}
