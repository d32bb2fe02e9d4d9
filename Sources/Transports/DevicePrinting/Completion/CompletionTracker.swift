package import PrintModel

/// Follows one job to the printer's word that it has come out. Does no I/O and knows no time: the caller says when the
/// document ends, sends what it gets for that right behind it, hands in all that comes back, and says when it has
/// waited long enough.
///
/// Answers to `GS r` and `ETB` bear no name. Some may still come for earlier jobs, and for questions in the document
/// itself: how many at most is counted (`AnswerCounter`), and one question more than that is put behind the document.
/// So whatever of them is answered, the last answer that is waited for is to a question of ours.
package struct CompletionTracker: Sendable {
    /// To be asked again from time to time until the job is settled; nil where the printer speaks by itself.
    package let question: [UInt8]?
    /// What tells this job's confirmation from any other's.
    package let id: String?
    package let method: DeviceSettings.Completion

    private(set) var evidence = Evidence.sent
    private var condition: DeviceCondition
    /// Answers that must come before one is certainly ours; nil while none can be, or none was asked for.
    private var answersNeeded: Int?
    private var isCounted = false
    /// Questions that are ours.
    private var asked = 0
    private var hasDocumentEnded = false
    private var isSettled: Bool
    /// The printer confirms nothing, or too much stands before what it would confirm.
    private var isUnconfirmed: Bool

    /// Beyond this the questions behind the document would be longer than many a document.
    private static let mostQuestions = 256

    package enum Action: Hashable, Sendable {
        /// The printer has confirmed as much as it ever will.
        case settled(Evidence)
        /// Nothing moves until someone has been at the printer; then it goes on with what it has. No time limit runs.
        case stopped([StateReason])
        case resumed
        /// The job, or what was left of it, has been thrown away: what is on paper cannot be known.
        case lost(String)
        /// An earlier job, given up meanwhile, has come out after all.
        case confirmedLate(id: String)
    }

    /// `star` is what a Star printer last said, asked just before the job.
    package init(
        _ memory: inout CompletionMemory, condition: DeviceCondition = DeviceCondition(), star: StarStatus? = nil
    ) {
        // Answers that came for nothing count for nobody.
        memory.sent(questions: 0)
        if let star { memory.received(star) }
        method = memory.method
        self.condition = condition
        id = method == .processID ? memory.nextID() : nil
        question = method == .etb ? StarCommand.requestStatus : nil
        (isSettled, isUnconfirmed) = (method == .none, method == .none)
    }

    /// The document's last byte is about to be sent: what to send right behind it; empty where nothing can be
    /// confirmed. An answer that came before this is not ours.
    ///
    /// `questions`: those of the document itself, at most.
    package mutating func documentEnded(questions: Int = 0, _ memory: inout CompletionMemory) -> [UInt8] {
        guard !hasDocumentEnded else { return [] }
        hasDocumentEnded = true
        memory.sent(questions: questions)
        switch method {
        case .processID:
            let named = EscPosCommand.requestProcessID(id ?? "")
            // Until it has answered one, a question that every printer answers stands behind: its answer comes where
            // none to the id does.
            return memory.isProven(.processID)
                ? named : named + (ask(EscPosCommand.requestStatus, atMost: Self.mostQuestions, &memory) ?? [])
        case .statusRequest:
            return ask(EscPosCommand.requestStatus, atMost: Self.mostQuestions, &memory) ?? unconfirmed()
        case .etb:
            // More than the counter can count would go round unseen; a printer that does not count says only that there
            // was one.
            isCounted = memory.countsETB
            let most = isCounted ? Int(StarStatus.etbCounts) / 2 : 1
            return ask(StarCommand.countUp, atMost: most, &memory) ?? unconfirmed()
        case .none: return []
        }
    }

    /// One question more than answers may come to others; nil where that would be too many.
    private mutating func ask(_ question: [UInt8], atMost most: Int, _ memory: inout CompletionMemory) -> [UInt8]? {
        guard memory.outstanding < most else { return nil }
        let count = memory.outstanding + 1
        memory.sent(questions: count)
        (asked, answersNeeded) = (count, count)
        return (0..<count).flatMap { _ in question }
    }

    private mutating func unconfirmed() -> [UInt8] {
        (isSettled, isUnconfirmed) = (true, true)
        return []
    }

    /// The sending broke off: what it sent of the document may be answered, with so many questions, and ours where the
    /// printer may have one.
    mutating func brokeOff(questions: Int, hasOurs: Bool, _ memory: inout CompletionMemory) {
        memory.sent(questions: hasDocumentEnded ? 0 : questions)
        if !hasOurs { memory.retract(to: max(0, memory.outstanding - asked)) }
        (hasDocumentEnded, asked) = (true, 0)
    }

    /// Whether there is nothing to wait for, from the beginning or any more.
    package var isFinished: Bool { isSettled }

    package mutating func received(_ reply: EscPosReply, _ memory: inout CompletionMemory) -> Action? {
        switch reply {
        case .processID(let id) where id == self.id && hasDocumentEnded:
            memory.confirmed(.processID)
            return settle(.printed)
        case .processID(let id):
            return .confirmedLate(id: id)
        case .status where method == .processID || method == .statusRequest:
            return receivedStatus(&memory)
        case .cleared:
            return lose("the printer has thrown away what it had not printed")
        case .automaticStatus(let status):
            return became(status.condition)
        case .status, .realTimeStatus, .block, .garbage:
            return nil
        }
    }

    private mutating func receivedStatus(_ memory: inout CompletionMemory) -> Action? {
        memory.gotAnswer()
        guard isLastAnswer(1) else { return nil }
        memory.confirmed(.statusRequest)
        evidence = max(evidence, .processed)
        // The id's own answer is still to come, when the paper has.
        return method == .statusRequest ? settle(.processed) : nil
    }

    /// Whether so many more are all that are needed.
    private mutating func isLastAnswer(_ count: Int) -> Bool {
        guard let needed = answersNeeded else { return false }
        answersNeeded = needed > count ? needed - count : nil
        return needed <= count
    }

    /// Star's. A printer that does not count only says that it has carried out the ETB, which some do before printing
    /// has ended (Star, `ETB`, specification 1).
    package mutating func received(_ status: StarStatus, _ memory: inout CompletionMemory) -> Action? {
        let change = became(status.condition)
        let counted = memory.count(status)
        guard !isSettled, method == .etb, answersNeeded != nil else { return change }
        if isCounted {
            guard counted > 0, isLastAnswer(counted) else { return change }
            memory.confirmed(.etb)
            return settle(.printed)
        }
        guard status.isETBExecuted else { return change }
        memory.gotAnswer()
        memory.confirmed(.etb)
        return settle(.processed)
    }

    /// What the printer's state means for the job; nil where it means nothing new.
    package mutating func became(_ newer: DeviceCondition) -> Action? {
        let (wasStopped, couldGoOn) = (condition.isStopped, condition.goesOnWhenMended)
        condition.merge(newer)
        // One that confirms nothing stops as well while the job goes out.
        guard !isSettled || isUnconfirmed else { return nil }
        // What was so before the job was not the job's loss: some keep an overflow's bit for ever.
        guard condition.goesOnWhenMended || !couldGoOn else {
            return lose(condition.advice ?? "the printer has lost a part of the job")
        }
        switch (wasStopped, condition.isStopped) {
        case (false, true): return .stopped(condition.reasons)
        case (true, false): return .resumed
        default: return nil
        }
    }

    /// Whether waiting is for a person and not for the printer.
    package var isStopped: Bool { condition.isStopped }

    /// The time that the paper can take is over, with the printer in order: what stands now is all there will be. Nil
    /// while the printer is stopped, or when all is settled.
    ///
    /// A printer that never answered this way is asked the next weaker way from now on. One that always did leaves the
    /// job's fate unknown: `lost`.
    package mutating func fellSilent(_ memory: inout CompletionMemory) -> Action? {
        guard !isSettled, !isStopped else { return nil }
        if memory.isProven(method) { return lose("the printer has not confirmed the job, as it did before") }
        memory.leftUnanswered(method)
        return settle(evidence)
    }

    private mutating func settle(_ evidence: Evidence) -> Action? {
        guard !isSettled else { return nil }
        self.evidence = evidence
        isSettled = true
        return .settled(evidence)
    }

    private mutating func lose(_ words: String) -> Action? {
        guard !isSettled || isUnconfirmed else { return nil }
        isSettled = true
        return .lost(words)
    }
}
