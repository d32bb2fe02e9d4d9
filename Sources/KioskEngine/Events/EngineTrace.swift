import KioskPrintModel

/// The engine's lines in the `WireTrace`: each step of a job from its acceptance to its end, and what contacts show of
/// printers. All of them are worded here.
///
/// A line about a job that has no printer yet names none, so only those who listen to everything receive it. A
/// document's content is never shown, only its length. Nothing is composed while nobody listens.
struct EngineTrace: Sendable {
    private let trace: WireTrace

    init(_ trace: WireTrace) { self.trace = trace }

    private func tell(_ printer: PrinterURL?, _ message: @autoclosure () -> String) {
        trace.tell(.job, printer, message())
    }

    // MARK: The life of a job

    /// The job is on disk. Where a printer was free for it, its first attempt began in the same moment.
    func accepted(_ status: JobStatus) {
        tell(status.sentTo, Self.acceptance(of: status.job))
        guard status.stage != .waiting else { return }
        tell(status.sentTo, Self.beginning(of: status))
    }

    /// The same request came before, and this job is its result.
    func repeated(_ job: Int64) {
        tell(nil, "job \(job): the same request came again under its idempotency key; no new job is made")
    }

    /// The job is in the queue since an earlier run.
    func restored(_ status: JobStatus) {
        tell(status.sentTo, "job \(status.job.id): restored from the last run, \(Self.standing(of: status))")
    }

    /// An event changed the job's life, or left it as it was. `printer`: the one that the event is about.
    func handled(
        _ event: JobEvent, from before: JobStatus, to after: JobStatus, _ decision: JobDecision,
        at printer: PrinterURL?
    ) {
        tell(printer, Self.transition(event, from: before, to: after, decision))
    }

    /// An event cannot happen to the job as it stands.
    func rejected(_ event: JobEvent, at status: JobStatus, _ printer: PrinterURL?) {
        tell(
            printer,
            "job \(status.job.id): the event \"\(event.name)\" cannot happen; it stays \(Self.standing(of: status))")
    }

    /// A change that could not be stored is taken back.
    func reverted(_ status: JobStatus) {
        tell(
            status.sentTo,
            "job \(status.job.id): the change could not be stored; it is \(Self.standing(of: status)) again")
    }

    /// The job waits in the queue. `choice`: what the board says of its printers.
    func waits(_ job: Int64, _ choice: DispatchBoard.Choice, candidates: [PrinterID]) {
        tell(nil, "job \(job): waits, \(Self.words(choice, candidates))")
    }

    // MARK: Attempts

    /// The document was converted to a format of the printer.
    func prepared(_ job: Int64, _ document: PrintDocument, for printer: SavedPrinter) {
        tell(
            printer.url,
            "job \(job): prepared for \(printer.id) as \(document.format.mimeType), \(document.length) bytes")
    }

    /// The transport is about to deliver the document.
    func delivers(_ delivery: Delivery, of job: Int64, to printer: SavedPrinter) {
        tell(
            printer.url,
            "job \(job): sent to \(printer.id) as \"\(delivery.jobID)\", \(delivery.document.format.mimeType), \(delivery.document.length) bytes"
        )
    }

    /// The transport is at another step, or further in the same one.
    func progressed(_ job: Int64, _ progress: DeliveryProgress, at printer: SavedPrinter) {
        tell(printer.url, "job \(job): \(Self.words(progress))")
    }

    /// The attempt is stopped, since another printer could print the job at once.
    func passedOver(_ job: Int64, _ printer: SavedPrinter, after time: Duration) {
        tell(
            printer.url,
            "job \(job): \(printer.id) accepted nothing within \(time); the attempt is stopped in favour of another printer"
        )
    }

    /// The printer is asked whether it has the job.
    func asks(_ printer: SavedPrinter, for job: Int64, as name: String) {
        tell(printer.url, "job \(job): \(printer.id) is asked for it, as \"\(Self.bounded(name))\"")
    }

    /// The printer agreed to cancel the job.
    func agreedToCancel(_ printer: SavedPrinter, _ job: Int64, as remoteJob: RemoteJob) {
        tell(
            printer.url,
            "job \(job): \(printer.id) agreed to cancel it, as its job \(Self.bounded(remoteJob.identifier))")
    }

