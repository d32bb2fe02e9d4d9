import KioskIPPCodec
import KioskPrintModel

/// A Get-Notifications request in Event Wait Mode (RFC 3996): the response waits for an event.
struct EventWait {
    let request: IPPRequest
    let endsAt: Duration
}

/// The subscriptions of a printer, their events that nobody has fetched yet, and the operations on them (RFC 3995,
/// RFC 3996). Every input carries the current time; nothing here waits.
struct SubscriptionService {
    /// The `notify-events` keywords that the printer supports.
    static let events: Set<String> = [
        "job-created", "job-state-changed", "job-completed", "job-stopped", "printer-state-changed", "printer-stopped",
    ]
    static let defaultLease: Int32 = 300
    static let maximumLease: Int32 = 86_400
    /// How long a request without events waits.
    static let maximumWait: Duration = .seconds(30)
    // Small printers have little memory.
    private static let maximumSubscriptions = 16
    private static let maximumEvents = 32

    private struct Subscription {
        let id: Int32
        let user: String
        /// Nil for a subscription to the printer and all of its jobs.
        let jobID: Int32?
        let events: Set<String>
        let userData: [UInt8]?
        var lease: Int32
        /// Nil where the subscription lasts as long as its job, or for ever.
        var expiresAt: Duration?
        var nextSequenceNumber: Int32 = 1
        var pendingEvents: [Event] = []
    }

    private struct Event {
        let sequenceNumber: Int32
        let attributes: [IPPAttribute]
    }

    private let printer: PrinterIdentity
    private var subscriptions: [Subscription] = []
    private var nextID: Int32 = 1

    init(_ printer: PrinterIdentity) { self.printer = printer }

    var count: Int { subscriptions.count }

    mutating func removeAll() { subscriptions = [] }

    mutating func removeExpired(at now: Duration) {
        subscriptions.removeAll { $0.expiresAt.map { $0 <= now } ?? false }
    }

    // MARK: Operations (RFC 3995 §11)

    /// Create-Printer-Subscriptions, or Create-Job-Subscriptions if `forJob` is set.
    mutating func create(
        _ request: IPPRequest, forJob: Bool, _ model: PrinterModel, at now: Duration
    ) throws(IPPStatusError) -> IPPMessage {
        try request.checkTarget(printer)
        var jobID: Int32?
        if forJob {
            guard let number = request["notify-job-id"]?.integer else {
                throw .badRequest("The attribute notify-job-id is missing.")
            }
            guard let job = model.job(number) else { throw .jobNotFound }
            guard !job.state.isFinal else { throw IPPStatusError(.notPossible(job.state)) }
            jobID = number
        }
        let requested = request.message.groups(.subscription)
        guard !requested.isEmpty else { throw .badRequest("There is no subscription group.") }
        var groups: [IPPGroup] = []
        for group in requested { groups.append(subscribe(group, request.user, jobID: jobID, at: now)) }
        let rejected = groups.count { $0["notify-subscription-id"] == nil }
        guard rejected < groups.count else {
            return request.message.response(
                .clientErrorIgnoredAllSubscriptions, "No subscription was created.", groups)
        }
        let status: IPPStatus = rejected > 0 ? .successfulOkIgnoredSubscriptions : .successfulOk
        return request.message.response(status, nil, groups)
    }

    private mutating func subscribe(
        _ requested: IPPGroup, _ user: String, jobID: Int32?, at now: Duration
    ) -> IPPGroup {
        func reject(_ status: IPPStatus) -> IPPGroup {
            IPPGroup(.subscription, [IPPAttribute("notify-status-code", .enum(Int32(status.rawValue)))])
        }
        guard requested["notify-pull-method"]?.string == "ippget" else {
            return reject(.clientErrorAttributesOrValuesNotSupported)
        }
        guard subscriptions.count < Self.maximumSubscriptions else {
            return reject(.clientErrorTooManySubscriptions)
        }
        let events = Set(requested["notify-events"]?.strings ?? ["job-completed"]).intersection(Self.events)
        guard !events.isEmpty else { return reject(.clientErrorAttributesOrValuesNotSupported) }
        var created = Subscription(
            id: nextID, user: user, jobID: jobID, events: events,
            userData: requested["notify-user-data"]?.octetStrings.first, lease: Self.lease(requested))
        if jobID == nil { created.expiresAt = Self.end(of: created.lease, now) }
        nextID = nextID == .max ? 1 : nextID + 1
        subscriptions.append(created)
        var group = IPPGroup(.subscription, [IPPAttribute("notify-subscription-id", .integer(created.id))])
        if jobID == nil { group.append(IPPAttribute("notify-lease-duration", .integer(created.lease))) }
        return group
    }

    private static func lease(_ requested: IPPGroup?) -> Int32 {
        let lease = requested?["notify-lease-duration"]?.integer ?? defaultLease
        return lease <= 0 ? maximumLease : min(lease, maximumLease)
    }

