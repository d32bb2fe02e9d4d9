import NIOCore

// Calls: from the line to a channel.
extension HostCore {
    /// A server may not have noticed yet that a channel is closed: then its refusal of another counts only after a
    /// while.
    private static let closingTime = TimeAmount.seconds(2)
    private static let retryTime = TimeAmount.milliseconds(20)
    /// After that, more channels are tried again.
    private static let loweredTime = TimeAmount.seconds(10)

    func run(
        _ command: RemoteCommand, progress: @escaping (RemoteProgress) -> Void, _ ticket: CallTicket,
        _ deliver: @escaping (Result<RemoteResult, SSHError>) -> Void
    ) {
        var feed: DocumentFeed?
        if case .document(let source, _) = command.input {
            feed = DocumentFeed(source, threadPool: threadPool, eventLoop: eventLoop) { [weak self] in self?.pump() }
        }
        var timer: HostTimer?
        let work = CommandWork(command, clock: clock, feed: feed, progress: progress) { result in
            timer?.cancel()
            ticket.cancel = nil
            deliver(result)
        }
        let call = HostCall(work, lane: command.lane)
        guard
            prepare(
                ticket,
                cancel: { [weak self] in
                    work.giveUp($0.during("exec"))
                    self?.afterGivingUp()
                })
        else { return }
        timer = clock.schedule(in: TimeAmount(command.total), on: eventLoop) { [weak self] in
            work.giveUp(SSHError(.timedOut, operation: "exec", reason: "it was not done within \(command.total)"))
            self?.afterGivingUp()
        }
        line.add(call, to: command.lane)
        advance()
    }

    /// Makes a call cancellable; false where it was cancelled already.
    func prepare(_ ticket: CallTicket, cancel: @escaping (SSHError) -> Void) -> Bool {
        if ticket.isCancelled {
            cancel(.cancelled)
            return false
        }
        ticket.cancel = cancel
        return true
    }

    func pump() {
        if case .up(let handler) = link { handler.pump() }
        spare?.pump()
    }

    func afterGivingUp() {
        advance()
        spare?.advance()
        pump()
    }

    func start(_ call: HostCall, _ lane: RemoteCommand.Lane, on handler: SSHHandler) {
        weak var started: ChannelOperation?
        let operation = ChannelOperation(
            call.work, clock: clock,
            refused: { [weak self] refusal in self?.wasRefused(call, refusal) },
            finished: { [weak self] in self?.advance() },
            released: { [weak self] in
                guard let self else { return }
                operations.removeAll { $0 === started }
                line.release(lane)
                if started?.wasOpened == true {
                    hasReleased = true
                    refusedSince = nil
                    if call.work.isGivenUp { abandoned += 1 }
                }
                advance()
            })
        started = operation
        operations.append(operation)
        handler.start(operation)
    }

    private func wasRefused(_ call: HostCall, _ refusal: ChannelOperation.Refusal) {
        guard !call.work.isGivenUp else { return }
        switch refusal {
        case .broken(let error):
            guard !call.isRetried, error.code != .cancelled else { return call.work.failed(error) }
            call.isRetried = true
            line.putBack(call, to: call.lane)
        case .channel(let error):
            let open = operations.count(where: \.isOpen)
            if open > 0 {
                lowerLimit(to: open)
                line.putBack(call, to: call.lane)
            } else if hasReleased, clock.now - (refusedSince ?? clock.now) < Self.closingTime {
                refusedSince = refusedSince ?? clock.now
                line.putBack(call, to: call.lane)
                isPaused = true
                later(Self.retryTime) { core in
                    core.isPaused = false
                    core.advance()
                }
            } else if hasReleased, !call.isRetried {
                // OpenSSH counts a session until its command has ended, though its channel be closed for long.
                call.isRetried = true
                line.putBack(call, to: call.lane)
                later(.zero) { $0.reconnect("commands that were given up hold its channels") }
            } else {
                call.work.failed(error)
            }
        }
    }

    private func lowerLimit(to open: Int) {
        line.lowerLimit(to: open)
        later(Self.loweredTime) { core in
            core.line.liftLimit()
            core.advance()
        }
    }

    private func later(_ time: TimeAmount, _ work: @escaping (HostCore) -> Void) {
        _ = clock.schedule(in: time, on: eventLoop) { [self] in work(self) }
    }

    /// Whoever waits gets another connection.
    func reconnect(_ reason: String) {
        guard case .up(let handler) = link else { return }
        handler.fail(SSHError(.connectionLost, operation: "", reason: reason))
    }
}
