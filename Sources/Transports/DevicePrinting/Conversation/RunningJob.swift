import KioskAsyncPrimitives
package import KioskPrintModel

/// One job from its first byte to the printer's last response about it. Does no I/O; times are handed in.
package struct RunningJob: Sendable {
    private(set) var tracker: CompletionTracker
    private(set) var deadline: ProgressDeadline<ElapsedClock.Instant>
    let documentLength: Int
    /// Document bytes that are certainly with the printer.
    private(set) var accepted = 0
    /// How the send ended; nil while it continues.
    private var sending: DocumentSender.Outcome?
    /// Why the job is lost.
    private var loss: String?
    /// When to check the status of a printer that makes no progress.
    private(set) var nextStatusCheck: ElapsedClock.Instant
    private var checkInterval: Duration
    private let checkIntervals: ClosedRange<Duration>
    /// Bytes of document and trailer that are certainly with the printer.
    private var total = 0
    /// Whether the printer was asked once more when the job's time was over.
    private(set) var isLastCheckMade = false

    package enum Event: Hashable, Sendable {
        /// The printer has accepted this many bytes of the document.
        case accepted(Int)
        /// The printer needs attention, and then continues automatically.
        case stopped([StateReason])
        case resumed
    }

    /// How a job ended.
    enum End: Hashable, Sendable {
        case settled(Evidence)
        case lost(String)
        /// The document could not be read or sent.
        case sendFailed
        /// The printer made no progress for longer than the paper can need.
        case timedOut
    }

    /// `mustPoll` says that the printer does not report automatically that a job has come out.
    init(
        _ tracker: CompletionTracker, estimate: PrintTimeEstimate, documentLength: Int, mustPoll: Bool,
        now: ElapsedClock.Instant
    ) {
        self.tracker = tracker
        self.documentLength = documentLength
        deadline = ProgressDeadline(
            estimate, start: now, length: documentLength, underWay: min(documentLength, DocumentSender.underWay))
        checkIntervals = mustPoll ? .milliseconds(20) ... .milliseconds(250) : .seconds(1) ... .seconds(8)
        checkInterval = checkIntervals.lowerBound
        nextStatusCheck = now.advanced(by: checkInterval)
    }

    /// Whether the printer has everything, and only its confirmation is missing.
    var isSent: Bool { sending.map { $0.failure == nil } ?? false }

    /// Whether the printer may have a part of what precedes the document.
    var hasSentHeader: Bool { sending?.hasSentHeader ?? false }

    /// The most document bytes that the printer can have accepted; a smaller number once the send has ended.
    var maximumAccepted: Int { min(sending?.maximumAccepted ?? .max, documentLength) }

    /// Handles progress of the send: the bytes of document and trailer that the printer has so far, and how much paper
    /// it may move for the data that it holds.
    mutating func sendProgressed(
        to count: Int, paper: PrintTimeEstimate.Millimetres, at now: ElapsedClock.Instant
    ) -> Event? {
        deadline.prints(paper)
        guard count > total else { return nil }
        deadline.noteAccepted(count - total, at: now)
        total = count
        progressed(at: now)
        guard min(count, documentLength) > accepted else { return nil }
        accepted = min(count, documentLength)
        return .accepted(accepted)
    }

    mutating func sendingEnded(_ outcome: DocumentSender.Outcome, at now: ElapsedClock.Instant) {
        sending = outcome
        if outcome.failure == nil { progressed(at: now) }
    }

    mutating func received(
        _ reply: DeviceReply, _ memory: inout CompletionMemory, at now: ElapsedClock.Instant
    ) -> Event? {
        let before = tracker.evidence
        let action =
            switch reply {
            case .escPos(let reply): tracker.received(reply, &memory)
            case .star(let status): tracker.received(status, &memory)
            case .zebra(let reply): tracker.received(reply, isSent: isSent, &memory)
            case .pjl(let reply): tracker.received(reply, isSent: isSent, &memory)
            }
        if case .escPos = reply, action != nil || tracker.evidence != before { deadline.progressed(at: now) }
        return handle(action, at: now)
    }

    mutating func conditionChanged(to condition: DeviceCondition, at now: ElapsedClock.Instant) -> Event? {
        handle(tracker.conditionChanged(to: condition), at: now)
    }

    private mutating func handle(_ action: CompletionTracker.Action?, at now: ElapsedClock.Instant) -> Event? {
        switch action {
        case nil, .confirmedLate?: return nil
        case .settled?: break
        case .lost(let reason)?: loss = reason
        case .stopped(let reasons)?:
            deadline.stopped(at: now)
            return .stopped(reasons)
        case .resumed?:
            deadline.resumed(at: now)
            progressed(at: now)
            return .resumed
        }
        return nil
    }

    /// Returns the bytes to send right behind the document, which contains this many status requests.
    mutating func documentEnded(requests: Int, _ memory: inout CompletionMemory) -> [UInt8] {
        tracker.documentEnded(requests: requests, &memory)
    }

    /// Handles an end without the printer's confirmation. `outstandingBefore` is the number of responses that were
    /// outstanding when the job started.
    mutating func aborted(_ memory: inout CompletionMemory, outstandingBefore: Int) {
        let accepted = sending?.maximumAccepted ?? .max
        tracker.aborted(requests: sending?.requests ?? 0, hasOwn: accepted > documentLength, &memory)
        if accepted == 0 { memory.retract(to: outstandingBefore) }
    }

    /// Notes that the status is being checked; the next check comes after a longer time.
    mutating func statusChecked(at now: ElapsedClock.Instant) {
        nextStatusCheck = now.advanced(by: checkInterval)
        checkInterval = min(checkInterval * 2, checkIntervals.upperBound)
    }

    private mutating func progressed(at now: ElapsedClock.Instant) {
        isLastCheckMade = false
        checkInterval = checkIntervals.lowerBound
        nextStatusCheck = now.advanced(by: checkInterval)
    }

    /// Whether the time is over in which the printer should have confirmed the job.
    func awaitsConfirmation(at now: ElapsedClock.Instant) -> Bool {
        isSent && !tracker.isFinished && !tracker.isStopped && deadline.isOver(at: now)
    }

    mutating func makeLastCheck() { isLastCheckMade = true }

    /// The end of the job; nil while there is something to wait for. `isSilent` says that the printer, which has
    /// responded before, responds to nothing any more.
    mutating func end(at now: ElapsedClock.Instant, isSilent: Bool, _ memory: inout CompletionMemory) -> End? {
        if let loss { return .lost(loss) }
        if let sending, sending.failure != nil { return .sendFailed }
        if isSent, deadline.isOver(at: now) {
            _ = handle(tracker.timedOut(isSilent: isSilent, &memory), at: now)
        }
        if let loss { return .lost(loss) }
        guard isSent else { return deadline.isOver(at: now) ? .timedOut : nil }
        return tracker.isFinished ? .settled(tracker.evidence) : nil
    }

    /// Why the job failed. `isOver` says that the conversation has ended.
    func failure(_ end: End?, isOver: Bool) -> DeliveryFailure {
        switch end {
        case .lost(let reason)?: return DeliveryFailure(.lost, accepted: maximumAccepted, reason: reason)
        case .timedOut?:
            return DeliveryFailure(
                .timedOut, accepted: maximumAccepted,
                reason: "it accepts no more data, and does not say why; switch it off and on")
        case .sendFailed?, .settled?, nil: break
        }
        switch sending?.failure {
        case .document(let failure)?:
            return DeliveryFailure(
                .documentUnreadable, accepted: maximumAccepted, reason: "\(failure.path): \(failure.reason)")
        case .pipe(let error)? where error.kind != .cancelled: return DeliveryFailure(error, accepted: maximumAccepted)
        case .pipe?, nil: break
        }
        var failure: DeliveryFailure = isOver ? .disconnected : .cancelled
        (failure.accepted, failure.isComplete) = (maximumAccepted, isSent)
        return failure
    }
}