    /// A lease of 0 does not end (RFC 3995 §5.3.8).
    private static func end(of lease: Int32, _ now: Duration) -> Duration? { lease > 0 ? now + .seconds(lease) : nil }

    /// Renew-Subscription.
    mutating func renew(_ request: IPPRequest, at now: Duration) throws(IPPStatusError) -> IPPMessage {
        let index = try index(of: request)
        guard subscriptions[index].jobID == nil else {
            throw IPPStatusError(.clientErrorNotPossible, "A job's subscription has no lease.")
        }
        let lease = Self.lease(request.message.first(.subscription))
        subscriptions[index].lease = lease
        subscriptions[index].expiresAt = Self.end(of: lease, now)
        let attribute = IPPAttribute("notify-lease-duration", .integer(lease))
        return request.message.success([IPPGroup(.subscription, [attribute])])
    }

    /// Cancel-Subscription.
    mutating func cancel(_ request: IPPRequest) throws(IPPStatusError) -> IPPMessage {
        try subscriptions.remove(at: index(of: request))
        return request.message.success()
    }

    /// Get-Subscription-Attributes.
    func getAttributes(
        _ request: IPPRequest, _ model: PrinterModel, at now: Duration
    ) throws(IPPStatusError) -> IPPMessage {
        let subscription = try subscriptions[index(of: request)]
        let requested = RequestedAttributes(request, default: ["all"])
        return request.message.success([description(of: subscription, requested, model, at: now)])
    }

    /// Get-Subscriptions.
    func list(_ request: IPPRequest, _ model: PrinterModel, at now: Duration) throws(IPPStatusError) -> IPPMessage {
        try request.checkTarget(printer)
        let jobID = request["notify-job-id"]?.integer
        if let jobID, model.job(jobID) == nil { throw .jobNotFound }
        var found = subscriptions.filter { $0.jobID == jobID }
        if request["my-subscriptions"]?.boolean == true { found = found.filter { $0.user == request.user } }
        if let limit = request["limit"]?.integer, limit > 0 { found = Array(found.prefix(Int(limit))) }
        let requested = RequestedAttributes(request, default: ["notify-subscription-id"])
        return request.message.success(found.map { description(of: $0, requested, model, at: now) })
    }

    private func index(of request: IPPRequest) throws(IPPStatusError) -> Int {
        try request.checkTarget(printer)
        guard let id = request["notify-subscription-id"]?.integer else {
            throw .badRequest("The attribute notify-subscription-id is missing.")
        }
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { throw .subscriptionNotFound }
        return index
    }

    private func description(
        of subscription: Subscription, _ requested: RequestedAttributes, _ model: PrinterModel, at now: Duration
    ) -> IPPGroup {
        var attributes = [
            IPPAttribute("notify-subscription-id", .integer(subscription.id)),
            IPPAttribute("notify-sequence-number", .integer(subscription.nextSequenceNumber - 1)),
            IPPAttribute("notify-printer-uri", .uri(IPPText(printer.uri))),
            IPPAttribute("notify-printer-up-time", .integer(model.upTime(at: now))),
            IPPAttribute("notify-subscriber-user-name", .name(IPPText(subscription.user))),
            IPPAttribute("notify-pull-method", keyword: "ippget"),
            IPPAttribute("notify-events", keywords: subscription.events.sorted()),
            IPPAttribute("notify-charset", .charset("utf-8")),
            IPPAttribute("notify-natural-language", .naturalLanguage("en")),
        ]
        if let jobID = subscription.jobID {
            attributes.append(IPPAttribute("notify-job-id", .integer(jobID)))
        } else {
            attributes.append(IPPAttribute("notify-lease-duration", .integer(subscription.lease)))
            let end = subscription.expiresAt.map { model.upTime(at: $0) } ?? 0
            attributes.append(IPPAttribute("notify-lease-expiration-time", .integer(end)))
        }
        return IPPGroup(.subscription, requested.filter(attributes, group: "subscription-description"))
    }

    // MARK: Get-Notifications (RFC 3996)

    /// The response to Get-Notifications; nil where there is no event yet.
    func notifications(
        _ request: IPPRequest, _ model: PrinterModel, at now: Duration
    ) throws(IPPStatusError) -> IPPMessage? {
        try request.checkTarget(printer)
        let ids = request["notify-subscription-ids"]?.integers ?? []
        guard !ids.isEmpty else { throw .badRequest("The attribute notify-subscription-ids is missing.") }
        let numbers = request["notify-sequence-numbers"]?.integers ?? []
        var groups: [IPPGroup] = []
        var isComplete = true
        for (index, id) in ids.enumerated() {
            guard let subscription = subscriptions.first(where: { $0.id == id }) else { throw .subscriptionNotFound }
            let first = numbers.indices.contains(index) ? numbers[index] : 1
            groups += subscription.pendingEvents.filter { $0.sequenceNumber >= first }.map {
                group(of: $0, for: subscription)
            }
            isComplete = isComplete && Self.isComplete(subscription, model)
        }
        guard !groups.isEmpty || isComplete else { return nil }
        return response(to: request, isComplete ? .successfulOkEventsComplete : .successfulOk, groups, model, at: now)
    }