    /// The printer could not be told to cancel the job.
    func cancelFailed(_ printer: SavedPrinter, _ job: Int64, _ error: any Error) {
        tell(printer.url, "job \(job): \(printer.id) could not be told to cancel it: \(Self.words(error))")
    }

    /// The printer gets no job for a while: it failed several deliveries in a row.
    func paused(_ printer: PrinterID, at url: PrinterURL?, for time: Duration) {
        tell(url, "\(printer) gets no job for \(time), since it failed several in a row")
    }

    // MARK: Contacts

    func contactBegan(_ printer: SavedPrinter) { tell(printer.url, "\(printer.id) is contacted") }

    func contactSucceeded(_ printer: SavedPrinter, _ report: ContactReport) {
        tell(printer.url, "contact of \(printer.id): \(Self.words(report.availability))")
    }

    /// `isInDoubt`: the printer is asked once more before its silence counts.
    func contactFailed(_ printer: SavedPrinter, _ error: any Error, isInDoubt: Bool) {
        tell(
            printer.url,
            "contact of \(printer.id) failed: \(Self.words(error))\(isInDoubt ? "; it is asked again before that counts" : "")"
        )
    }

    /// The printer's entry was changed while it was contacted.
    func contactAbandoned(_ printer: SavedPrinter) {
        tell(printer.url, "contact of \(printer.id): without effect, since the printer was edited meanwhile")
    }

    /// The printer has a job and leaves a contact unanswered.
    func isSilent(_ printer: PrinterID, at url: PrinterURL?) {
        tell(url, "\(printer) has a job and does not respond: those behind it go to other printers of their roles")
    }

    func availabilityChanged(_ printer: SavedPrinter, from old: Availability, to new: Availability) {
        guard old != new else { return }
        tell(printer.url, "\(printer.id): \(old.state.rawValue) → \(Self.words(new))")
    }
}

// MARK: Words

extension EngineTrace {
    private static func acceptance(of job: Job) -> String {
        let destination =
            job.role.map { "the role \($0)" } ?? job.printer.map { "the printer \($0)" } ?? "no printer"
        let origin = job.origin.map { ", job \($0) printed again" } ?? ""
        let request = job.requestID.map { ", request \($0)" } ?? ""
        return
            "job \(job.id): accepted \"\(bounded(job.name))\" for \(destination), \(job.format.mimeType), \(job.documentLength) bytes\(origin)\(request)"
    }

    /// The change that was stored together with the acceptance.
    private static func beginning(of status: JobStatus) -> String {
        var before = status
        before.stage = .waiting
        before.job.state = .pending
        before.job.attempts = 0
        return "job \(status.job.id): sending begins\(change(from: before, to: status))"
    }

    private static func transition(
        _ event: JobEvent, from before: JobStatus, to after: JobStatus, _ decision: JobDecision
    ) -> String {
        let what = words(event)
        var text = "job \(after.job.id): \(what)\(change(from: before, to: after))"
        if let next = words(decision) { text += "; \(next)" }
        if let message = after.job.message, message != before.job.message, !what.contains(bounded(message)) {
            text += ": \(bounded(message))"
        }
        return text
    }

    private static func change(from before: JobStatus, to after: JobStatus) -> String {
        let (old, new) = (before.job, after.job)
        var text = ""
        if old.state != new.state {
            let printer = new.printer.map { " on \($0)" } ?? ""
            let reasons = new.stateReasons.isEmpty ? "" : " (\(list(new.stateReasons)))"
            text += ", \(old.state.rawValue) → \(new.state.rawValue)\(printer)\(reasons)"
        }
        if before.stage != after.stage { text += ", stage \(after.stage.rawValue)" }
        if old.attempts != new.attempts { text += ", attempt \(new.attempts)" }
        if let evidence = new.evidence, evidence != old.evidence { text += ", evidence \(evidence.rawValue)" }
        if old.bytesSent != new.bytesSent { text += ", \(new.bytesSent) of \(new.documentLength) bytes" }
        if new.isUnconfirmed, !old.isUnconfirmed { text += ", unconfirmed" }
        return text
    }

    private static func standing(of status: JobStatus) -> String {
        let printer = status.job.printer.map { " on \($0)" } ?? ""
        return "\(status.job.state.rawValue)\(printer), stage \(status.stage.rawValue)"
    }

