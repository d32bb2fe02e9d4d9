import PrintModel

// How a job ended, and what it leaves behind.
extension DeviceConversation {
    static let cancelled = DeliveryFailure(.cancelled, reason: "the job was cancelled")
    static let gone = DeliveryFailure(.gone, reason: "it was unplugged or switched off")

    /// How a job ended, for the next.
    func remember(_ ended: RunningJob?, _ end: RunningJob.End?, since began: ElapsedClock.Instant) {
        if case .settled(let evidence)? = end, evidence > .sent {
            (unconfirmed, answeredSince) = (0, clock.now)
            return
        }
        answeredSince = nil
        guard let ended, ended.takenAtMost > 0 else { return }
        let moving = watch.condition.isStopped ? clock.now : max(began, quietSince ?? began)
        unconfirmed = PrintPace(settings).left(of: ended.deadline.paperAtMost, after: moving.duration(to: clock.now))
    }

    func failure(of job: RunningJob, _ end: RunningJob.End?) -> DeliveryFailure {
        let taken = job.takenAtMost
        switch end {
        case .lost(let words)?: return DeliveryFailure(.lost, taken: taken, reason: words)
        case .silent?:
            return DeliveryFailure(
                .silent, taken: taken, reason: "it takes no more, and does not say why; switch it off and on")
        case .broken?, .settled?, nil: break
        }
        switch job.sending?.failure {
        case .document(let failure)?:
            return DeliveryFailure(.documentUnreadable, taken: taken, reason: "\(failure.path): \(failure.reason)")
        case .pipe(let error)? where error.kind != .cancelled:
            if error.kind == .gone { self.end() }
            return DeliveryFailure(error, taken: taken)
        case .pipe?, nil: break
        }
        var failure = DeliveryFailure(
            isOver ? .gone : .cancelled, taken: taken, reason: isOver ? Self.gone.reason : Self.cancelled.reason)
        failure.isWhole = job.isSent
        return failure
    }

    /// A document that the printer has whole comes out as a whole, and nothing has to be cleaned up behind it; where
    /// the printer stands still, it is taken back while that can be done.
    func debt(after job: RunningJob, _ failure: DeliveryFailure) -> Debt {
        guard failure.taken > 0 else { return .restoring }
        let canTakeBack = failure.kind == .cancelled && settings.recovery == .clearBuffers && watch.condition.isStopped
        if job.isSent, failure.kind == .gone || failure.kind == .cancelled && !canTakeBack { return .none }
        return .resynchronising(missing: max(0, job.documentLength - job.taken))
    }
}