/// Why a printer did not confirm a job.
package struct DeliveryFailure: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case cancelled
        /// Nothing was sent, since the printer prints nothing before someone attends to it.
        case stopped
        /// Nothing was sent, since the printer does not respond: another program may hold its connection.
        case unanswered
        /// The printer has accepted nothing for longer than its paper can need, or was never resynchronised after an
        /// earlier job.
        case timedOut
        /// The printer has discarded a part, or did not confirm as it always did before.
        case lost
        /// Unplugged or switched off.
        case disconnected
        /// The pipe failed otherwise.
        case pipe
        case documentUnreadable
        /// The printer has no command for something that the ticket requires.
        case ticketUnfulfilled
    }

    package var kind: Kind
    /// Document bytes that the printer has accepted *at most*.
    package var accepted: Int
    /// What happened and what to do next, as the second half of a sentence.
    package var reason: String
    /// Whether the printer has the whole document, and so will print it in any case.
    package var isComplete = false
    package var pipe: DevicePipeError?

    package init(_ kind: Kind, accepted: Int = 0, reason: String, pipe: DevicePipeError? = nil) {
        self.kind = kind
        self.accepted = accepted
        self.reason = reason
        self.pipe = pipe
    }

    init(_ error: DevicePipeError, accepted: Int) {
        let kind: Kind =
            switch error.kind {
            case .disconnected: .disconnected
            case .cancelled: .cancelled
            case .stalled, .failed: .pipe
            }
        self.init(kind, accepted: accepted, reason: error.reason, pipe: error)
    }

    static let cancelled = DeliveryFailure(.cancelled, reason: "the job was cancelled")
    package static let unanswered = DeliveryFailure(
        .unanswered,
        reason: """
            it does not respond over this connection, so another program may be printing on it, and nothing was sent; if \
            it is this one's alone and cannot report its status, let its profile say `status: never`
            """)
    static let disconnected = DeliveryFailure(.disconnected, reason: "it was unplugged or switched off")
}