    private static func words(_ event: JobEvent) -> String {
        switch event {
        case .routed: "routed"
        case .began(let printer, _): "sending begins on \(printer.id)"
        case .wasBusy: "the printer is busy and accepted nothing"
        case .acceptedBytes: "document bytes are on their way"
        case .named(let job): "the printer calls it \(bounded(job.identifier))"
        case .accepted(let report, _): "the printer accepted all of it: \(words(report))"
        case .failed(let error): "failed: \(words(error))"
        case .interrupted(let why): "interrupted\(why.map { ": \(bounded($0))" } ?? "")"
        case .formatRejected(let why): "aborted over its format: \(bounded(why))"
        case .notPrepared(let why): "not prepared: \(bounded(why))"
        case .documentLost(let why): "its document is lost: \(bounded(why))"
        case .renderingFailed(let why, _): "its document cannot be rendered: \(bounded(why))"
        case .unprintable(_, let reason, let why): "no printer will accept it (\(reason)): \(bounded(why))"
        case .reported(let report): "the printer reports \(words(report))"
        case .ended(let report, _): "the printer reports its end: \(words(report))"
        case .located(let job): "the printer has it as \(bounded(job.identifier))"
        case .notLocated: "the printer does not have it"
        case .askingFailed(let error): "the printer could not be asked: \(words(error))"
        case .cannotBeAsked(let why): "nobody can be asked: \(bounded(why))"
        case .cancelRequested: "cancel requested"
        case .released: "released by an operator"
        case .confirmed: "somebody said that it came out"
        case .expired: "expired"
        }
    }

    /// What comes next; nil where nothing does, or the change says it.
    private static func words(_ decision: JobDecision) -> String? {
        switch decision {
        case .nothing, .storeSoon, .send: nil
        case .sendAgainSoon: "it is sent there again soon"
        case .queue: "it is in the queue"
        case .queueLater: "it is in the queue again after a pause"
        case .queueForOthers: "it is offered to other printers"
        case .follow: "it is followed at the printer"
        case .ask: "the printer is asked for it"
        case .stop: "the attempt is stopped"
        case .hold: "an operator decides"
        case .settle: "this is its end"
        }
    }

    private static func words(_ report: JobReport) -> String {
        let reasons = report.reasons.isEmpty ? "" : " (\(list(report.reasons)))"
        let job = report.remoteJob.map { ", as its job \(bounded($0.identifier))" } ?? ""
        let message = report.message.map { ": \(bounded($0))" } ?? ""
        return "\(report.state.rawValue)\(reasons), evidence \(report.evidence.rawValue)\(job)\(message)"
    }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? TransportError else { return bounded("\(error)") }
        let cause = error.underlying.map { " (\($0))" } ?? ""
        return
            "\(error.code) in \(error.operation)\(cause), at most \(error.bytesAccepted) bytes accepted: \(bounded(error.message))"
    }

    private static func words(_ progress: DeliveryProgress) -> String {
        switch progress {
        case .connecting: "connecting"
        case .uploading(let bytes, let length): "uploading, \(bytes) of \(length) bytes"
        case .converting: "the host converts the document"
        case .sending(let bytes, let length): "sending, \(bytes) of \(length) bytes"
        case .printing: "all of it is sent, the printer prints"
        case .stopped(let reasons): "the printer has stopped: \(list(reasons.map(\.ippKeyword)))"
        case .accepted(let job): "the printer calls it \(bounded(job.identifier))"
        }
    }

    private static func words(_ choice: DispatchBoard.Choice, _ candidates: [PrinterID]) -> String {
        let names = candidates.isEmpty ? "none" : list(candidates.map(\.rawValue))
        return switch choice {
        case .printer(let printer): "for its turn on \(printer)"
        case .undecided: "a candidate has not responded yet: \(names)"
        case .none: "no candidate can print it now: \(names)"
        case .impossible: "no candidate can print it as things are: \(names)"
        }
    }

    private static func words(_ availability: Availability) -> String {
        let reasons = availability.reasons.isEmpty ? "" : " (\(list(availability.reasons.map(\.ippKeyword))))"
        let message = availability.message.map { ": \(bounded($0))" } ?? ""
        return "\(availability.state.rawValue)\(reasons)\(message)"
    }

    private static func list(_ words: [String]) -> String { bounded(words.joined(separator: " ")) }

    /// A value as one line shows it.
    private static func bounded(_ text: String) -> String {
        text.count > maximumValueLength ? "\(text.prefix(maximumValueLength))…" : text
    }

    private static let maximumValueLength = 256
}
