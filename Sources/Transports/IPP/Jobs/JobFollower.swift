import KioskIPPCodec
import KioskPrintModel
import NIOCore

/// Follows one job at its printer to its end: polls it, and listens to the printer's events once the job is long enough
/// for that to pay.
struct JobFollower {
    private let job: RemoteJob
    private let client: IPPClient
    private let timer: any PollTimer

    /// `clock`: paces the polling; nil for the event loop's time.
    init(_ job: RemoteJob, client: IPPClient, clock: (any Clock<Duration>)?) {
        self.job = job
        self.client = client
        if let clock {
            timer = Self.timer(clock)
        } else {
            timer = EventLoopPollTimer(client.link)
        }
    }

    private static func timer(_ clock: some Clock<Duration>) -> any PollTimer { ClockPollTimer(clock) }

    /// Returns the job's last report; `update` receives those before it, where they differ from one another.
    func follow(update: @Sendable (JobReport) -> Void) async throws(TransportError) -> JobReport {
        let request = try client.jobRequest(
            .getJobAttributes, job, requesting: JobReport.requestedAttributes + JobIdentity.requestedAttributes)
        var poller = JobPoller(lostPrinterTimeout: client.deadlines.lostPrinter)
        var listener: NotificationListener?
        defer { listener?.end() }
        var heard = NotificationListener.Outcome.unavailable
        var falseEvents = 0
        try await pause(client.knowledge.firstPause(of: job))
        while true {
            let outcome = try await poll(request)
            switch poller.receive(outcome, elapsed: timer.elapsed) {
            case .wait(let duration, let report):
                if let report {
                    update(report)
                    listener?.jobChanged(after: heard)
                }
                // Events that no change follows must not speed up the polling. They count until the job changes or a
                // whole wait is silent.
                if report != nil || heard == .silence {
                    falseEvents = 0
                } else if heard != .unavailable {
                    falseEvents += 1
                }
                heard = .unavailable
                if JobPoller.isLong(after: timer.elapsed), falseEvents < Self.maximumFalseEvents {
                    listener = listener ?? NotificationListener(client)
                    heard = try await listen(listener)
                }
                if heard == .unavailable { try await pause(duration) }
            case .finish(let report):
                listener?.jobEnded(after: heard)
                client.knowledge.jobEnded(after: timer.elapsed)
                client.knowledge.noteJobHistory(isMissing: false)
                return report
            case .giveUp(.forgotten(let reason)): return try await judgeForgotten(reason)
            case .giveUp(let reason): throw unknownOutcome(reason)
            }
        }
    }

    /// The number that a printer sends when it forgets three subscriptions at once: each is made, and then found
    /// forgotten.
    private static let maximumFalseEvents = 6

    /// Listens to the printer's events until the job is worth a poll.
    private func listen(
        _ listener: NotificationListener?
    ) async throws(TransportError) -> NotificationListener.Outcome {
        guard let listener else { return .unavailable }
        let user = UserName.make(job.origin?.user)
        let timeouts = client.deadlines.requestTimeouts
        let heard = await listener.listen(for: job) { IPPRequest(operation: $0, user: user, timeouts: timeouts) }
        guard !Task.isCancelled else {
            throw TransportError(
                HTTPFailure(cause: .cancelled), operation: "Get-Notifications", printer: client.printer)
        }
        return heard
    }

    private func pause(_ duration: Duration) async throws(TransportError) {
        guard duration > .zero else { return }
        do {
            try await timer.pause(duration)
        } catch {
            throw TransportError(
                HTTPFailure(cause: .cancelled), operation: "Get-Job-Attributes", printer: client.printer
            )
        }
    }

    private func poll(_ request: IPPRequest) async throws(TransportError) -> JobPoller.Outcome {
        do throws(TransportError) {
            let response = try await client.send(request)
            switch response.message.status {
            case .clientErrorNotFound, .clientErrorGone, .clientErrorNotPossible:
                return .forgotten("the printer no longer knows job \(job.identifier)")
            case let status where !status.isSuccess: throw client.error(response, request)
            default:
                let attributes = IPPGroup(.job, response.message.groups(.job).flatMap(\.attributes))
                guard isAboutJob(attributes) else { return .gone }
                return JobReport(attributes, job: job, isSpooled: client.knowledge.isPrintServer).map {
                    .report($0, of: JobIdentity(attributes))
                }
                    ?? .forgotten("the printer does not tell the state of job \(job.identifier)")
            }
        } catch  where error.isPassing {
            return .unreachable(error)
        }
    }

