package import KioskPrintModel

/// Follows one job until the printer confirms that it has come out. Does no I/O and knows no time: the caller reports
/// the document's end, sends the returned bytes right behind it, hands in every reply, and says when it has waited long
/// enough.
///
/// Responses to `GS r` and `ETB` do not say to which request. Some may still arrive for earlier jobs, and for requests
/// in the document itself. Their highest number is counted (`StatusRequestCounter`), and one request more than that is
/// put behind the document. So whichever of them get a response, the last awaited response is to one of these.
package struct CompletionTracker: Sendable {
    /// To be sent again from time to time until the job is settled; nil where the printer reports automatically.
    package let request: [UInt8]?
    /// The process id that distinguishes this job's confirmation from others.
    package let id: String?
    package let method: DeviceSettings.Completion

    private(set) var evidence = Evidence.sent
    /// What a ZPL printer has said since the document's end.
    private var labels: LabelProgress
    /// How often in a row a PJL printer, asked, has said that it is ready since it has the document.
    private var idleReports = 0
    /// What a PJL printer said of the job's end before it had the whole document: an end of a part of it, unless the
    /// printer was quicker than the news that it has everything.
    private var earlyEnd: Evidence?
    private var condition: DeviceCondition
    /// Responses that must arrive before one is certainly ours; nil while none can be, or none was requested.
    private var responsesNeeded: Int?
    private var isCounted = false
    /// Our own requests behind the document.
    private var ownRequests = 0
    private var hasDocumentEnded = false
    /// Whether requests were sent, in the document or behind it.
    private(set) var hasRequests = false
    private var isSettled: Bool
    /// The printer confirms nothing, or too many requests precede the one that it would confirm.
    private var isUnconfirmed: Bool

    /// More than these, sent behind the document, would be longer than many documents.
    private static let maximumRequests = 256

    package enum Action: Hashable, Sendable {
        /// The printer has confirmed all that it will.
        case settled(Evidence)
        /// The printer needs attention, and then continues with the data that it holds. No time limit runs.
        case stopped([StateReason])
        case resumed
        /// The job, or the rest of it, was discarded: it is unknown what was printed.
        case lost(String)
        /// An earlier job, abandoned meanwhile, was printed after all.
        case confirmedLate(id: String)
    }

    /// `star` is the last status of a Star printer, requested just before the job, and `labelCount` a ZPL printer's
    /// odometer. With `isResponsive` false, the printer has responded to nothing so far, and nothing is waited for.
    package init(
        _ memory: inout CompletionMemory, condition: DeviceCondition = DeviceCondition(), star: StarStatus? = nil,
        labelCount: Int? = nil, isResponsive: Bool = true
    ) {
        // Responses beyond those expected do not count.
        memory.sent(requests: 0)
        if let star { memory.received(star) }
        method = isResponsive ? memory.method : .none
        self.condition = condition
        id = method == .processID || method == .jobStatus ? memory.nextID() : nil
        request =
            switch method {
            case .etb: StarCommand.requestStatus
            case .hostStatus: ZebraCommand.requestHostStatus
            case .processID, .statusRequest, .jobStatus, .none: nil
            }
        labels = LabelProgress(before: labelCount)
        (isSettled, isUnconfirmed) = (method == .none, method == .none)
    }

    /// Returns the bytes to send right before the document: those that name the job, so that the printer reports on it.
    package func documentBegins() -> [UInt8] {
        method == .jobStatus ? PJLCommand.begin(job: id ?? "") : []
    }

    /// Returns the bytes to send right behind the document, whose last byte is about to be sent; empty where nothing
    /// can be confirmed. A response that arrived before this call is not to our request.
    ///
    /// `requests` is the highest number of status requests in the document itself.
    package mutating func documentEnded(requests: Int = 0, _ memory: inout CompletionMemory) -> [UInt8] {
        guard !hasDocumentEnded else { return [] }
        hasDocumentEnded = true
        hasRequests = requests > 0
        memory.sent(requests: requests)
        switch method {
        case .processID:
            let named = EscPosCommand.requestProcessID(id ?? "")
            // Until the printer has returned an id once, a request that every printer knows follows: its response
            // arrives where the id does not.
            return memory.isProven(.processID)
                ? named : named + (repeated(EscPosCommand.requestStatus, atMost: Self.maximumRequests, &memory) ?? [])
        case .statusRequest:
            return repeated(EscPosCommand.requestStatus, atMost: Self.maximumRequests, &memory) ?? unconfirmed()
        case .etb:
            // Beyond its range the counter would wrap unnoticed; a printer that does not count reports only that there
            // was one.
            isCounted = memory.countsETB
            let maximum = isCounted ? Int(StarStatus.etbCounts) / 2 : 1
            return repeated(StarCommand.incrementCounter, atMost: maximum, &memory) ?? unconfirmed()
        case .hostStatus: return ZebraCommand.requestHostStatus
        case .jobStatus: return PJLCommand.end(job: id ?? "")
        case .none: return []
        }
    }

    /// Requests a response once more than responses may arrive to others; nil where that would be too many.
    private mutating func repeated(
        _ request: [UInt8], atMost maximum: Int, _ memory: inout CompletionMemory
    ) -> [UInt8]? {
        guard memory.outstanding < maximum else { return nil }
        let count = memory.outstanding + 1
        memory.sent(requests: count)
        hasRequests = true
        (ownRequests, responsesNeeded) = (count, count)
        return (0..<count).flatMap { _ in request }
    }

    private mutating func unconfirmed() -> [UInt8] {
        (isSettled, isUnconfirmed) = (true, true)
        return []
    }

    /// Handles a send that ended early. Responses may still arrive to `requests` in the part that was sent, and to our
    /// own where the printer may have one.
    mutating func aborted(requests: Int, hasOwn: Bool, _ memory: inout CompletionMemory) {
        memory.sent(requests: hasDocumentEnded ? 0 : requests)
        if !hasOwn { memory.retract(to: max(0, memory.outstanding - ownRequests)) }
        (hasDocumentEnded, ownRequests) = (true, 0)
    }

    /// How the printer confirms this job, for a trace: `process-id 0A3Z`.
    var confirmation: String {
        if let id { return "\(method.rawValue) \(id)" }
        return method == .none ? "nothing" : method.rawValue
    }

    /// What confirmed the job, for a trace.
    func proof(of evidence: Evidence) -> String {
        switch evidence {
        case .sent, .accepted: "not confirmed"
        case .processed where method == .processID:
            "confirmed by \(DeviceSettings.Completion.statusRequest.rawValue), and \(confirmation) did not come back"
        case .processed, .printed: "confirmed by \(confirmation)"
        }
    }

    /// Whether there is nothing (more) to wait for.
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
            return lose("the printer has discarded what it had not printed")
        case .automaticStatus(let status):
            return conditionChanged(to: status.condition)
        case .status, .realTimeStatus, .block, .garbage:
            return nil
        }
    }

    private mutating func receivedStatus(_ memory: inout CompletionMemory) -> Action? {
        memory.receivedResponse()
        guard isLastResponse(1) else { return nil }
        memory.confirmed(.statusRequest)
        evidence = max(evidence, .processed)
        // The id itself is still to arrive, once the paper has moved.
        return method == .statusRequest ? settle(.processed) : nil
    }

    /// Whether this many further responses complete the number needed.
    private mutating func isLastResponse(_ count: Int) -> Bool {
        guard let needed = responsesNeeded else { return false }
        responsesNeeded = needed > count ? needed - count : nil
        return needed <= count
    }

    /// Handles Star's status. A printer that does not count reports only that it has executed the ETB, which some do
    /// before printing has ended (Star, `ETB`, specification 1).
    package mutating func received(_ status: StarStatus, _ memory: inout CompletionMemory) -> Action? {
        let change = conditionChanged(to: status.condition)
        let counted = memory.count(status)
        guard !isSettled, method == .etb, responsesNeeded != nil else { return change }
        if isCounted {
            guard counted > 0, isLastResponse(counted) else { return change }
            memory.confirmed(.etb)
            return settle(.printed)
        }
        guard status.isETBExecuted else { return change }
        memory.receivedResponse()
        memory.confirmed(.etb)
        return settle(.processed)
    }

    /// Handles a ZPL printer's response. It says what it holds, but not for which job: the job is processed once the
    /// printer has been seen to hold labels behind its end and holds none any more, and printed where the odometer has
    /// moved by as many as it held. What comes before the printer has the whole job (`isSent`) says nothing of it.
    package mutating func received(
        _ reply: ZebraReply, isSent: Bool, _ memory: inout CompletionMemory
    ) -> Action? {
        let change: Action? =
            switch reply {
            case .hostStatus(let status): conditionChanged(to: status.condition)
            case .errors(let errors): conditionChanged(to: errors.condition)
            case .variable, .garbage: nil
            }
        guard !isSettled, isSent, method == .hostStatus else { return change }
        switch labels.received(reply, isStopped: isStopped) {
        case nil: return change
        case .discarded?: return lose("the printer has discarded labels that it held")
        case .proved(let evidence)?:
            if evidence > .sent { memory.confirmed(.hostStatus) }
            return settle(evidence)
        }
    }

    /// Handles a PJL printer's response. Only the end of the job with our name counts; `isSent` says that the printer
    /// has the whole job.
    package mutating func received(_ reply: PJLReply, isSent: Bool, _ memory: inout CompletionMemory) -> Action? {
        switch reply {
        case .status(let status):
            let change = conditionChanged(to: status.condition)
            guard !isSettled, isSent, method == .jobStatus, !status.isUnsolicited else { return change }
            idleReports = status.isReady ? idleReports + 1 : 0
            return readyAgain(&memory) ?? change
        case .job(let event, let name) where name == id && method == .jobStatus && !isSettled:
            idleReports = 0
            switch event {
            case .started: return nil
            case .cancelled: return lose("the job was cancelled at the printer")
            case .ended(_, let result?) where result != "OK":
                return lose("the printer ended the job with \(result)")
            case .ended(let pages, _):
                earlyEnd = pages == 0 ? .processed : .printed
                return isSent ? ended(&memory) : nil
            }
        case .job, .other, .garbage: return nil
        }
    }

    private mutating func ended(_ memory: inout CompletionMemory) -> Action? {
        guard let earlyEnd else { return nil }
        memory.confirmed(.jobStatus)
        return settle(earlyEnd)
    }

    /// Handles that a PJL printer, asked, is ready although it has not reported the job's end since it has the document.
    private mutating func readyAgain(_ memory: inout CompletionMemory) -> Action? {
        guard idleReports > 0 else { return nil }
        if earlyEnd != nil { return ended(&memory) }
        guard idleReports >= Self.maximumIdleReports else { return nil }
        if memory.isProven(.jobStatus) { return lose("the printer is ready, and has not reported the job's end") }
        memory.noteNoResponse(to: .jobStatus)
        return settle(.sent)
    }

    /// The status is asked after 1, 2 and 4 s, then every 8 s.
    private static let maximumIdleReports = 12

    /// What the printer's condition means for the job; nil where it means nothing new.
    package mutating func conditionChanged(to newer: DeviceCondition) -> Action? {
        let (wasStopped, wasRecoverable) = (isStopped, condition.isRecoverable)
        condition.merge(newer)
        if condition.facts.contains(.silent) { labels.noteSilence() }
        // A printer that confirms nothing can still stop while the job is sent.
        guard !isSettled || isUnconfirmed else { return nil }
        // An error from before the job did not affect it: some printers never clear the bit of an overflow.
        guard condition.isRecoverable || !wasRecoverable else {
            return lose(condition.advice ?? "the printer has lost a part of the job")
        }
        switch (wasStopped, isStopped) {
        case (false, true): return .stopped(condition.reasons)
        case (true, false): return .resumed
        default: return nil
        }
    }

    /// Whether the printer waits for a person. One that merely says nothing may as well hang.
    package var isStopped: Bool { condition.isReportedStopped }

    /// Ends the wait: the time that the paper can take is over, with the printer in order. Nil while the printer is
    /// stopped, or when the job is settled.
    ///
    /// The next weaker method is used from now on for a printer that has never responded to this one. If it has always
    /// responded before, the job's outcome is unknown: `lost`. So it is where the printer has responded to other requests
    /// and does not any more (`isSilent`).
    package mutating func timedOut(isSilent: Bool = false, _ memory: inout CompletionMemory) -> Action? {
        guard !isSettled, !isStopped else { return nil }
        if isSilent, evidence == .sent { return lose("the printer responds to nothing any more") }
        if memory.isProven(method) { return lose("the printer has not confirmed the job, as it did before") }
        memory.noteNoResponse(to: method)
        return settle(evidence)
    }

    private mutating func settle(_ evidence: Evidence) -> Action? {
        guard !isSettled else { return nil }
        self.evidence = evidence
        isSettled = true
        return .settled(evidence)
    }

    private mutating func lose(_ reason: String) -> Action? {
        guard !isSettled || isUnconfirmed else { return nil }
        isSettled = true
        return .lost(reason)
    }
}