    /// The response to Get-Notifications without an event.
    func noNotifications(_ request: IPPRequest, _ model: PrinterModel, at now: Duration) -> IPPMessage {
        response(to: request, .successfulOk, [], model, at: now)
    }

    private func response(
        to request: IPPRequest, _ status: IPPStatus, _ groups: [IPPGroup], _ model: PrinterModel, at now: Duration
    ) -> IPPMessage {
        var message = request.message.response(status, nil, groups)
        guard !message.groups.isEmpty else { return message }
        let seconds = Int32(clamping: Self.maximumWait.components.seconds)
        if status == .successfulOk { message.groups[0].append(IPPAttribute("notify-get-interval", .integer(seconds))) }
        message.groups[0].append(IPPAttribute("printer-up-time", .integer(model.upTime(at: now))))
        return message
    }

    /// Whether no event can follow: the subscription's job is finished or forgotten.
    private static func isComplete(_ subscription: Subscription, _ model: PrinterModel) -> Bool {
        guard let jobID = subscription.jobID else { return false }
        return model.job(jobID)?.state.isFinal ?? true
    }

    private func group(of event: Event, for subscription: Subscription) -> IPPGroup {
        var attributes = [
            IPPAttribute("notify-subscription-id", .integer(subscription.id)),
            IPPAttribute("notify-sequence-number", .integer(event.sequenceNumber)),
            IPPAttribute("notify-printer-uri", .uri(IPPText(printer.uri))),
            IPPAttribute("notify-charset", .charset("utf-8")),
            IPPAttribute("notify-natural-language", .naturalLanguage("en")),
        ]
        if let data = subscription.userData { attributes.append(IPPAttribute("notify-user-data", .octetString(data))) }
        return IPPGroup(.eventNotification, attributes + event.attributes)
    }

    // MARK: Events (RFC 3995 §8)

    /// Notifies subscribers of a job that is new or has changed. A new job is `job-created` whatever its state: mostly
    /// it is held until its document is complete (RFC 3995 §5.3.3.4.3).
    mutating func notify(of job: SimulatedJob, isNew: Bool, _ model: PrinterModel, at now: Duration) {
        let name: String? =
            switch job.state {
            case _ where isNew: "job-created"
            case .canceled, .aborted, .completed: "job-completed"
            case .processingStopped: "job-stopped"
            default: nil
            }
        notify(
            [name, "job-state-changed"].compactMap { $0 }, jobID: job.id,
            [
                IPPAttribute("printer-up-time", .integer(model.upTime(at: now))),
                IPPAttribute("notify-job-id", .integer(job.id)), IPPAttribute("job-name", .name(IPPText(job.name))),
                IPPAttribute("job-state", .enum(job.state.ippValue)),
                IPPAttribute("job-state-reasons", keywords: job.reasons),
                IPPAttribute("notify-text", .text(IPPText("Job \(job.id) is \(job.state.rawValue)."))),
            ])
    }

    /// Notifies subscribers of the printer's own state.
    mutating func notifyOfPrinterState(_ model: PrinterModel, at now: Duration) {
        let state = model.state
        notify(
            (state == .stopped ? ["printer-stopped"] : []) + ["printer-state-changed"], jobID: nil,
            [
                IPPAttribute("printer-up-time", .integer(model.upTime(at: now))),
                IPPAttribute("printer-state", .enum(state.rawValue)),
                IPPAttribute("printer-state-reasons", keywords: model.reasons),
                IPPAttribute("printer-is-accepting-jobs", .boolean(!model.condition.isRejectingJobs)),
                IPPAttribute("notify-text", .text("The printer is \(state).")),
            ])
    }

    /// Adds an event to each subscription that covers it, under the first of `names` that the subscription asks for.
    private mutating func notify(_ names: [String], jobID: Int32?, _ attributes: [IPPAttribute]) {
        for index in subscriptions.indices {
            let (events, number) = (subscriptions[index].events, subscriptions[index].nextSequenceNumber)
            guard subscriptions[index].jobID == nil || subscriptions[index].jobID == jobID,
                let name = names.first(where: { events.contains($0) })
            else { continue }
            let subscribedEvent = IPPAttribute("notify-subscribed-event", keyword: name)
            subscriptions[index].pendingEvents.append(
                Event(sequenceNumber: number, attributes: [subscribedEvent] + attributes))
            if subscriptions[index].pendingEvents.count > Self.maximumEvents {
                subscriptions[index].pendingEvents.removeFirst()
            }
            subscriptions[index].nextSequenceNumber = number == .max ? 1 : number + 1
        }
    }
}