    /// Whether a response may be about the job: a printer that was switched off and on gives its number to another,
    /// and some printers respond about another job than the requested one.
    private func isAboutJob(_ attributes: IPPGroup) -> Bool {
        if let number = attributes["job-id"]?.integer, number != job.ippJobID { return false }
        guard let id = job.origin?.deliveryID, let name = attributes["job-name"]?.string else { return true }
        return JobName.matches(name, jobID: id)
    }

    /// Asks a printer that no longer tells of the job about itself: what it says decides whether it kept the document.
    private func judgeForgotten(_ reason: String) async throws(TransportError) -> JobReport {
        client.knowledge.noteJobHistory(isMissing: true)
        let began = timer.elapsed
        let request = IPPRequest(
            operation: .getPrinterAttributes, user: UserName.make(job.origin?.user),
            operationAttributes: [
                IPPAttribute("requested-attributes", keywords: ForgottenJob.requestedAttributes)
            ],
            timeouts: client.deadlines.requestTimeouts
        )
        let forgotten = ForgottenJob(takenWholeSince: job.origin?.takenWholeSince)
        while forgotten.mayBeJudged {
            switch forgotten.judge(try await printerState(request), at: .now, after: timer.elapsed - began) {
            case .accepted:
                client.trace.tell("\(reason): it took the whole document, was on ever since, and is idle")
                return JobReport(
                    state: .completed, reasons: [ForgottenJob.completedReason], evidence: .accepted, remoteJob: job,
                    remarks: ["\(reason), of which it took the whole document: that it came out is not confirmed"])
            case .wait(let pause): try await self.pause(pause)
            case .unknown(let why, let isUnanswerable):
                throw unknownOutcome(.forgotten("\(reason), and \(why)"), isUnanswerable: isUnanswerable)
            }
        }
        throw unknownOutcome(.forgotten(reason))
    }

    /// What the printer says of itself; nil where it cannot be asked at the moment.
    private func printerState(_ request: IPPRequest) async throws(TransportError) -> IPPGroup? {
        do throws(TransportError) {
            let response = try await client.send(request)
            guard response.message.status.isSuccess else { return nil }
            return IPPGroup(.printer, response.message.groups(.printer).flatMap(\.attributes))
        } catch  where error.isPassing {
            return nil
        }
    }

    private func unknownOutcome(_ cause: JobPoller.Reason, isUnanswerable: Bool = true) -> TransportError {
        let (reason, underlying): (String, TransportError.NativeCode?) =
            switch cause {
            case .gone: ("the printer gave the number of job \(job.identifier) to another", nil)
            case .forgotten(let reason): (reason, nil)
            case .unreachable(let error):
                ("the outcome of job \(job.identifier) cannot be queried: \(error.message)", error.underlying)
            }
        var error = TransportError(
            .outcomeUnknown, operation: "Get-Job-Attributes",
            message: "\(client.printer): \(reason); check whether it printed",
            underlying: underlying, remoteJob: job
        )
        if case .forgotten = cause { error.isUnanswerable = isUnanswerable }
        return error
    }
}

extension TransportError {
    /// Whether polling again later may help: the printer may be restarting, or busy.
    fileprivate var isPassing: Bool {
        [.connectionLost, .connectionRefused, .hostNotFound, .timedOut, .printerBusy, .printerFailed].contains(code)
    }
}

/// Follows one job from response to response: decides when to poll again, and when the job's fate is known. No I/O and
/// no clock.
struct JobPoller {
    /// The outcome of one poll.
    enum Outcome {
        case report(JobReport, of: JobIdentity)
        /// The printer no longer tells of the job: why, as a sentence without a full stop.
        case forgotten(String)
        /// The printer tells of another job under this number.
        case gone
        /// The printer cannot be reached at the moment.
        case unreachable(TransportError)
    }

    enum Action {
        /// Pass on the report, where there is one, and poll again after the pause.
        case wait(Duration, report: JobReport?)
        case finish(JobReport)
        case giveUp(Reason)
    }

