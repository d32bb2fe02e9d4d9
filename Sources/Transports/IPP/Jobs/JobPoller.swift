import IPPCodec
import NIOCore
import PrintModel

/// Follows one job from response to response: decides when to poll again, and when the job's fate is known. No I/O and
/// no clock.
struct JobPoller {
    /// The outcome of one poll.
    enum Outcome {
        case report(JobReport, of: JobIdentity)
        /// The printer no longer knows the job.
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
            self.identity = identity
            defer { last = report }
            return .wait(Self.pause(after: elapsed), report: report == last ? nil : report)
        case .gone: return .giveUp(.gone)
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

    /// Whether a later response about the same number may be about the same job.
    func mayBecome(_ later: JobIdentity) -> Bool {
        if let uuid, let laterUUID = later.uuid { return uuid == laterUUID }
        if let upTime, let laterTime = later.upTime { return upTime <= laterTime }
        return true
    }
}

/// How long a printer's short jobs usually take from acceptance to their end, so that the first poll of a new job comes
/// when the job is about to end, and not before.
struct JobDurationEstimate: Sendable {
    private var usual: Duration?

    /// A longer job says nothing about the next: the polls cost little beside it.
    private static let longest = Duration.milliseconds(200)

    /// How long to wait before the first poll of a job that was accepted just now.
    var firstPause: Duration { usual.map { min($0 * 3 / 4, .milliseconds(40)) } ?? .zero }

    /// Follows shorter times at once and longer ones slowly: polling too early costs a request, polling too late makes
    /// every job wait.
    mutating func jobEnded(after duration: Duration) {
        guard duration <= Self.longest else { return }
        usual = usual.map { duration < $0 ? duration : $0 + (duration - $0) / 16 } ?? duration
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
