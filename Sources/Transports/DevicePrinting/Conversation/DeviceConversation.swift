import KioskAsyncPrimitives
package import KioskPrintModel

/// The conversation with one printer over its pipe: listens all the time, requests the status between jobs, delivers
/// jobs one after the other, and recovers the printer after an aborted job. Knows no USB and no network.
///
/// While idle it only listens. Printers that report automatically are never polled; others are asked when a caller
/// wants to know (`condition`) and between jobs.
package actor DeviceConversation {
    package enum Event: Hashable, Sendable {
        case changed(DeviceCondition)
        /// The pipe has broken. The printer needs a new pipe and a new conversation.
        case ended
    }

    package nonisolated let settings: DeviceSettings
    /// The printer's command language; nil where it is unknown.
    package nonisolated let language: DeviceSettings.Language?
    private let labelLanguage: LabelLanguage?
    private let pipe: any DevicePipe
    private let deadlinePipe: DeadlinePipe
    private let clock: ElapsedClock
    private let signal = AsyncSignal()
    /// Held by whoever sends: a request, a job, a recovery.
    let mutex = AsyncMutex()
    private let report: @Sendable (Event) -> Void
    private let trace: DeviceTrace
    /// How old the printer's last response over this pipe may be when it is sent a job; nil where it need not respond.
    /// One that is known to respond must: a connection that takes bytes proves nothing.
    private var maximumSilence: Duration?
    /// Whether the printer has responded over this pipe.
    package private(set) var hasResponded = false
    /// When it last did; nil from a request on that it leaves without a response.
    private var respondedAt: ElapsedClock.Instant?
    /// Since when the printer leaves requests without a response, although it has responded over this pipe.
    private var silentSince: ElapsedClock.Instant?
    /// Whether the printer was seen to leave requests without a response while it printed, and then to respond.
    private var isSilentWhilePrinting = false
    /// How many status requests in a row the printer has answered with bytes that are no status.
    package private(set) var unreadableResponses = 0
    private var hasReceivedSinceRequest = false
    /// The recovery that went out before the printer had responded over this pipe. It may not have reached it.
    private var unprovenRecovery = PendingRecovery.none

    private(set) var status: StatusMonitor
    private var history: JobHistory
    package private(set) var pendingRecovery: PendingRecovery
    private(set) var job: RunningJob?
    private var jobProgress: (@Sendable (RunningJob.Event) -> Void)?
    /// Status requests of a job that the pipe has not accepted yet.
    private var requestsUnderWay = 0
    private var recovery: RecoveryRun?
    /// Whether the recovery's bytes were sent; nil while they are being sent.
    private var isRecoverySent: Bool?
    /// Whether the pipe will never work again.
    package private(set) var isOver = false
    /// Whether it ended so that another can start over a new pipe: its last job is to be tried again there.
    package private(set) var isRetired = false

    private var replies: DeviceReplyParser
    private var listening: Task<Void, Never>?
    private var maintenance: Task<Void, Never>?
    private var maintenanceWaiters: [AsyncSignal] = []
    private var printerID = PrinterIDRequest.none

    /// A request for a printer id (`GS I`).
    private enum PrinterIDRequest {
        case none, sent
        /// Nil for one without a text.
        case answered(String?)
        /// There was no response, and one may still arrive: none is sent over this pipe any more.
        case unanswered
    }

    /// `language` comes from the device id and counts where the settings name none. `recovery` is what an earlier
    /// conversation left to do, `former` the memory of that conversation. With `maximumSilence`, a printer that
    /// has not responded for so long is asked first, and gets no job before it responds: behind a network connection
    /// another program may have it.
    package init(
        _ pipe: any DevicePipe, settings: DeviceSettings, language: DeviceSettings.Language?,
        labels: LabelLanguage? = nil,
        recovery: PendingRecovery = .none, former: CompletionMemory? = nil, seed: UInt32 = .random(in: 0...UInt32.max),
        maximumSilence: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(), trace: DeviceTrace = DeviceTrace(),
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.pipe = pipe
        self.settings = settings
        self.language = settings.language ?? language
        replies = DeviceReplyParser(self.language)
        labelLanguage = self.language == .zpl ? .zpl : labels
        self.maximumSilence = maximumSilence
        pendingRecovery = recovery
        self.clock = ElapsedClock(clock)
        deadlinePipe = DeadlinePipe(pipe, self.clock)
        self.report = report
        self.trace = trace
        // A printer that cannot respond confirms nothing.
        let memory = CompletionMemory(
            settings, language: pipe.hasBackChannel ? self.language : nil, seed: seed, former: former)
        status = StatusMonitor(settings, language: self.language, hasNoLabelCount: memory.hasNoLabelCount)
        history = JobHistory(memory, settings: settings)
    }

    /// How the printer has confirmed jobs so far.
    package var memory: CompletionMemory { history.memory }
    /// The most paper that the printer may still have to move for unconfirmed jobs.
    var unconfirmedPaper: PrintTimeEstimate.Millimetres { history.unconfirmedPaper }
    var isResynchronising: Bool { recovery != nil }

    // MARK: Lifecycle

    /// Starts to listen, and requests the status.
    package func begin() {
        guard listening == nil, !isOver else { return }
        trace.tell(
            """
            language \(language?.rawValue ?? "unknown"), jobs are confirmed by \(history.memory.method.rawValue), \
            \(pipe.hasBackChannel ? "with" : "without") a back-channel
            """)
        let responses = pipe.responses()
        listening = Task { [weak self, hasBackChannel = pipe.hasBackChannel] in
            for await bytes in responses { await self?.received(bytes) }
            if hasBackChannel { await self?.end() }
        }
        startMaintenance()
    }

    /// Ends the conversation; the caller closes the pipe. `isReported` is true where the pipe caused the end.
    package func end(isReported: Bool = true) {
        guard !isOver else { return }
        isOver = true
        trace.tell(isRetired ? "the conversation ends: the connection is released" : "the conversation ends")
        listening?.cancel()
        maintenance?.cancel()
        signal.raise()
        if isReported { report(.ended) }
    }

    /// Ends the conversation unless it is sending, or is about to. Later jobs find that it is over, and nothing of them
    /// is sent.
    package func retire() -> Bool {
        guard !mutex.isLocked else { return false }
        isRetired = true
        end(isReported: false)
        return true
    }

    /// Ends the conversation with a printer that must respond and left the last request without a response, unless it is
    /// sending, or is about to.
    package func endIfUnanswered() -> Bool {
        guard isUnanswered, !mutex.isLocked else { return false }
        end(isReported: false)
        return true
    }

    /// Ends the conversation with a printer whose last responses cannot be read, unless it is sending, or is about to.
    /// Returns how many these were; 0 where the conversation goes on.
    package func endIfUnreadable() -> Int {
        guard unreadableResponses > 0, !mutex.isLocked else { return 0 }
        end(isReported: false)
        return unreadableResponses
    }

    /// From now on, has the printer respond before each job unless it has done so within this time.
    package func requireResponse(within time: Duration) { maximumSilence = time }

    /// Whether the printer must respond, and left the last request without a response.
    private var isUnanswered: Bool { maximumSilence != nil && respondedAt == nil }

    /// Whether it is sending anything.
    package nonisolated var isBusy: Bool { mutex.isLocked }

    // MARK: Reports

    private func received(_ bytes: [UInt8]) {
        trace.received(bytes)
        history.active(at: clock.now)
        hasReceivedSinceRequest = true
        guard language != nil else { return }
        for reply in replies.feed(bytes) { received(reply) }
        signal.raise()
    }

    /// Notes a response: the pipe leads to the printer.
    private func noteResponse() {
        if silentSince != nil, job != nil { isSilentWhilePrinting = true }
        (hasResponded, respondedAt, silentSince, unprovenRecovery) = (true, clock.now, nil, .none)
    }

    private func received(_ reply: DeviceReply) {
        if reply.isResponse { noteResponse() }
        if reply.isStatus { unreadableResponses = 0 }
        // An odometer that comes late is an old one.
        if case .zebra(.variable) = reply, !status.awaitsLabelCount { return }
        conditionChanged(to: status.received(reply, at: clock.now))
        if case .escPos(let reply) = reply { receivedForMaintenance(reply) }
        guard job != nil else { return history.received(reply, at: clock.now) }
        publish(job?.received(reply, &history.memory, at: clock.now))
    }

    /// Handles the responses to what a recovery, and a request for a printer id, have sent.
    private func receivedForMaintenance(_ reply: EscPosReply) {
        if recovery != nil {
            recovery?.received(reply)
            if reply == .cleared { history.cleared() }
        }
        if case .sent = printerID, case .block(header: 0x5F, _) = reply {
            printerID = .answered(EscPosIDRequest.text(of: reply))
        }
    }

    /// Handles a new condition; nil where nothing has changed.
    private func conditionChanged(to condition: DeviceCondition?) {
        guard let condition else { return }
        trace.tell("status: \(condition.summary)")
        history.conditionChanged(at: clock.now)
        publish(job?.conditionChanged(to: condition, at: clock.now))
        report(.changed(condition))
    }

    private func publish(_ event: RunningJob.Event?) {
        if let event { jobProgress?(event) }
    }

    // MARK: Jobs

    /// Delivers a document to the printer, and returns what its confirmation proves.
    ///
    /// Waits for a printer that takes no more: without limit while it reports that it is stopped, otherwise as long as
    /// its paper can need. Nothing is sent to a printer that is stopped from the start. Cancelling ends the send within
    /// 100 ms; recovery from an aborted job follows in the background.
    package func deliver(
        _ document: DocumentReader, progress: @escaping @Sendable (RunningJob.Event) -> Void
    ) async throws(DeliveryFailure) -> Evidence {
        guard await mutex.lock() else { throw .cancelled }
        defer {
            mutex.unlock()
            startMaintenance()
        }
        try await makeReady()
        do throws(DeliveryFailure) {
            return try await run(document, progress)
        } catch {
            // An endpoint may have halted long ago, and has then accepted nothing.
            guard error.pipe?.kind == .stalled, error.accepted == 0 else { throw error }
            trace.tell("the endpoint had halted; the job is sent again")
            try await makeReady()
            return try await run(document, progress)
        }
    }

    private func makeReady() async throws(DeliveryFailure) {
        let start = clock.now
        let mustAsk = maximumSilence.map { isSilent(for: $0) || status.condition.isStopped } ?? !status.isKnownToBeReady
        if mustAsk { requireStatusRequest() }
        await prepare()
        if Task.isCancelled { throw .cancelled }
        // A request that was due for another reason may have stayed without a response as well.
        if maximumSilence != nil, respondedAt.map({ mustAsk && $0 < start }) ?? true, isUnproven || !isOver {
            trace.tell("no job is sent: the printer does not respond")
            throw .unanswered
        }
        if isOver { throw .disconnected }
        if pendingRecovery != .none {
            trace.tell("no job is sent: the printer is not resynchronised")
            throw DeliveryFailure(
                .timedOut, reason: "it accepts no data, so it could not be resynchronised; switch it off and on")
        }
        let condition = status.condition
        if condition.isStopped {
            trace.tell("no job is sent: the printer is stopped (\(condition.summary))")
            throw DeliveryFailure(.stopped, reason: condition.advice ?? "it cannot print at the moment")
        }
    }

    /// Whether the printer must respond over this pipe before it is sent a job, and has not.
    package var isUnproven: Bool { maximumSilence != nil && !hasResponded }

    private func isSilent(for time: Duration) -> Bool { respondedAt.map { $0.advanced(by: time) <= clock.now } ?? true }

    private func run(
        _ document: DocumentReader, _ progress: @escaping @Sendable (RunningJob.Event) -> Void
    ) async throws(DeliveryFailure) -> Evidence {
        history.expireResponses(reportsAutomatically: status.reportsAutomatically, at: clock.now)
        let outstandingBefore = history.memory.outstanding
        let tracker = CompletionTracker(
            &history.memory, condition: status.condition, star: status.star, labelCount: status.labelCount,
            isResponsive: status.hasReported || language != .zpl && language != .pjl)
        let header = tracker.documentBegins()
        if !header.isEmpty { trace.tell("before the document: \(DeviceTrace.hexadecimal(header))") }
        let sendProgress = SendProgress(signal, header: header.count)
        let sender = DocumentSender(
            pipe: pipe, document: document, language: language, header: header,
            trailer: { await self.documentEnded(requests: $0) },
            progress: sendProgress, trace: trace)
        var estimate = history.estimate(at: clock.now)
        // A few bytes may request any number of labels, and many pages.
        if labelLanguage != nil { estimate.length = PrintTimeEstimate.maximumPaper }
        if language == .pjl { estimate.length = PrintTimeEstimate.maximumPages }
        jobProgress = progress
        trace.tell("a job of \(document.length) bytes, to be confirmed by \(tracker.confirmation)")
        job = RunningJob(
            tracker, estimate: estimate, documentLength: document.length,
            mustPoll: tracker.request != nil && !status.reportsAutomatically, now: clock.now)
        publish(.accepted(0))
        let start = clock.now
        let seen = await withDiscardingTaskGroup { group in
            group.addTask { await self.sendEnded(await sender.run()) }
            let end = await watchJob(sendProgress, &group)
            group.cancelAll()
            return end
        }
        // The confirmation may have arrived at the very moment of the cancellation.
        let end = seen ?? job?.end(at: clock.now, isSilent: silentSince != nil, &history.memory)
        var ended = job
        (job, jobProgress) = (nil, nil)
        requireStatusRequest()
        history.ended(ended, end, start: start, isStopped: status.condition.isStopped, at: clock.now)
        history.active(at: clock.now)
        if let ended, !ended.tracker.hasRequests { history.memory.noteAccepted(ended.accepted) }
        if case .settled(let evidence)? = end {
            status.forgetAwaitedReport()
            trace.tell("\(evidence.rawValue): \(tracker.proof(of: evidence))")
            return evidence
        }
        ended?.aborted(&history.memory, outstandingBefore: outstandingBefore)
        guard let ended else { throw .disconnected }
        // Where the caller gave up, the end of the pipe may be the consequence.
        let failure = ended.failure(end, isOver: isOver && !(Task.isCancelled && pipe.endsWhenCancelled))
        trace.tell(
            """
            the job failed: \(failure.reason); at most \(failure.accepted) of its \(document.length) bytes were accepted
            """)
        if failure.pipe?.kind == .disconnected { self.end() }
        pendingRecovery.add(
            PendingRecovery(after: ended, failure, settings: settings, isStopped: status.condition.isStopped))
        throw failure
    }

    private func documentEnded(requests: Int) -> [UInt8] {
        let trailer = job?.documentEnded(requests: requests, &history.memory) ?? []
        if !trailer.isEmpty { trace.tell("behind the document: \(DeviceTrace.hexadecimal(trailer))") }
        return trailer
    }

    private func sendEnded(_ outcome: DocumentSender.Outcome) {
        if case .pipe(let error)? = outcome.failure { trace.tell(error.summary) }
        job?.sendingEnded(outcome, at: clock.now)
        signal.raise()
    }

    /// Watches the job until it has ended; nil where it was cancelled or the conversation ended.
    private func watchJob(
        _ sendProgress: SendProgress, _ group: inout DiscardingTaskGroup
    ) async -> RunningJob.End? {
        let timer = SignalTimer(signal, clock)
        defer { timer.cancel() }
        while let nextStatusCheck = job?.nextStatusCheck, !isOver, !Task.isCancelled {
            let now = clock.now
            publish(job?.sendProgressed(to: sendProgress.accepted, paper: sendProgress.paper, at: now))
            if isLastCheckDue(at: now) { job?.makeLastCheck() }
            let isChecking =
                job?.isLastCheckMade == true && job?.awaitsConfirmation(at: now) == true
                && (status.isRequesting || status.hasUnsentRequest)
            if !isChecking, let end = job?.end(at: now, isSilent: silentSince != nil, &history.memory) { return end }
            if let request = status.takeRequest() {
                requestsUnderWay += 1
                group.addTask { await self.sendJobRequest(request) }
            } else if status.isResponseOverdue(at: clock.now) {
                responseMissing()
            } else if nextStatusCheck <= now {
                checkStatus(at: now, &group)
            } else {
                let deadlines = [status.responseDeadline, isChecking ? nil : job?.deadline.deadline].compactMap(\.self)
                timer.set(at: deadlines.reduce(nextStatusCheck, min))
                await signal.wait()
            }
        }
        return nil
    }

    /// Star forbids requests while the printer reports automatically, so that it may leave them without a response.
    private var mayRequestInJob: Bool { language != .starLine || !status.reportsAutomatically }

    /// Whether the job's time is over, and the printer is to be asked once more: one that does not know the confirmation
    /// is told from one that hangs.
    private func isLastCheckDue(at now: ElapsedClock.Instant) -> Bool {
        guard let job, job.awaitsConfirmation(at: now), !job.isLastCheckMade, hasResponded, pipe.hasBackChannel,
            mayRequestInJob
        else { return false }
        status.requestInRealTime(insideJob: false, at: now)
        return true
    }

    /// How long a receipt printer has left requests without a response while it should print or be resynchronised; nil
    /// where it responds, does neither, or is one that says nothing meanwhile. Those of label and office printers may
    /// stand behind the job in their turn.
    package var silenceAtWork: Duration? {
        guard language == .escPOS || language == .starLine, !isSilentWhilePrinting, !isOver,
            job != nil || pendingRecovery != .none || recovery != nil
        else { return nil }
        return silentSince?.duration(to: clock.now)
    }

    /// Checks the status of a printer that makes no progress, in a way that cannot harm the job.
    private func checkStatus(at now: ElapsedClock.Instant, _ group: inout DiscardingTaskGroup) {
        job?.statusChecked(at: now)
        if isWorthRequesting || silentSince != nil, requestsUnderWay == 0 {
            status.requestInRealTime(insideJob: job?.isSent != true, at: clock.now)
        }
        if !status.isRequesting { group.addTask { await self.requestPortStatus() } }
    }

    private func sendJobRequest(_ request: [UInt8]) async {
        await send(request, until: nil)
        requestsUnderWay -= 1
    }

    // MARK: Status

    /// The printer's condition, requested first where the printer does not report automatically and is idle. Ends soon,
    /// with the last known condition.
    package func condition() async -> DeviceCondition {
        if !status.isKnownToBeReady { requireStatusRequest() }
        // The recovery of a stopped printer waits until someone has attended to it.
        let isBlocked = pendingRecovery != .none && status.condition.isStopped
        guard job == nil, recovery == nil, !isOver, !isBlocked, maintenance != nil || !mutex.isLocked else {
            return status.condition
        }
        let limit = clock.now.advanced(by: Self.maximumMaintenanceTime)
        let isUnderWay = maintenance != nil
        startMaintenance()
        await maintenanceEnded(by: limit)
        // Its request may have preceded this call, and its response lacks what has changed since.
        if isUnderWay, status.isRequestDue, job == nil, !mutex.isLocked {
            startMaintenance()
            await maintenanceEnded(by: limit)
        }
        return status.condition
    }

    private static let maximumMaintenanceTime = Duration.seconds(3)

    /// Requests the status before the next job, and when a caller wants to know the condition.
    package func requireStatusRequest() { status.requireRequest() }

    private var isWorthRequesting: Bool { pipe.hasBackChannel && status.isWorthRequesting }

    /// Enables automatic reports, and gets the first one.
    private func requestStatusIfDue() async {
        guard !isOver, pendingRecovery == .none, status.beginRequest() else { return }
        if language == .starLine, settings.status != .never, status.isKnownToBeReady {
            // Star forbids requests while the printer reports automatically; but a document may have disabled that.
            let deadline = clock.now.advanced(by: StatusTracker.responseTime)
            let before = respondedAt
            await send(StarCommand.enableAutomaticStatus, until: deadline)
            // It reports its status at once.
            while maximumSilence != nil, respondedAt == before, clock.now < deadline, !isOver, !Task.isCancelled {
                await signal.wait(until: deadline, clock)
            }
            if respondedAt == before { respondedAt = nil }
        } else if isWorthRequesting {
            status.request(at: clock.now)
        }
        while status.isRequesting, !isOver, !Task.isCancelled {
            if let request = status.takeRequest() {
                hasReceivedSinceRequest = false
                guard await send(request, until: status.responseDeadline) else {
                    respondedAt = nil
                    return status.requestFailed()
                }
            } else if status.isResponseOverdue(at: clock.now) {
                responseMissing()
            } else {
                await signal.wait(until: status.responseDeadline, clock)
            }
        }
        if status.isRequesting { return status.cancelRequest() }
        if !status.hasReported { await requestPortStatus() }
    }

    private func responseMissing() {
        trace.tell("no response within its time")
        if hasReceivedSinceRequest { unreadableResponses += 1 }
        let isLabelCount = status.awaitsLabelCount
        conditionChanged(to: status.timedOut(at: clock.now))
        history.memory.hasNoLabelCount = status.hasNoLabelCount
        // One without an odometer has responded to the request before.
        guard !status.isRequesting, !isLabelCount else { return }
        respondedAt = nil
        if hasResponded, silentSince == nil, mayRequestInJob { silentSince = clock.now }
    }

    /// Requests the port's status: a control request beside the data, so it can be made in a job as well.
    private func requestPortStatus() async {
        let deadline = clock.now.advanced(by: StatusTracker.responseTime)
        switch await deadlinePipe.portStatus(until: deadline) {
        case .success(let port): if let port { conditionChanged(to: status.received(port, at: clock.now)) }
        case .failure(let error): if error.kind == .disconnected { end() }
        }
    }

    /// Sends a request. A printer that did not take all of it needs a recovery: it would take the next bytes for the
    /// rest.
    @discardableResult
    private func send(
        _ bytes: [UInt8], until deadline: ElapsedClock.Instant?, accepted: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> Bool {
        trace.sent(bytes)
        guard case .failure(let error) = await deadlinePipe.send(bytes, until: deadline, accepted: accepted) else {
            return true
        }
        trace.tell(error.summary)
        if error.kind == .disconnected { end() }
        pendingRecovery.add(
            error.accepted > 0 && error.accepted < bytes.count ? .resynchronising(missing: 0) : .restoring)
        return false
    }

    // MARK: Printer ids

    /// How long a printer that is ready gets to answer a request for an id.
    private static let printerIDTime = Duration.seconds(2)

    /// Asks an ESC/POS printer for these ids (`GS I`) between jobs; those behind the first that it does not answer are
    /// missing. Nil where it cannot be asked now: it executes the request only while it can print. With `waits` false, a
    /// printer that is busy with a job or a recovery is not waited for.
    package func printerIDs(_ ids: [EscPosIDRequest], waits: Bool) async -> [EscPosIDRequest: String]? {
        if case .unanswered = printerID { return nil }
        guard language == .escPOS, waits || !mutex.isLocked, await mutex.lock() else { return nil }
        defer {
            mutex.unlock()
            startMaintenance()
        }
        await prepare()
        var found: [EscPosIDRequest: String] = [:]
        for id in ids {
            guard hasResponded, isWorthRequesting, pendingRecovery == .none, mayPrintNow else { return nil }
            let deadline = clock.now.advanced(by: Self.printerIDTime)
            printerID = .sent
            let isSent = await send(id.command, until: deadline)
            while isSent, case .sent = printerID, mayPrintNow, clock.now < deadline {
                await signal.wait(until: deadline, clock)
            }
            guard case .answered(let text) = printerID else {
                printerID = .unanswered
                return isSent && mayPrintNow ? found : nil
            }
            printerID = .none
            found[id] = text
        }
        return found
    }

    private var mayPrintNow: Bool { !isOver && !Task.isCancelled && !status.condition.isStopped }

    // MARK: Maintenance between jobs

    /// Starts whatever is due between jobs, in the background.
    private func startMaintenance() {
        guard maintenance == nil, !isOver, pendingRecovery != .none || status.isRequestDue else { return }
        maintenance = Task {
            if await mutex.lock() {
                await prepare()
                mutex.unlock()
            }
            maintenance = nil
            for waiter in maintenanceWaiters { waiter.raise() }
        }
    }

    /// Waits for the maintenance, which may take as long as the printer does and continues after the limit.
    private func maintenanceEnded(by limit: ElapsedClock.Instant) async {
        guard maintenance != nil else { return }
        let waiter = AsyncSignal()
        maintenanceWaiters.append(waiter)
        await waiter.wait(until: limit, clock)
        maintenanceWaiters.removeAll { $0 === waiter }
    }

    /// Does what is due before the next job. The caller holds the mutex, and no job runs.
    func prepare() async {
        for _ in 0..<2 {
            guard await recover() else { return }
            await requestStatusIfDue()
            if pendingRecovery == .none { return }
        }
        // The printer takes no requests; the job will show what it takes.
        _ = await recover()
    }

    // MARK: Recovery

    /// The recovery that the next conversation with this printer starts with, once the last job has ended.
    package func remainingRecovery() async -> PendingRecovery {
        if await mutex.lock() { mutex.unlock() }
        var recovery = pendingRecovery
        recovery.add(unprovenRecovery)
        return recovery
    }

    /// Requires a recovery, since a job of an earlier run may have been aborted in the printer. False where the
    /// conversation has ended.
    package func requireRecovery(missing: Int) -> Bool {
        guard !isOver else { return false }
        pendingRecovery.add(.resynchronising(missing: missing))
        startMaintenance()
        return true
    }

    /// Restores the pipe and resynchronises the printer after an aborted job. False where that failed; it then stays
    /// pending. The caller holds the mutex.
    private func recover() async -> Bool {
        guard pendingRecovery != .none, !isOver else { return !isOver }
        trace.tell("recovery: restore the pipe")
        let restored = await deadlinePipe.restore(until: clock.now.advanced(by: Self.maximumRestoringTime))
        if case .failure(let error) = restored {
            trace.tell("recovery: \(error.summary)")
            if error.kind == .disconnected { end() }
        }
        guard case .success = restored, !isOver else { return false }
        // Needs that arise from now on stay pending.
        let pending = pendingRecovery
        pendingRecovery = .none
        guard case .resynchronising(let missing) = pending else { return true }
        trace.tell("recovery: resynchronise the printer, which lacks at most \(missing) bytes of a job")
        guard await resynchronise(missing: missing) else {
            trace.tell("recovery: not completed")
            pendingRecovery.add(pending)
            return false
        }
        if maximumSilence != nil, !hasResponded { unprovenRecovery.add(pending) }
        trace.tell("recovery: completed")
        requireStatusRequest()
        return true
    }

    private static let maximumRestoringTime = Duration.seconds(5)

    /// Resynchronises the printer; false where that was not completed.
    private func resynchronise(missing: Int) async -> Bool {
        recovery = RecoveryRun(
            Resynchroniser(
                settings, language: language, labels: labelLanguage, condition: status.condition, missing: missing))
        defer { recovery = nil }
        // The recovery may discard a report that was requested before.
        status.forgetAwaitedReport()
        var deadline: ElapsedClock.Instant?
        while !isOver, !Task.isCancelled {
            switch recovery?.next() {
            case .wait(let time)?: deadline = clock.now.advanced(by: time)
            case .finished?:
                history.active(at: clock.now)
                // Star's printers execute `CAN` on reception; NULs do not discard data that the printer holds.
                if language == .starLine, settings.recovery == .clearBuffers { history.cleared() }
                return true
            case .send(let bytes)?:
                guard await sendRecovery(bytes) else { return false }
                history.memory.noteAccepted(bytes.count)
            case nil:
                if let due = deadline, due <= clock.now {
                    trace.tell("recovery: no response")
                    recovery?.timedOut()
                    deadline = nil
                } else {
                    await signal.wait(until: deadline, clock)
                }
            }
        }
        return false
    }

    /// Sends a recovery's bytes. A stopped printer may stay stopped for hours; any other gets the time to print all
    /// that it can hold, anew whenever it resumes.
    private func sendRecovery(_ bytes: [UInt8]) async -> Bool {
        isRecoverySent = nil
        let progress = SendProgress(signal)
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.sendRecoveryBytes(bytes, progress) }
            await watchRecovery(progress)
            group.cancelAll()
            return await group.next() ?? false
        }
    }

    private func sendRecoveryBytes(_ bytes: [UInt8], _ progress: SendProgress) async -> Bool {
        let isSent = await send(bytes, until: nil) { progress.noteAccepted($0) }
        isRecoverySent = isSent
        signal.raise()
        return isSent
    }

    /// Returns when the bytes are sent, or the time for that is over.
    private func watchRecovery(_ progress: SendProgress) async {
        let mayHang = isUnproven || silentSince != nil && maximumSilence != nil && !isSilentWhilePrinting
        let limit =
            mayHang ? Self.maximumUnprovenTime : PrintTimeEstimate(settings).maximumSilence(holding: .max)
        var deadline: ElapsedClock.Instant?
        var accepted = 0
        var nextStatusCheck = clock.now.advanced(by: Self.statusCheckInterval)
        while isRecoverySent == nil, !isOver, !Task.isCancelled {
            let now = clock.now
            if mayHang, progress.accepted > accepted { (accepted, deadline) = (progress.accepted, nil) }
            deadline = status.isStoppedForSure ? nil : deadline ?? now.advanced(by: limit)
            if let deadline, deadline <= now { return }
            if nextStatusCheck <= now {
                await requestPortStatus()
                nextStatusCheck = clock.now.advanced(by: Self.statusCheckInterval)
            } else {
                await signal.wait(until: min(deadline ?? nextStatusCheck, nextStatusCheck), clock)
            }
        }
    }

    private static let statusCheckInterval = Duration.seconds(8)
    /// A printer that has not responded over this pipe, and takes nothing, may serve another program; one that has
    /// stopped to respond, and takes nothing, hangs.
    private static let maximumUnprovenTime = Duration.seconds(5)
}