    enum Reason {
        case gone
        /// Why, as a sentence without a full stop.
        case forgotten(String)
        case unreachable(TransportError)
    }

    /// How long a printer may be out of reach before its job's outcome counts as unknown.
    private let lostPrinterTimeout: Duration
    private var last: JobReport?
    private var identity = JobIdentity()
    private var unreachableSince: Duration?

    init(lostPrinterTimeout: Duration) {
        self.lostPrinterTimeout = lostPrinterTimeout
    }

    /// Decides what follows a poll. `elapsed` is the time since following began.
    mutating func receive(_ outcome: Outcome, elapsed: Duration) -> Action {
        switch outcome {
        case .report(_, let identity) where !self.identity.mayBecome(identity): return .giveUp(.gone)
        case .report(let report, _) where report.state.isFinal: return .finish(report)
        case .report(let report, let identity):
            unreachableSince = nil
            self.identity.update(identity)
            defer { last = report }
            return .wait(Self.pause(after: elapsed), report: report == last ? nil : report)
        case .gone: return .giveUp(.gone)
        case .forgotten(let reason): return .giveUp(.forgotten(reason))
        case .unreachable(let error):
            let since = unreachableSince ?? elapsed
            unreachableSince = since
            guard elapsed - since < lostPrinterTimeout else { return .giveUp(.unreachable(error)) }
            return .wait(Self.clamp((elapsed - since) / 4, .milliseconds(100), .seconds(2)), report: nil)
        }
    }

    /// Whether a job is old enough for a subscription to its printer's events to pay. Before, the polls are so frequent
    /// that an event would come no sooner, and most jobs end without ever needing one.
    static func isLong(after elapsed: Duration) -> Bool { elapsed >= .seconds(5) }

    /// The pause before the next poll. A short job's end is known within 50 ms; a long job is polled sparingly.
    static func pause(after elapsed: Duration) -> Duration {
        elapsed < .seconds(5)
            ? clamp(elapsed / 8, .microseconds(500), .milliseconds(40))
            : clamp(elapsed / 60, .milliseconds(80), .seconds(2))
    }

    private static func clamp(_ value: Duration, _ low: Duration, _ high: Duration) -> Duration {
        min(max(value, low), high)
    }
}

/// What tells a job from another with the same number: printers count anew after they are switched off and on.
struct JobIdentity: Equatable, Sendable {
    static let requestedAttributes = ["job-uuid", "job-printer-up-time"]

    /// PWG 5100.13 §6.1.
    private var uuid: String?
    /// The printer's up-time at the response (RFC 8011 §5.3.14.4): it never goes back while the printer is on.
    private var upTime: Int32?

    init(uuid: String? = nil, upTime: Int32? = nil) {
        self.uuid = uuid
        self.upTime = upTime
    }

    init(_ attributes: IPPGroup) {
        self.init(uuid: attributes["job-uuid"]?.string, upTime: attributes["job-printer-up-time"]?.integer)
    }

    /// Takes over what a later response says of the job; what it leaves out still holds.
    mutating func update(_ later: JobIdentity) {
        uuid = later.uuid ?? uuid
        upTime = later.upTime ?? upTime
    }

    /// Whether a later response about the same number may be about the same job.
    func mayBecome(_ later: JobIdentity) -> Bool {
        if let uuid, let laterUUID = later.uuid { return uuid == laterUUID }
        if let upTime, let laterTime = later.upTime { return upTime <= laterTime }
        return true
    }
}

/// The time that polling a job goes by.
protocol PollTimer: Sendable {
    /// The time since the timer was made.
    var elapsed: Duration { get }
    /// Throws `CancellationError` at once when the task is cancelled.
    func pause(_ duration: Duration) async throws
}

/// The event loop's time: a pause is one of its timers, and ends on its thread.
struct EventLoopPollTimer: PollTimer {
    private let link: PrinterLink
    private let start = NIODeadline.now()

    init(_ link: PrinterLink) { self.link = link }

    var elapsed: Duration { .nanoseconds((NIODeadline.now() - start).nanoseconds) }
    func pause(_ duration: Duration) async throws { try await link.pause(duration) }
}

