package import PrintModel

extension DeviceConversation {
    /// Gives the printer a document, and returns what its confirmation proves.
    ///
    /// Waits for a printer that takes no more, without limit while it says that it has stopped, and else for as long as its
    /// paper can need. A printer that is stopped from the beginning is sent nothing. Cancelling ends the sending within 100 ms;
    /// what has begun is cleaned up in the background.
    package func deliver(
        _ document: DocumentReader, progress: @escaping @Sendable (RunningJob.Event) -> Void
    ) async throws(DeliveryFailure) -> Evidence {
        guard await lane.enter() else { throw Self.cancelled }
        defer {
            lane.leave()
            keepUp()
        }
        try await makeReady()
        do throws(DeliveryFailure) {
            return try await run(document, progress)
        } catch {
            // An endpoint may have halted long ago, and has then taken nothing.
            guard error.pipe?.kind == .stalled, error.taken == 0 else { throw error }
            try await makeReady()
            return try await run(document, progress)
        }
    }

    private static let cancelled = DeliveryFailure(.cancelled, reason: "the job was cancelled")
    private static let gone = DeliveryFailure(.gone, reason: "it was unplugged or switched off")

    private func makeReady() async throws(DeliveryFailure) {
        if !isKnownToBeReady { isAskingDue = true }
        await prepare()
        if Task.isCancelled { throw Self.cancelled }
        if isOver { throw Self.gone }
        if debt != .none {
            throw DeliveryFailure(.silent, reason: "it takes nothing, and so could not be brought to a clean start; switch it off and on")
        }
        let condition = watch.condition
        if condition.isStopped {
            throw DeliveryFailure(.stopped, reason: condition.advice ?? "it prints nothing just now")
        }
    }

    private func run(
        _ document: DocumentReader, _ progress: @escaping @Sendable (RunningJob.Event) -> Void
    ) async throws(DeliveryFailure) -> Evidence {
        // Whatever was to be answered has been by now.
        if let quietSince, reportsByItself, quietSince.advanced(by: PrintPace(settings).longestSilence(holding: .max)) <= clock.now {
            memory.beganAnew()
        }
        // Answers come in order: what stood before one that came, and did not follow it at once, never will.
        if let answeredSince, answeredSince.advanced(by: Self.longestEcho) <= clock.now { memory.beganAnew() }
        let answersBefore = memory.outstanding
        let tracker = CompletionTracker(&memory, condition: watch.condition, star: watch.star)
        let gauge = FlowGauge(wakeup)
        let pump = DocumentPump(
            pipe: pipe, document: document, language: language, trailer: { await self.documentEnded(questions: $0) }, gauge: gauge)
        jobProgress = progress
        job = RunningJob(
            tracker, pace: paceNow(), documentLength: document.length,
            mustBeAsked: tracker.question != nil && !reportsByItself, now: clock.now)
        tell(.took(0))
        let began = clock.now
        let seen = await withDiscardingTaskGroup { group in
            group.addTask { await self.sendingEnded(await pump.run()) }
            let end = await watchJob(gauge, &group)
            group.cancelAll()
            return end
        }
        // It may have been confirmed at the very moment when it was given up.
        let end = seen ?? job?.end(at: clock.now, &memory)
        var ended = job
        (job, jobProgress) = (nil, nil)
        isAskingDue = true
        remember(ended, end, since: began)
        quietSince = clock.now
        if case .settled(let evidence)? = end {
            isReportAwaited = false
            return evidence
        }
        ended?.brokeOff(&memory, answersBefore: answersBefore)
        guard let ended else { throw Self.gone }
        let failure = failure(of: ended, end)
        debt.grow(to: debt(after: ended, failure))
        throw failure
    }

    /// For an answer that follows another one.
    private static let longestEcho = Duration.seconds(5)

    /// What a job begins with, of which nobody knows how much of the jobs before is on paper yet.
    private func paceNow() -> PrintPace {
        var pace = PrintPace(settings)
        if let quietSince { unconfirmed = pace.left(of: unconfirmed, after: quietSince.duration(to: clock.now)) }
        pace.before = unconfirmed
        // A few bytes may ask for any number of labels.
        if labels != nil { pace.length = PrintPace.longestPaper }
        return pace
    }