/// What a ZPL printer has said of its labels since it has a whole document.
private struct LabelProgress: Sendable {
    enum Outcome {
        case proved(Evidence)
        /// It holds nothing, and has not printed all that it held.
        case discarded
    }

    /// The odometer before the job; nil where the printer has none.
    private let before: Int?
    /// The last odometer.
    private var count: Int?
    /// The least that the odometer must reach, by what the printer held at the time of an earlier odometer.
    private var needed = 0
    private var hasWorked = false
    /// Whether it left a request without a response meanwhile: without power it would have lost what it held.
    private var wasSilent = false
    /// How often in a row it has said that it holds nothing.
    private var idleReports = 0

    /// A label may be so short, or no label at all, that the printer is never seen at work. It is asked after 20, 40, 80
    /// and 160 ms, then every 250 ms.
    private static let maximumIdleReports = 12
    /// Between two labels it may seem to hold none, and the odometer is asked behind each report.
    private static let minimumIdleReports = 3

    init(before: Int?) { (self.before, count) = (before, before) }

    mutating func noteSilence() { wasSilent = true }

    /// What is known now; nil while there is more to wait for.
    mutating func received(_ reply: ZebraReply, isStopped: Bool) -> Outcome? {
        switch reply {
        case .hostStatus(let status):
            if status.isWorking {
                hasWorked = true
                if let count { needed = max(needed, count + status.remainingLabels) }
            }
            idleReports = status.isWorking || isStopped ? 0 : idleReports + 1
            return idleReports >= Self.minimumIdleReports ? idleOutcome : nil
        case .variable(let text):
            if before != nil { count = ZebraCommand.labelCount(in: text) ?? count }
            return nil
        case .errors, .garbage: return nil
        }
    }

    private var idleOutcome: Outcome? {
        let isLast = idleReports >= Self.maximumIdleReports
        guard let before, let count else {
            if hasWorked, !wasSilent { return .proved(.processed) }
            return isLast ? .proved(.sent) : nil
        }
        if count > before, count >= needed { return .proved(.printed) }
        // The last label may be on its way out, and it may have held formats that print none.
        guard isLast else { return nil }
        return needed > before ? .discarded : .proved(.sent)
    }
}
