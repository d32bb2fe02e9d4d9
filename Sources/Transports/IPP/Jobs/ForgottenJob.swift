import KioskIPPCodec
import KioskPrintModel

/// Judges a job that its printer took and no longer tells of, by what the printer says of itself: many keep no history,
/// and answer `client-error-not-found` as soon as a job has ended. No I/O.
///
/// A printer that took the whole document, was on ever since and is idle has nothing left to print: it accepted the
/// job. More is not known.
struct ForgottenJob {
    enum Verdict: Equatable {
        case accepted
        /// Ask the printer again after this pause.
        case wait(Duration)
        /// Why, as the rest of a sentence. `isUnanswerable`: the next attempt would end in the same doubt.
        case unknown(String, isUnanswerable: Bool)
    }

    static let requestedAttributes = ["printer-up-time", "printer-state"]

    /// RFC 8011 §5.3.8, of a printer that passed a job on and is told no more: `completed` with as little proof.
    static let completedReason = "queued-in-device"

    /// How long a printer that is busy may keep the verdict waiting: the jobs behind this one wait too.
    private static let limit = Duration.seconds(60)
    /// Seconds: printers' clocks count whole ones.
    private static let slack: Int64 = 2
    /// `idle` of RFC 8011 §5.4.11.
    private static let idle: Int32 = 3

    /// When sending began; nil where the printer may have less than the whole document, or where the time is unknown.
    let takenWholeSince: Timestamp?

    /// Whether anything that the printer says could prove that it accepted the job.
    var mayBeJudged: Bool { takenWholeSince != nil }

    /// `printer`: its attributes, nil where it did not answer. `elapsed`: the time since it forgot the job.
    func judge(_ printer: IPPGroup?, at now: Timestamp, after elapsed: Duration) -> Verdict {
        guard let takenWholeSince else {
            return .unknown("it may have got only a part of it", isUnanswerable: true)
        }
        if let printer {
            guard let upTime = printer["printer-up-time"]?.integer.map(Int64.init) else {
                return .unknown("it does not say how long it has been on", isUnanswerable: true)
            }
            let sinceSent = (now.millisecondsSince1970 - takenWholeSince.millisecondsSince1970) / 1000
            guard sinceSent >= -Self.slack else {
                return .unknown("this computer's clock was set back since", isUnanswerable: false)
            }
            guard upTime - max(0, sinceSent) > Self.slack else {
                return .unknown("it was switched on only after the job was sent", isUnanswerable: false)
            }
            if printer["printer-state"]?.integer == Self.idle { return .accepted }
        }
        guard elapsed < Self.limit else { return .unknown("it does not become idle", isUnanswerable: true) }
        return .wait(min(max(elapsed / 4, .milliseconds(40)), .seconds(2)))
    }
}
