import KioskIPPCodec

/// The state machine of a printer's event subscription (RFC 3995, RFC 3996): subscribe, fetch, renew, or fall back to
/// polling. `PrinterKnowledge` keeps it and lends it to one `NotificationListener` at a time.
///
/// An event only triggers a poll; it is never taken as the job's state. A wrong event costs one request.
struct NotificationState: Sendable {
    enum Step: Equatable {
        /// Create-Printer-Subscriptions, or Create-Job-Subscriptions for this job.
        case subscribe(jobID: Int32?)
        /// Renew-Subscription.
        case renew(Int32)
        /// Get-Notifications with `notify-wait`.
        case fetch(Subscription)
        /// The printer's notifications are unusable: poll, now and from now on.
        case poll
    }

    enum Outcome: Equatable {
        /// Nothing about the job.
        case nothing
        /// An event of the job.
        case event
        /// An event of the job may have been missed.
        case uncertain
        /// The printer's notifications are not used again, for this reason.
        case unusable(String)
    }

    /// Whether the printer's subscriptions cover all of its jobs.
    private let isForPrinter: Bool
    private(set) var subscription: Subscription?
    private var isUnusable = false
    /// Whether an event of this printer was ever followed by a change of the job.
    private(set) var isProven = false
    private var failures = 0
    /// The printer's up-time at its last response to Get-Notifications with this subscription (RFC 3996 §5.2).
    private var upTime: Int32?

    /// After this many failures in a row, the printer does not support subscriptions after all.
    private static let maximumFailures = 3
    /// A response without events that came sooner than this means that the printer does not wait for events.
    private static let minimumWait = Duration.seconds(1)

    init(isForPrinter: Bool) { self.isForPrinter = isForPrinter }

    /// The next request that gets events of this job.
    mutating func step(for jobID: Int32, now: Duration) -> Step {
        if isUnusable { return .poll }
        if let subscription, let other = subscription.jobID, other != jobID { self.subscription = nil }
        if let endsAt = subscription?.endsAt, endsAt <= now { subscription = nil }
        guard let subscription else { return .subscribe(jobID: isForPrinter ? nil : jobID) }
        if let endsAt = subscription.endsAt, endsAt - now < Subscription.renewalMargin {
            return .renew(subscription.id)
        }
        return .fetch(subscription)
    }

    /// Receives the response to Create-…-Subscriptions. No event tells what happened to the job before, so the job is
    /// worth a poll.
    mutating func subscribed(_ response: IPPMessage, jobID: Int32?, now: Duration) -> Outcome {
        let group = response.first(.subscription)
        guard response.status.isSuccess, let id = group?["notify-subscription-id"]?.integer, id > 0 else {
            return failed("it made no subscription (\(response.status))")
        }
        let lease = group?["notify-lease-duration"]?.integer ?? Subscription.lease
        upTime = nil
        subscription = Subscription(id: id, jobID: jobID, endsAt: jobID == nil ? Self.end(of: lease, now) : nil)
        return .uncertain
    }

    /// Receives the response to Renew-Subscription.
    mutating func renewed(_ response: IPPMessage, now: Duration) -> Outcome {
        guard response.status.isSuccess else {
            subscription = nil
            return .uncertain
        }
        let lease =
            response.first(.subscription)?["notify-lease-duration"]?.integer
            ?? response.attribute("notify-lease-duration", in: .operation)?.integer
        subscription?.endsAt = Self.end(of: lease ?? Subscription.lease, now)
        return .nothing
    }

    /// A lease of 0 does not end (RFC 3995 §5.3.8).
    private static func end(of lease: Int32, _ now: Duration) -> Duration? {
        lease > 0 ? now + .seconds(lease) : nil
    }

    /// Receives the response to Get-Notifications, which came after this time.
    mutating func fetched(_ response: IPPMessage, about jobID: Int32, after time: Duration) -> Outcome {
        switch response.status {
        case .clientErrorNotFound, .clientErrorGone, .clientErrorNotPossible:
            // The printer was switched off and on, or the lease was shorter than it said.
            return failed("it forgets its subscriptions (\(response.status))")
        case let status where !status.isSuccess: return failed("it does not report its events (\(status))")
        default: break
        }
        guard !wasRestarted(response) else {
            // The number may be another client's subscription by now.
            subscription = nil
            return .uncertain
        }
        let expected = subscription?.nextEvent ?? 1
        // Some printers repeat events that were fetched before.
        let events = response.groups(.eventNotification).filter {
            $0["notify-subscription-id"]?.integer == subscription?.id
                && $0["notify-sequence-number"]?.integer.map { $0 >= expected } != false
        }
        let numbers = events.compactMap { $0["notify-sequence-number"]?.integer }
        // Events that the printer dropped before they were fetched may have been the job's.
        let isGap = numbers.min().map { $0 > expected } ?? false
        if let last = numbers.max() { subscription?.nextEvent = max(expected, last == .max ? .max : last + 1) }
        let isComplete = response.status == .successfulOkEventsComplete
        if isComplete { subscription = nil }
        failures = 0
        // RFC 3995 §8.2 and CUPS do not agree on the name.
        if events.contains(where: { ($0["notify-job-id"] ?? $0["job-id"])?.integer == jobID }) { return .event }
        if isGap || isComplete { return .uncertain }
        if events.isEmpty, time < Self.minimumWait { return giveUp("it responds without waiting for an event") }
        return .nothing
    }

    /// Whether the printer was switched off and on since its last response.
    private mutating func wasRestarted(_ response: IPPMessage) -> Bool {
        guard let new = response.attribute("printer-up-time", in: .operation)?.integer else { return false }
        defer { upTime = new }
        return upTime.map { new < $0 } ?? false
    }

    /// Notes that the printer did not respond, or not as requested.
    mutating func failed(_ reason: String) -> Outcome {
        subscription = nil
        failures += 1
        guard failures >= Self.maximumFailures else { return .uncertain }
        return giveUp(reason)
    }

    mutating func giveUp(_ reason: String) -> Outcome {
        isUnusable = true
        subscription = nil
        return .unusable(reason)
    }

    /// Notes that the job changed after an event said so.
    mutating func eventWasConfirmed() { isProven = true }

    /// Notes that the job has ended: a subscription to it alone has ended with it.
    mutating func jobEnded() {
        if subscription?.jobID != nil { subscription = nil }
    }

    /// Notes that the job changed although a whole wait brought no event.
    mutating func changeWasMissed() {
        if !isProven { _ = giveUp("it reports no events of its jobs") }
    }
}
