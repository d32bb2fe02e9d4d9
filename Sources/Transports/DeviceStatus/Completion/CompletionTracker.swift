package import PrintModel

/// Follows one job from its last byte to the printer's word that it has come out. Does no I/O and knows no time: the caller
/// sends `trailer` right behind the job, hands in all that comes back, and says when it has waited long enough.
package struct CompletionTracker: Sendable {
    /// Right behind the job's last byte; empty where the printer confirms nothing.
    package let trailer: [UInt8]
    /// To be asked again from time to time until the job is settled; nil where the printer speaks by itself.
    package let question: [UInt8]?
    /// What tells this job's confirmation from any other's.
    package let id: String?
    package let method: DeviceSettings.Completion

    private(set) var evidence = Evidence.sent
    private var condition: DeviceCondition
    /// Answers to earlier jobs that may come before ours.
    private var answersBefore: Int
    private let etbTarget: UInt8?
    private var isSettled: Bool

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
    package init(_ memory: inout CompletionMemory, condition: DeviceCondition = DeviceCondition(), star: StarStatus? = nil) {
        if let star { memory.received(star) }
        method = memory.method
        self.condition = condition
        answersBefore = memory.outstanding
        isSettled = method == .none
        switch method {
        case .processID:
            let id = memory.nextID()
            self.id = id
            // Until it has answered one, a question that every printer answers stands behind: its answer comes where none to
            // the id does.
            let isProven = memory.isProven(.processID)
            trailer = EscPosCommand.requestProcessID(id) + (isProven ? [] : EscPosCommand.requestStatus)
            if !isProven { memory.sentQuestion() }
            (question, etbTarget) = (nil, nil)
        case .statusRequest:
            (id, trailer, question, etbTarget) = (nil, EscPosCommand.requestStatus, nil, nil)
            memory.sentQuestion()
        case .etb:
            // The counter tells jobs apart: ours makes it one more than all that went before.
            let before = UInt8(truncatingIfNeeded: answersBefore)
            etbTarget = star?.etbCount.map { ($0 &+ before &+ 1) % StarStatus.etbCounts }
            (id, trailer, question) = (nil, StarCommand.countUp, StarCommand.requestStatus)
            memory.sentQuestion()
        case .none:
            (id, trailer, question, etbTarget) = (nil, [], nil, nil)
        }
    }

    /// Whether there is nothing to wait for, from the beginning or any more.
    package var isFinished: Bool { isSettled }

    package mutating func received(_ reply: EscPosReply, _ memory: inout CompletionMemory) -> Action? {
        switch reply {
        case .processID(let id) where id == self.id:
            memory.answered(.processID)
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
        guard memory.outstanding > 0 else { return nil }
        memory.answered(.statusRequest)
        guard answersBefore == 0 else {
            answersBefore -= 1
            return nil
        }
        evidence = max(evidence, .processed)
        // The id's own answer is still to come, when the paper has.
        return method == .statusRequest ? settle(.processed) : nil
    }

    /// Star's. A printer that does not count only says that it has carried out the ETB, which some do before printing has
    /// ended (Star, `ETB`, specification 1).
    package mutating func received(_ status: StarStatus, _ memory: inout CompletionMemory) -> Action? {
        let change = became(status.condition)
        memory.received(status)
        guard !isSettled, method == .etb else { return change }
        if let etbTarget {
            guard status.etbCount == etbTarget else { return change }
            memory.confirmed(.etb)
            return settle(.printed)
        }
        guard status.isETBExecuted, answersBefore == 0 else { return change }
        memory.answered(.etb)
        return settle(.processed)
    }

    /// What the printer's state means for the job; nil where it means nothing new.
    package mutating func became(_ newer: DeviceCondition) -> Action? {
        let wasStopped = condition.isStopped
        condition.merge(newer)
        // One that confirms nothing stops as well while the job goes out.
        guard !isSettled || method == .none else { return nil }
        guard condition.goesOnWhenMended else { return lose(condition.advice ?? "the printer has lost a part of the job") }
        switch (wasStopped, condition.isStopped) {
        case (false, true): return .stopped(condition.reasons)
        case (true, false): return .resumed
        default: return nil
        }
    }

    /// Whether waiting is for a person and not for the printer.
    package var isStopped: Bool { condition.isStopped }

    /// The time that the paper can take is over, with the printer in order: what stands now is all there will be. Nil while
    /// the printer is stopped, or when all is settled.
    ///
    /// A printer that never answered this way is asked the next weaker way from now on. One that always did leaves the job's
    /// fate unknown: `lost`.
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
        guard !isSettled || method == .none else { return nil }
        isSettled = true
        return .lost(words)
    }
}
