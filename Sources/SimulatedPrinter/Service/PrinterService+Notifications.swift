import IPPCodec
import PrintModel

/// A Get-Notifications that waits for an event.
struct NotificationWait {
    let request: IPPRequest
    let endsAt: Duration
}

// Events and how they are fetched (RFC 3995 §8, RFC 3996).
extension PrinterService {
    static let events: Set<String> = [
        "job-created", "job-state-changed", "job-completed", "job-stopped", "printer-state-changed", "printer-stopped",
    ]
    /// How long a request without events waits.
    static let longestWait: Duration = .seconds(30)

    /// The answer to Get-Notifications; nil where there is nothing to tell yet.
    func notifications(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage? {
        try checkPrinter(request)
        let ids = request["notify-subscription-ids"]?.integers ?? []
        guard !ids.isEmpty else { throw .badRequest("The attribute notify-subscription-ids is missing.") }
        let numbers = request["notify-sequence-numbers"]?.integers ?? []
        var groups: [IPPGroup] = []
        var isComplete = true
        for (index, id) in ids.enumerated() {
            guard let known = subscriptions[id] else {
                throw IPPRefusal(.clientErrorNotFound, "There is no such subscription.")
            }
            let first = numbers.indices.contains(index) ? numbers[index] : 1
            groups += known.kept.filter { $0.number >= first }.map { group(of: $0, for: known) }
            isComplete = isComplete && isOver(known)
        }
        guard !groups.isEmpty || isComplete else { return nil }
        return answer(request, isComplete ? .successfulOkEventsComplete : .successfulOk, groups, at: now)
    }

    /// The answer without an event.
    func noNotifications(_ request: IPPRequest, at now: Duration) -> IPPMessage {
        answer(request, .successfulOk, [], at: now)
    }

    private func answer(
        _ request: IPPRequest, _ status: IPPStatus, _ groups: [IPPGroup], at now: Duration
    ) -> IPPMessage {
        var message = answer(request.message, status, nil, groups)
        guard !message.groups.isEmpty else { return message }
        let seconds = Int32(clamping: Self.longestWait.components.seconds)
        if status == .successfulOk { message.groups[0].append(IPPAttribute("notify-get-interval", .integer(seconds))) }
        message.groups[0].append(IPPAttribute("printer-up-time", .integer(model.upTime(at: now))))
        return message
    }

    /// Whether nothing more will happen to what it is about.
    private func isOver(_ known: SubscriptionBook.Subscription) -> Bool {
        guard let jobID = known.jobID else { return false }
        return model.job(jobID)?.state.isFinal ?? true
    }

    private func group(of event: SubscriptionBook.Event, for known: SubscriptionBook.Subscription) -> IPPGroup {
        var attributes = [
            IPPAttribute("notify-subscription-id", .integer(known.id)),
            IPPAttribute("notify-sequence-number", .integer(event.number)),
            IPPAttribute("notify-printer-uri", .uri(IPPText(identity.uri))),
            IPPAttribute("notify-charset", .charset("utf-8")),
            IPPAttribute("notify-natural-language", .naturalLanguage("en")),
        ]
        if let data = known.userData { attributes.append(IPPAttribute("notify-user-data", .octetString(data))) }
        return IPPGroup(.eventNotification, attributes + event.attributes)
    }

    /// Tells subscribers what happened to a job.
    mutating func tell(of job: SimulatedJob, at now: Duration) {
        let names: [String] =
            switch job.state {
            case .canceled, .aborted, .completed: ["job-completed", "job-state-changed"]
            case .processingStopped: ["job-stopped", "job-state-changed"]
            case .pending where !job.isComplete: ["job-created", "job-state-changed"]
            default: ["job-state-changed"]
            }
        subscriptions.tell(
            names, jobID: job.id,
            [
                IPPAttribute("printer-up-time", .integer(model.upTime(at: now))),
                IPPAttribute("notify-job-id", .integer(job.id)), IPPAttribute("job-name", .name(IPPText(job.name))),
                IPPAttribute("job-state", .enum(job.state.ippValue)),
                IPPAttribute("job-state-reasons", keywords: job.reasons),
                IPPAttribute("notify-text", .text(IPPText("Job \(job.id) is \(job.state.rawValue)."))),
            ])
    }

    /// Tells subscribers of the printer's own state.
    mutating func tellOfPrinter(at now: Duration) {
        let state = model.state
        subscriptions.tell(
            (state == .stopped ? ["printer-stopped"] : []) + ["printer-state-changed"], jobID: nil,
            [
                IPPAttribute("printer-up-time", .integer(model.upTime(at: now))),
                IPPAttribute("printer-state", .enum(state.rawValue)),
                IPPAttribute("printer-state-reasons", keywords: model.condition.reasons),
                IPPAttribute("printer-is-accepting-jobs", .boolean(!model.condition.isRefusing)),
                IPPAttribute("notify-text", .text("The printer is \(state).")),
            ])
    }
}
