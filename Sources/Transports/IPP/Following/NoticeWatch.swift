import IPPCodec

/// What a printer's events are good for: subscribes, fetches, renews, and gives up where the printer does not keep what
/// it advertises. No I/O and no clock: `now` counts from any fixed moment.
///
/// An event is a hint that a job is worth asking about, never its state: whatever goes wrong here costs a question.
struct NoticeWatch: Sendable {
    enum Step: Equatable {
        /// Create-Printer-Subscriptions, or Create-Job-Subscriptions for this job.
        case subscribe(jobID: Int32?)
        /// Renew-Subscription.
        case renew(Int32)
        /// Get-Notifications with `notify-wait`.
        case fetch(Subscription)
        /// The printer tells nothing of use: poll, now and from now on.
        case poll
    }

    enum Heard: Equatable {
        /// Nothing about the job.
        case nothing
        /// Something happened to the job.
        case event
        /// Something may have happened to the job that was not told.
        case perhaps
        /// Why events of this printer are not asked for again.
        case useless(String)
    }

    /// Whether the printer's subscriptions are for all of its jobs.
    private let isForPrinter: Bool
    private(set) var subscription: Subscription?
    private var isUseless = false
    /// Whether an event of this printer ever told what was so.
    private(set) var isProven = false
    private var failures = 0

    /// So many in a row, and the printer does not serve subscriptions after all.
    private static let mostFailures = 3
    /// An answer without events that came sooner was not waited for.
    private static let shortestWait = Duration.seconds(1)

    init(isForPrinter: Bool) { self.isForPrinter = isForPrinter }

    /// What to ask next to hear of this job.
    mutating func step(for jobID: Int32, now: Duration) -> Step {
        if isUseless { return .poll }
        if let subscription, let other = subscription.jobID, other != jobID { self.subscription = nil }
        if let endsAt = subscription?.endsAt, endsAt <= now { subscription = nil }
        guard let subscription else { return .subscribe(jobID: isForPrinter ? nil : jobID) }
        if let endsAt = subscription.endsAt, endsAt - now < Subscription.renewalMargin {
            return .renew(subscription.id)
        }
        return .fetch(subscription)
    }

    /// The printer did not answer, or not with what was asked for.
    mutating func failed(_ why: String) -> Heard {
        subscription = nil
        failures += 1
        guard failures >= Self.mostFailures else { return .perhaps }
        return giveUp(why)
    }

    mutating func giveUp(_ why: String) -> Heard {
        isUseless = true
        subscription = nil
        return .useless(why)
    }
}

// The answers.
extension NoticeWatch {
    /// To Create-…-Subscriptions. What happened to the job before it is not told, so it is worth a question.
    mutating func subscribed(_ answer: IPPMessage, jobID: Int32?, now: Duration) -> Heard {
        let group = answer.first(.subscription)
        guard answer.status.isSuccess, let id = group?["notify-subscription-id"]?.integer, id > 0 else {
            return failed("it made no subscription (\(answer.status))")
        }
        let lease = group?["notify-lease-duration"]?.integer ?? Subscription.lease
        subscription = Subscription(id: id, jobID: jobID, endsAt: jobID == nil ? Self.end(of: lease, now) : nil)
        return .perhaps
    }

    /// To Renew-Subscription.
    mutating func renewed(_ answer: IPPMessage, now: Duration) -> Heard {
        guard answer.status.isSuccess else {
            subscription = nil
            return .perhaps
        }
        let lease =
            answer.first(.subscription)?["notify-lease-duration"]?.integer
            ?? answer.attribute("notify-lease-duration", in: .operation)?.integer
        subscription?.endsAt = Self.end(of: lease ?? Subscription.lease, now)
        return .nothing
    }

    /// A lease of 0 does not end (RFC 3995 §5.3.8).
    private static func end(of lease: Int32, _ now: Duration) -> Duration? {
        lease > 0 ? now + .seconds(lease) : nil
    }

    /// To Get-Notifications, which took so long.
    mutating func fetched(_ answer: IPPMessage, about jobID: Int32, after time: Duration) -> Heard {
        switch answer.status {
        case .clientErrorNotFound, .clientErrorGone, .clientErrorNotPossible:
            // The printer was switched off and on, or the lease was shorter than it said.
            return failed("it forgets its subscriptions (\(answer.status))")
        case let status where !status.isSuccess: return failed("it does not tell its events (\(status))")
        default: break
        }
        let expected = subscription?.nextEvent ?? 1
        // What was fetched before is no news, and some printers tell it again and again.
        let events = answer.groups(.eventNotification).filter {
            $0["notify-subscription-id"]?.integer == subscription?.id
                && $0["notify-sequence-number"]?.integer.map { $0 >= expected } != false
        }
        let numbers = events.compactMap { $0["notify-sequence-number"]?.integer }
        // Events that the printer dropped before they were fetched may have been the job's.
        let isGap = numbers.min().map { $0 > expected } ?? false
        if let last = numbers.max() { subscription?.nextEvent = max(expected, last == .max ? .max : last + 1) }
        let isComplete = answer.status == .successfulOkEventsComplete
        if isComplete { subscription = nil }
        failures = 0
        // RFC 3995 §8.2 and CUPS do not agree on the name.
        if events.contains(where: { ($0["notify-job-id"] ?? $0["job-id"])?.integer == jobID }) { return .event }
        if isGap || isComplete { return .perhaps }
        if events.isEmpty, time < Self.shortestWait { return giveUp("it answers without waiting for an event") }
        return .nothing
    }

    /// The job has changed, as an event had told.
    mutating func eventWasTrue() { isProven = true }

    /// The job has changed, and a whole wait brought no event.
    mutating func wasSilent() {
        if !isProven { _ = giveUp("it tells nothing of what happens to its jobs") }
    }
}
