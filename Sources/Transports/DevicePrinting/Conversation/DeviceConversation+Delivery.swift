package import PrintModel

extension DeviceConversation {
    /// Gives the printer a document, and returns what its confirmation proves.
    ///
    /// Waits for a printer that takes no more, without limit while it says that it has stopped, and else for as long as
    /// its paper can need. A printer that is stopped from the beginning is sent nothing. Cancelling ends the sending
    /// within 100 ms; what has begun is cleaned up in the background.
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

    private func makeReady() async throws(DeliveryFailure) {
        if !isKnownToBeReady { isAskingDue = true }
        await prepare()
        if Task.isCancelled { throw Self.cancelled }
        if isOver { throw Self.gone }
        if debt != .none {
            throw DeliveryFailure(
                .silent, reason: "it takes nothing, and so could not be brought to a clean start; switch it off and on")
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
        if let quietSince, reportsByItself,
            quietSince.advanced(by: PrintPace(settings).longestSilence(holding: .max)) <= clock.now
        {
            memory.beganAnew()
        }
        // Answers come in order: what stood before one that came, and did not follow it at once, never will.
        if let answeredSince, answeredSince.advanced(by: Self.longestEcho) <= clock.now { memory.beganAnew() }
        let answersBefore = memory.outstanding
        let tracker = CompletionTracker(&memory, condition: watch.condition, star: watch.star)
        let gauge = FlowGauge(wakeup)
        let pump = DocumentPump(
            pipe: pipe, document: document, language: language, trailer: { await self.documentEnded(questions: $0) },
            gauge: gauge)
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

    private func documentEnded(questions: Int) -> [UInt8] { job?.documentEnded(questions: questions, &memory) ?? [] }

    private func sendingEnded(_ outcome: DocumentPump.Outcome) {
        job?.sendingEnded(outcome, at: clock.now)
        wakeup.signal()
    }
}
