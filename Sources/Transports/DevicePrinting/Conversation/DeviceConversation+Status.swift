import PrintModel

extension DeviceConversation {
    /// Does what the watch asks for; questions are sent by whoever holds the lane.
    func carryOut(_ actions: [StatusWatch.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): question = bytes
            case .wait(let time): answerDeadline = clock.now.advanced(by: time)
            case .changed(let condition):
                // What stood still goes on from here.
                quietSince = clock.now
                if answeredSince != nil { answeredSince = clock.now }
                tell(job?.became(condition, at: clock.now))
                publish(condition)
            case .silent: (isSilent, hasSpoken) = (true, false)
            }
        }
        if !watch.isAsking { (question, answerDeadline) = (nil, nil) }
    }

    func tell(_ event: RunningJob.Event?) {
        if let event { jobProgress?(event) }
    }

    /// Does what is due before the next job. The caller holds the lane, and no job runs.
    func prepare() async {
        for _ in 0..<2 {
            guard await payDebt() else { return }
            await askWhereDue()
            if debt == .none { return }
        }
        // It takes no questions; the job will show what it takes.
        _ = await payDebt()
    }

    /// Turns reports on, and gets the first.
    private func askWhereDue() async {
        guard isAskingDue, !isOver, debt == .none else { return }
        isAskingDue = false
        if language == .starLine, settings.status != .never, isKnownToBeReady {
            // What it is not to be asked while it reports; a document may have switched that off.
            await send(StarCommand.enableAutomaticStatus, until: clock.now.advanced(by: StatusWatch.answerTime))
        } else if isWorthAsking {
            // One that is offline keeps what it is asked in its turn, and must not be filled up with that.
            carryOut(isReportAwaited ? watch.askNow(insideJob: false) : watch.askInTurn())
            isReportAwaited = true
        }
        while watch.isAsking, !isOver, !Task.isCancelled {
            if let bytes = question {
                question = nil
                guard await send(bytes, until: answerDeadline) else {
                    watch.abandon()
                    isAskingDue = true
                    return
                }
            } else if isAnswerOverdue {
                carryOut(watch.waitedInVain())
            } else {
                await wakeup.wait(until: answerDeadline, clock)
            }
        }
        if watch.isAsking {
            // Cancelled; the question must not get into the next job.
            if let question, StatusWatch.isInTurn(question) { isReportAwaited = false }
            watch.abandon()
            carryOut([])
            isAskingDue = true
            return
        }
        if !hasSpoken { await askPort() }
    }

    /// One that left a question unanswered is not asked again; but whoever has said that it is stopped would stay so
    /// for ever.
    var isWorthAsking: Bool { pipe.hasBackChannel && (!isSilent || watch.condition.isStopped) }

    var isAnswerOverdue: Bool { answerDeadline.map { $0 <= clock.now } ?? false }

    /// A control request beside the data, so it may be made in a job as well.
    func askPort() async {
        let pipe = pipe
        let answer = await limited(until: clock.now.advanced(by: StatusWatch.answerTime)) {
            await Result { () async throws(DevicePipeError) in try await pipe.portStatus() }
        }
        switch answer {
        case .success(let status): if let status { carryOut(watch.received(status)) }
        case .failure(let error): if error.kind == .gone { end() }
        }
    }

    /// A printer that does not take a question whole would take the next thing for its rest.
    @discardableResult
    func send(_ bytes: [UInt8], until deadline: ElapsedClock.Instant?) async -> Bool {
        let pipe = pipe
        let sent = await limited(until: deadline) {
            await Result { () async throws(DevicePipeError) in try await pipe.send(bytes) { _ in } }
        }
        guard case .failure(let error) = sent else { return true }
        if error.kind == .gone { end() }
        debt.grow(to: error.taken > 0 && error.taken < bytes.count ? .resynchronising(missing: 0) : .restoring)
        return false
    }

    /// Runs something that ends soon when cancelled, and cancels it at the deadline.
    func limited<Value: Sendable>(
        until deadline: ElapsedClock.Instant?, _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        let working = Task { await work() }
        let timer = deadline.map { [clock] deadline in
            Task {
                guard (try? await clock.sleep(until: deadline, tolerance: nil)) != nil else { return }
                working.cancel()
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await working.value
        } onCancel: {
            working.cancel()
        }
    }
}

extension Result {
    fileprivate init(_ work: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
