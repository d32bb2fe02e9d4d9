internal import NIOCore

// Calls: from the line to a channel.
extension HostCore {
    /// How long a server may take to notice that a channel is closed, before its refusal of another counts.
    private static let closingTime = TimeAmount.milliseconds(500)
    private static let retryTime = TimeAmount.milliseconds(20)
    /// How long closed channels may hold up the line before another connection is made.
    private static let lingerTime = TimeAmount.seconds(2)

    func run(
        _ command: RemoteCommand, progress: @escaping (RemoteProgress) -> Void, _ ticket: CallTicket,
        _ deliver: @escaping (Result<RemoteResult, SSHError>) -> Void
    ) {
        var feed: DocumentFeed?
        if case .document(let source, _) = command.input {
            feed = DocumentFeed(source, threadPool: threadPool, eventLoop: eventLoop) { [weak self] in self?.pump() }
        }
        var timer: Scheduled<Void>?
        let work = CommandWork(command, feed: feed, progress: progress) { result in
            timer?.cancel()
            ticket.cancel = nil
            deliver(result)
        }
        let call = HostCall(work, lane: command.lane)
        guard prepare(ticket, cancel: { [weak self] in
            work.giveUp($0.during("exec"))
            self?.afterGivingUp()
        }) else { return }
        timer = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(command.total)) { [weak self] in
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
    }

    func afterGivingUp() {
        advance()
        pump()
    }

    func start(_ call: HostCall, _ lane: RemoteCommand.Lane, on handler: SSHHandler) {
        weak var started: ChannelOperation?
        let operation = ChannelOperation(
            call.work,
            refused: { [weak self] refusal in self?.wasRefused(call, refusal) },
            finished: { [weak self] in self?.advance() },
            released: { [weak self] in
                guard let self else { return }
                operations.removeAll { $0 === started }
                line.release(lane)
                lastRelease = .now()
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
            guard !call.isRetried else { return call.work.failed(error) }
            call.isRetried = true
            line.putBack(call, to: call.lane)
        case .channel(let error):
            let open = operations.count(where: \.isOpen)
            if open > 0 {
                line.lowerLimit(to: open)
                line.putBack(call, to: call.lane)
            } else if call.refusals < 25 {
                // It may not have noticed yet that we closed the last one.
                call.refusals += 1
                _ = eventLoop.assumeIsolated().scheduleTask(in: Self.retryTime) { [weak self] in
                    guard let self else { return call.work.failed(error) }
                    line.putBack(call, to: call.lane)
                    advance()
                }
            } else {
                call.work.failed(error)
            }
        }
    }

    /// Looks after deadlines while something goes on.
    func tick(_ handler: SSHHandler) {
        let now = NIODeadline.now()
        for operation in operations {
            if let since = operation.openingSince, now - since > TimeAmount(deadlines.answer) {
                return handler.fail(SSHError(
                    .timedOut, operation: "open a channel", reason: "no answer within \(deadlines.answer)"))
            }
            operation.work.checkTime(now)
        }
        sftp?.isUnwelcome = !line.isEmpty
        if sftp != nil { handler.pump() }
        // A command that reads no input keeps its closed channel open at the server; those who wait get another connection.
        if !line.isEmpty, !operations.isEmpty,
            operations.allSatisfy({ $0.closingSince.map { now - $0 > Self.lingerTime } ?? false })
        {
            handler.fail(SSHError(.connectionLost, operation: "", reason: "closed channels hold up the others"))
        }
    }
}
