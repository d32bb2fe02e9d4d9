package import PrintModel

/// One job between its first byte and the printer's last word on it. Does no I/O; times are handed in.
package struct RunningJob: Sendable {
    private(set) var tracker: CompletionTracker
    private(set) var deadline: ProgressDeadline<ElapsedClock.Instant>
    let documentLength: Int
    /// Document bytes that are certainly with the printer.
    private(set) var taken = 0
    /// How the sending ended; nil while it goes on.
    private(set) var sending: DocumentPump.Outcome?
    private(set) var loss: String?
    /// When to look after a printer that does not move on.
    private(set) var nextLook: ElapsedClock.Instant
    private var pause: Duration
    private let pauses: ClosedRange<Duration>
    private var total = 0

    package enum Event: Hashable, Sendable {
        /// So many bytes of the document are with the printer.
        case took(Int)
        /// Nothing moves before someone has been at the printer; then it goes on by itself.
        case stopped([StateReason])
        case resumed
    }

    /// What ends a job.
    enum End: Hashable, Sendable {
        case settled(Evidence)
        case lost(String)
        case broken
        /// Nothing moves for longer than the paper can need.
        case silent
    }

    /// `mustBeAsked`: the printer does not say by itself that a job has come out.
    init(
        _ tracker: CompletionTracker, pace: PrintPace, documentLength: Int, mustBeAsked: Bool, now: ElapsedClock.Instant
    ) {
        self.tracker = tracker
        self.documentLength = documentLength
        deadline = ProgressDeadline(
            pace, start: now, length: documentLength, underWay: min(documentLength, DocumentPump.underWay))
        pauses = mustBeAsked ? .milliseconds(20) ... .milliseconds(250) : .seconds(1) ... .seconds(8)
        pause = pauses.lowerBound
        nextLook = now.advanced(by: pause)
    }

    /// Whether the printer has all, and only its word is missing.
    var isSent: Bool { sending.map { $0.failure == nil } ?? false }

    /// At most; less once the sending has ended.
    var takenAtMost: Int { min(sending?.takenAtMost ?? .max, documentLength) }

    /// The bytes of document and trailer that the printer has so far, and how much paper it may move for what it holds.
    mutating func flowed(to count: Int, paper: PrintPace.Millimetres, at now: ElapsedClock.Instant) -> Event? {
        deadline.prints(paper)
        guard count > total else { return nil }
        deadline.took(count - total, at: now)
        total = count
        movedOn(at: now)
        guard min(count, documentLength) > taken else { return nil }
        taken = min(count, documentLength)
        return .took(taken)
    }

    mutating func sendingEnded(_ outcome: DocumentPump.Outcome, at now: ElapsedClock.Instant) {
        sending = outcome
        if outcome.failure == nil { movedOn(at: now) }
    }

    mutating func received(
        _ reply: EscPosReply, _ memory: inout CompletionMemory, at now: ElapsedClock.Instant
    ) -> Event? {
        let before = tracker.evidence
        let action = tracker.received(reply, &memory)
        if action != nil || tracker.evidence != before { deadline.progressed(at: now) }
        return took(action, at: now)
    }

    mutating func received(
        _ status: StarStatus, _ memory: inout CompletionMemory, at now: ElapsedClock.Instant
    ) -> Event? {
        took(tracker.received(status, &memory), at: now)
    }

    mutating func became(_ condition: DeviceCondition, at now: ElapsedClock.Instant) -> Event? {
        took(tracker.became(condition), at: now)
    }

    private mutating func took(_ action: CompletionTracker.Action?, at now: ElapsedClock.Instant) -> Event? {
        switch action {
        case nil, .confirmedLate?: return nil
        case .settled?: break
        case .lost(let words)?: loss = words
        case .stopped(let reasons)?:
            deadline.stopped(at: now)
            return .stopped(reasons)
        case .resumed?:
            deadline.resumed(at: now)
            movedOn(at: now)
            return .resumed
        }
        return nil
    }

    /// What goes right behind the document, which has so many questions of its own.
    mutating func documentEnded(questions: Int, _ memory: inout CompletionMemory) -> [UInt8] {
        tracker.documentEnded(questions: questions, &memory)
    }

    /// It ended otherwise than by the printer's word; `answersBefore`, what was to come when it began.
    mutating func brokeOff(_ memory: inout CompletionMemory, answersBefore: Int) {
        let taken = sending?.takenAtMost ?? .max
        tracker.brokeOff(questions: sending?.questions ?? 0, hasOurs: taken > documentLength, &memory)
        if taken == 0 { memory.retract(to: answersBefore) }
    }

    /// The printer is looked after; the next time comes later.
    mutating func looked(at now: ElapsedClock.Instant) {
        nextLook = now.advanced(by: pause)
        pause = min(pause * 2, pauses.upperBound)
    }

    private mutating func movedOn(at now: ElapsedClock.Instant) {
        pause = pauses.lowerBound
        nextLook = now.advanced(by: pause)
    }

    /// Nil while there is something to wait for.
    mutating func end(at now: ElapsedClock.Instant, _ memory: inout CompletionMemory) -> End? {
        if let loss { return .lost(loss) }
        if let sending, sending.failure != nil { return .broken }
        if isSent, deadline.isOver(at: now) { _ = took(tracker.fellSilent(&memory), at: now) }
        if let loss { return .lost(loss) }
        guard isSent else { return deadline.isOver(at: now) ? .silent : nil }
        return tracker.isFinished ? .settled(tracker.evidence) : nil
    }
}
