import KioskIPPCodec
import KioskPrintModel
import Logging
import NIOCore

/// Receives a printer's events for one job that is being followed, on a second link with its own connection.
///
/// A printer has one listener at a time: the second follower polls, and listens when the first is done. The listener
/// gives its connection up as soon as two others are in use, so that a printer never has three.
final class NotificationListener {
    private let client: IPPClient
    private let secondLink: PrinterLink
    private var state: NotificationState

    /// How long one wait may last: short until the printer's events are proven reliable, since a job's end that it does
    /// not report is noticed only after the wait.
    private static let firstWait = Duration.seconds(10)
    private static let maximumWait = Duration.seconds(60)
    /// The maximum of fetches that bring only events of other jobs, before the job is polled all the same.
    private static let maximumFetches = 20

    /// Nil where the printer offers no events, has no spare connection for them, or has a listener already.
    init?(_ client: IPPClient) {
        guard client.link.hasSpareConnection, let state = client.knowledge.takeNotifications() else { return nil }
        self.client = client
        self.state = state
        secondLink = client.link.makeSecondLink()
    }

    /// Ends the listening, so that another follower may listen. Must be called.
    func end() {
        client.link.whenPoolIsFull(nil)
        client.knowledge.giveBack(state)
        secondLink.close()
    }

    /// The outcome of listening.
    enum Outcome: Equatable {
        /// The printer reported an event of the job.
        case event
        /// It reported nothing for the length of a wait.
        case silence
        /// An event may have been missed.
        case uncertain
        /// Its events cannot be received now, or at all.
        case unavailable
    }

    /// Listens until the job is worth a poll.
    func listen(for job: RemoteJob, _ request: (IPPOperation) -> IPPRequest) async -> Outcome {
        let outcome = await receiveEvents(of: job, request)
        client.trace.tell("job \(job.identifier): \(Self.text(outcome))")
        return outcome
    }

    private static func text(_ outcome: Outcome) -> String {
        switch outcome {
        case .event: "an event; poll it"
        case .silence: "no event; poll it"
        case .uncertain: "an event may have been missed; poll it"
        case .unavailable: "events cannot be received now; poll it"
        }
    }

    private func receiveEvents(of job: RemoteJob, _ request: (IPPOperation) -> IPPRequest) async -> Outcome {
        guard let jobID = job.ippJobID,
            client.link.whenPoolIsFull({ [secondLink] in secondLink.cancelExchanges() })
        else { return .unavailable }
        defer { client.link.whenPoolIsFull(nil) }
        let start = Subscription.now
        for _ in 0..<Self.maximumFetches where !Task.isCancelled {
            let step = state.step(for: jobID, now: Subscription.now)
            guard step != .poll else { return .unavailable }
            let outcome = await perform(step, jobID, request)
            // A printer that restarted may give the subscription's number to another client.
            client.knowledge.subscription = outcome.isUnreachable ? nil : state.subscription
            switch outcome {
            case .response(.event): return .event
            case .response(.uncertain): return .uncertain
            case .response(.unusable(let reason)):
                client.trace.tell("jobs are followed by polling from now on: \(reason)")
                client.logger.debug(
                    "jobs are followed by polling: \(reason)", metadata: ["printer": "\(client.printer)"])
                return .unavailable
            case .response(.nothing): if Subscription.now - start >= wait { return .silence }
            case .timedOut: return .silence
            case .interrupted, .unreachable: return .unavailable
            }
        }
        return .unavailable
    }

    /// Notes that the job has changed since the poll before.
    func jobChanged(after outcome: Outcome) {
        switch outcome {
        case .event: state.eventWasConfirmed()
        case .silence: state.changeWasMissed()
        case .uncertain, .unavailable: break
        }
    }

    /// Notes that the job has ended, and with it a subscription to this job only.
    func jobEnded(after outcome: Outcome) {
        jobChanged(after: outcome)
        state.jobEnded()
        if client.knowledge.subscription?.jobID != nil { client.knowledge.subscription = nil }
    }