    /// How a job ended, for the next.
    private func remember(_ ended: RunningJob?, _ end: RunningJob.End?, since began: ElapsedClock.Instant) {
        if case .settled(let evidence)? = end, evidence > .sent {
            (unconfirmed, answeredSince) = (0, clock.now)
            return
        }
        answeredSince = nil
        guard let ended, ended.takenAtMost > 0 else { return }
        let moving = watch.condition.isStopped ? clock.now : max(began, quietSince ?? began)
        unconfirmed = PrintPace(settings).left(of: ended.deadline.paperAtMost, after: moving.duration(to: clock.now))
    }

    private func documentEnded(questions: Int) -> [UInt8] { job?.documentEnded(questions: questions, &memory) ?? [] }

    private func sendingEnded(_ outcome: DocumentPump.Outcome) {
        job?.sendingEnded(outcome, at: clock.now)
        wakeup.signal()
    }

    /// Until the job has ended; nil where that was not its own doing.
    private func watchJob(_ gauge: FlowGauge, _ group: inout DiscardingTaskGroup) async -> RunningJob.End? {
        let alarm = Alarm(wakeup, clock)
        defer { alarm.turnOff() }
        while let looking = job?.nextLook, !isOver, !Task.isCancelled {
            let now = clock.now
            tell(job?.flowed(to: gauge.taken, paper: gauge.paper, at: now))
            if let end = job?.end(at: now, &memory) { return end }
            if let bytes = question {
                question = nil
                questionsUnderWay += 1
                group.addTask { await self.ask(bytes) }
            } else if isAnswerOverdue {
                carryOut(watch.waitedInVain())
            } else if looking <= now {
                look(at: now, &group)
            } else {
                alarm.set(at: [answerDeadline, job?.deadline.deadline].compactMap { $0 }.reduce(looking, min))
                await wakeup.wait()
            }
        }
        return nil
    }

    /// After a printer that does not move on; by a way that harms nothing where the job stands.
    private func look(at now: ElapsedClock.Instant, _ group: inout DiscardingTaskGroup) {
        job?.looked(at: now)
        if isWorthAsking, questionsUnderWay == 0 { carryOut(watch.askNow(insideJob: job?.isSent != true)) }
        if !watch.isAsking { group.addTask { await self.askPort() } }
    }

    private func ask(_ question: [UInt8]) async {
        await send(question, until: nil)
        questionsUnderWay -= 1
    }

    private func failure(of job: RunningJob, _ end: RunningJob.End?) -> DeliveryFailure {
        let taken = job.takenAtMost
        switch end {
        case .lost(let words)?: return DeliveryFailure(.lost, taken: taken, reason: words)
        case .silent?:
            return DeliveryFailure(.silent, taken: taken, reason: "it takes no more, and does not say why; switch it off and on")
        case .broken?, .settled?, nil: break
        }
        switch job.sending?.failure {
        case .document(let failure)?: return DeliveryFailure(.documentUnreadable, taken: taken, reason: "\(failure.path): \(failure.reason)")
        case .pipe(let error)? where error.kind != .cancelled:
            if error.kind == .gone { self.end() }
            return DeliveryFailure(error, taken: taken)
        case .pipe?, nil: break
        }
        var failure = DeliveryFailure(isOver ? .gone : .cancelled, taken: taken, reason: isOver ? Self.gone.reason : Self.cancelled.reason)
        failure.isWhole = job.isSent
        return failure
    }

    /// A document that the printer has whole comes out as a whole, and nothing has to be cleaned up behind it; where the
    /// printer stands still, it is taken back while that can be done.
    private func debt(after job: RunningJob, _ failure: DeliveryFailure) -> Debt {
        guard failure.taken > 0 else { return .restoring }
        let canTakeBack = failure.kind == .cancelled && settings.recovery == .clearBuffers && watch.condition.isStopped
        if job.isSent, failure.kind == .gone || failure.kind == .cancelled && !canTakeBack { return .none }
        return .resynchronising(missing: max(0, job.documentLength - job.taken))
    }
}