/// A clock's time, for tests.
struct ClockPollTimer<C: Clock>: PollTimer where C.Duration == Duration {
    private let clock: C
    private let start: C.Instant

    init(_ clock: C) {
        self.clock = clock
        start = clock.now
    }

    var elapsed: Duration { start.duration(to: clock.now) }
    func pause(_ duration: Duration) async throws { try await clock.sleep(for: duration) }
}

extension JobReport {
    /// The attributes to request of a job.
    static let requestedAttributes =
        ["job-name", "job-state", "job-state-reasons", "job-state-message", "number-of-documents"] + progress
    /// The attributes that count how much of a job reached the printer and the paper.
    private static let progress = [
        "job-k-octets", "job-k-octets-processed", "job-impressions-completed", "job-media-sheets-completed",
    ]

    /// Reads a job's attributes; nil where they hold no job state. `isSpooled`: they are a print server's, which passes
    /// the job on to another device.
    init?(_ attributes: IPPGroup, job: RemoteJob?, isSpooled: Bool = false) {
        guard let number = attributes["job-state"]?.integer, let state = JobState(ippEnum: number) else { return nil }
        let reasons =
            attributes["job-state-reasons"]?.strings.prefix(32).map(\.cleaned).filter { $0 != "none" && !$0.isEmpty }
            ?? []
        let message = attributes["job-state-message"]?.string?.cleaned
        let receivedNothing = Self.progress.allSatisfy { (attributes[$0]?.integer ?? 0) == 0 }
        if state == .completed, attributes["number-of-documents"]?.integer == 0, receivedNothing {
            // A job that was created and never got a document, since its client was cut off: the printer closes it
            // after a while, and calls that completed (RFC 8011 §5.3.7.1, multiple-operation-time-out-action). CUPS
            // also counts no documents once it has removed the files of a job that it printed, but still has the job's
            // size.
            self.init(
                state: .aborted, reasons: reasons.contains(Self.interrupted) ? reasons : reasons + [Self.interrupted],
                evidence: .sent,
                remoteJob: job,
                message: "the printer closed the job without a document, so nothing of it was printed")
            return
        }
        self.init(
            state: state, reasons: reasons, evidence: Self.evidence(of: state, reasons: reasons, isSpooled: isSpooled),
            remoteJob: job,
            message: message.flatMap { $0.isEmpty ? nil : $0 }
        )
        if state == .aborted, completedNoPage(attributes) {
            unprintedAbort = Self.formatReasons.isDisjoint(with: reasons) ? .unknown : .format
        }
    }

    /// RFC 8011 §5.3.8, of which the second may also be said of a document that is damaged: no page of it was printed
    /// then either.
    private static let formatReasons: Set = ["unsupported-document-format", "document-format-error"]

    /// Whether the printer says that no page was completed; one that does not count pages proves nothing.
    private func completedNoPage(_ attributes: IPPGroup) -> Bool {
        attributes["job-impressions-completed"]?.integer == 0
            && (attributes["job-media-sheets-completed"]?.integer ?? 0) == 0
    }

    /// RFC 8011 §5.3.8: the job was not submitted completely.
    private static let interrupted = "submission-interrupted"

    /// What a state proves. `completed` means that all media sheets came out (RFC 8011 §5.3.7: "…and all of the job
    /// media sheets have been successfully stacked in the appropriate output bin"), unless the reasons (§5.3.8) weaken
    /// it: `queued-in-device` means a spooler that passed the job on and knows no more, `job-completed-with-errors` a
    /// printer that worked through the data but put not all of it on paper. A spooler's `completed` says that the job
    /// left its queue.
    static func evidence(of state: JobState, reasons: [String], isSpooled: Bool = false) -> Evidence {
        guard state == .completed, !isSpooled else { return .accepted }
        if reasons.contains("queued-in-device") { return .accepted }
        return reasons.contains("job-completed-with-errors") ? .processed : .printed
    }
}

extension JobState {
    /// RFC 8011 §5.3.7.
    fileprivate init?(ippEnum number: Int32) {
        switch number {
        case 3: self = .pending
        case 4: self = .pendingHeld
        case 5: self = .processing
        case 6: self = .processingStopped
        case 7: self = .canceled
        case 8: self = .aborted
        case 9: self = .completed
        default: return nil
        }
    }
}