    /// The outcome of one step.
    private enum StepOutcome {
        case response(NotificationState.Outcome)
        /// No event came in the time of a wait.
        case timedOut
        /// Others need the connection, or the printer is busy.
        case interrupted
        case unreachable

        var isUnreachable: Bool { if case .unreachable = self { true } else { false } }
    }

    private var wait: Duration { state.isProven ? Self.maximumWait : Self.firstWait }

    private func perform(
        _ step: NotificationState.Step, _ jobID: Int32, _ makeRequest: (IPPOperation) -> IPPRequest
    ) async -> StepOutcome {
        var request = step.request(makeRequest)
        request.timeouts = client.deadlines.requestTimeouts
        let sentAt = Subscription.now
        if case .fetch = step {
            request.timeouts.response = TimeAmount(wait)
            request.timeouts.total = TimeAmount(wait)
        }
        let secondClient = IPPClient(link: secondLink, deadlines: client.deadlines, logger: client.logger)
        do throws(TransportError) {
            let response = try await secondClient.send(request).message
            switch step {
            case .subscribe(let jobID):
                return .response(state.subscribed(response, jobID: jobID, now: Subscription.now))
            case .renew: return .response(state.renewed(response, now: Subscription.now))
            case .fetch:
                return .response(state.fetched(response, about: jobID, after: Subscription.now - sentAt))
            case .poll: return .response(.uncertain)
            }
        } catch {
            return failed(step, error)
        }
    }

    private func failed(_ step: NotificationState.Step, _ error: TransportError) -> StepOutcome {
        switch (step, error.code) {
        case (.fetch, .timedOut): .timedOut
        // Others need the connection, or the printer is away: no fault of its events.
        case (_, .cancelled), (_, .timedOut), (_, .printerBusy): .interrupted
        case (_, .connectionLost), (_, .connectionRefused), (_, .hostNotFound): .unreachable
        // RFC 3996 §5.2 lets a printer respond in parts, as HTTP's multipart/related, one for each event.
        case (_, .protocolViolation): .response(state.giveUp("its response cannot be read (\(error.message))"))
        default: .response(state.failed(error.message))
        }
    }
}

extension NotificationState.Step {
    /// The request to send for this step.
    fileprivate func request(_ make: (IPPOperation) -> IPPRequest) -> IPPRequest {
        switch self {
        case .subscribe(let jobID):
            var request = make(jobID == nil ? .createPrinterSubscriptions : .createJobSubscriptions)
            request.subscriptionAttributes = Self.subscriptionAttributes
            if let jobID {
                request.operationAttributes = [IPPAttribute("notify-job-id", .integer(jobID))]
            } else {
                // A job's subscription lasts as long as the job (RFC 3995 §5.3.8).
                request.subscriptionAttributes.append(
                    IPPAttribute("notify-lease-duration", .integer(Subscription.lease)))
            }
            return request
        case .renew(let id):
            var request = make(.renewSubscription)
            request.operationAttributes = [IPPAttribute("notify-subscription-id", .integer(id))]
            request.subscriptionAttributes = [IPPAttribute("notify-lease-duration", .integer(Subscription.lease))]
            return request
        case .fetch(let subscription):
            var request = make(.getNotifications)
            request.operationAttributes = [
                IPPAttribute("notify-subscription-ids", .integer(subscription.id)),
                IPPAttribute("notify-sequence-numbers", .integer(subscription.nextEvent)),
                IPPAttribute("notify-wait", .boolean(true)),
            ]
            return request
        case .poll: return make(.getJobAttributes)
        }
    }

    private static let subscriptionAttributes = [
        IPPAttribute("notify-pull-method", keyword: "ippget"),
        IPPAttribute("notify-events", keywords: ["job-state-changed", "job-completed", "printer-state-changed"]),
    ]
}
