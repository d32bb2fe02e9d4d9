import PrintModel

/// The effects of earlier jobs on the next one: how the printer confirms jobs, which responses may still arrive, and
/// how much paper it may still have to move.
struct JobHistory: Sendable {
    /// How the printer has confirmed jobs so far.
    var memory: CompletionMemory
    /// The most paper that the printer may still have to move for unconfirmed jobs, when the last of them ended.
    private(set) var unconfirmedPaper: PrintTimeEstimate.Millimetres = 0
    /// When a job last ended or the printer last sent something.
    private var silentSince: ElapsedClock.Instant?
    /// Since when no earlier request has been responded to; nil where the last job was not confirmed.
    private var confirmedSince: ElapsedClock.Instant?
    private let settings: DeviceSettings

    init(_ memory: CompletionMemory, settings: DeviceSettings) {
        self.memory = memory
        self.settings = settings
    }

    /// Notes that the printer sent something, or that a job or a recovery ended.
    mutating func active(at now: ElapsedClock.Instant) { silentSince = now }

    /// Notes a new condition: a printer that was stopped continues from here.
    mutating func conditionChanged(at now: ElapsedClock.Instant) {
        silentSince = now
        if confirmedSince != nil { confirmedSince = now }
    }

    /// Handles a reply between jobs.
    mutating func received(_ reply: EscPosReply, at now: ElapsedClock.Instant) {
        receive(at: now) { $0.received(reply) }
    }

    /// Handles a status between jobs.
    mutating func received(_ status: StarStatus, at now: ElapsedClock.Instant) {
        receive(at: now) { $0.received(status) }
    }

    private mutating func receive(at now: ElapsedClock.Instant, _ update: (inout CompletionMemory) -> Void) {
        let before = memory.outstanding
        update(&memory)
        if memory.outstanding != before, confirmedSince != nil { confirmedSince = now }
    }

    /// Notes that the printer has discarded everything that it held.
    mutating func cleared() {
        memory.clearOutstanding()
        unconfirmedPaper = 0
    }

    /// Forgets responses that can no longer arrive, before the next job.
    mutating func expireResponses(reportsAutomatically: Bool, at now: ElapsedClock.Instant) {
        // The printer has had the time to respond to everything.
        if let silentSince, reportsAutomatically,
            silentSince.advanced(by: PrintTimeEstimate(settings).longestSilence(holding: .max)) <= now
        {
            memory.clearOutstanding()
        }
        // Responses arrive in order: one that precedes a response, and did not follow it soon, never arrives.
        if let confirmedSince, confirmedSince.advanced(by: Self.longestEcho) <= now { memory.clearOutstanding() }
    }

    /// The time in which one response follows another.
    private static let longestEcho = Duration.seconds(5)

    /// The estimate for a job that starts now, which includes the unconfirmed paper of earlier jobs.
    mutating func estimate(at now: ElapsedClock.Instant) -> PrintTimeEstimate {
        var estimate = PrintTimeEstimate(settings)
        if let silentSince {
            unconfirmedPaper = estimate.remaining(of: unconfirmedPaper, after: silentSince.duration(to: now))
        }
        estimate.before = unconfirmedPaper
        return estimate
    }

    /// Records how a job ended. The caller then calls `active`.
    mutating func ended(
        _ job: RunningJob?, _ end: RunningJob.End?, start: ElapsedClock.Instant, isStopped: Bool,
        at now: ElapsedClock.Instant
    ) {
        if case .settled(let evidence)? = end, evidence > .sent {
            (unconfirmedPaper, confirmedSince) = (0, now)
            return
        }
        confirmedSince = nil
        guard let job, job.takenAtMost > 0 else { return }
        let movingSince = isStopped ? now : max(start, silentSince ?? start)
        unconfirmedPaper = PrintTimeEstimate(settings).remaining(
            of: job.deadline.paperAtMost, after: movingSince.duration(to: now))
    }
}
