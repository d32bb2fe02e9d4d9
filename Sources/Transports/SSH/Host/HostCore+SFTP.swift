import NIOCore

// SFTP: one channel for all who want it, opened at need.
extension HostCore {
    /// How long it stays open with nothing to do.
    private static let keepTime = TimeAmount.seconds(10)

    func upload(
        _ document: DocumentSource, to path: String, progress: @escaping (RemoteProgress) -> Void, _ ticket: CallTicket,
        _ deliver: @escaping (Result<Void, SSHError>) -> Void
    ) {
        let feed = DocumentFeed(document, threadPool: threadPool, eventLoop: eventLoop) { [weak self] in self?.pump() }
        var timer: HostTimer?
        let upload = SFTPUpload(
            path, feed: feed, progress: progress, leftBehind: { [weak self] in self?.removeLater(path) }
        ) {
            timer?.cancel()
            ticket.cancel = nil
            deliver($0)
        }
        let isWanted = prepare(ticket) { [weak self] in
            upload.giveUp($0.during("SFTP write"))
            self?.afterGivingUp()
        }
        guard isWanted else { return }
        // Once it is begun, each of its requests must be answered in time.
        timer = afterTime { if upload.isUntouched { upload.giveUp($0.during("SFTP open")) } }
        submit(upload)
    }

    func ask(_ request: SFTPRequest, _ ticket: CallTicket, _ deliver: @escaping (Result<Void, SSHError>) -> Void) {
        var timer: HostTimer?
        let question = SFTPQuestion(request, operation: request.operation) { result in
            timer?.cancel()
            ticket.cancel = nil
            deliver(result)
        }
        let isWanted = prepare(ticket) { [weak self] in
            question.failed($0)
            self?.afterGivingUp()
        }
        guard isWanted else { return }
        timer = afterTime { question.failed($0) }
        submit(question)
    }

    /// Tells a call that it has waited for too long, unless it is over by then.
    private func afterTime(_ giveUp: @escaping (SSHError) -> Void) -> HostTimer {
        clock.schedule(in: TimeAmount(deadlines.sftp), on: eventLoop) { [weak self, deadlines] in
            giveUp(SSHError(.timedOut, operation: "", reason: "it had no answer within \(deadlines.sftp)"))
            self?.afterGivingUp()
        }
    }

    private func removeLater(_ path: String) {
        if isClosing { return }
        submit(SFTPQuestion(.remove(path), operation: "SFTP remove") { _ in })
    }

    private func submit(_ job: any SFTPJob) {
        if let sftp, sftp.isAccepting {
            sftp.add(job)
            return afterGivingUp()
        }
        let work = SFTPWork(clock: clock, answerTime: TimeAmount(deadlines.answer), keepTime: Self.keepTime) {
            [weak self] job in
            guard let self else { return job.failed(SSHError.cancelled) }
            // Not from within the old session's end.
            eventLoop.assumeIsolated().execute { self.submit(job) }
        }
        sftp = work
        work.add(job)
        line.add(HostCall(work, lane: .delivery), to: .delivery)
        advance()
    }
}

extension SFTPRequest {
    var operation: String {
        switch self {
        case .create: "SFTP open"
        case .write: "SFTP write"
        case .close: "SFTP close"
        case .remove: "SFTP remove"
        case .rename: "SFTP rename"
        case .look: "SFTP lstat"
        }
    }
}
