import IPPCodec
import PrintModel

// Subscriptions (RFC 3995 §11).
extension PrinterService {
    mutating func createSubscriptions(
        _ request: IPPRequest, forJob: Bool, at now: Duration
    ) throws(IPPRefusal) -> IPPMessage {
        try checkPrinter(request)
        var jobID: Int32?
        if forJob {
            guard let number = request["notify-job-id"]?.integer else {
                throw .badRequest("The attribute notify-job-id is missing.")
            }
            guard let job = model.job(number) else { throw IPPRefusal(.clientErrorNotFound, "There is no such job.") }
            guard !job.state.isFinal else { throw IPPRefusal(.notPossible(job.state)) }
            jobID = number
        }
        let wanted = request.message.groups(.subscription)
        guard !wanted.isEmpty else { throw .badRequest("There is no subscription group.") }
        var groups: [IPPGroup] = []
        for group in wanted { groups.append(subscribe(group, request.user, jobID: jobID, at: now)) }
        let refused = groups.count { $0["notify-subscription-id"] == nil }
        guard refused < groups.count else {
            return answer(request.message, .clientErrorIgnoredAllSubscriptions, "No subscription was made.", groups)
        }
        return answer(request.message, refused > 0 ? .successfulOkIgnoredSubscriptions : .successfulOk, nil, groups)
    }

    private mutating func subscribe(_ wanted: IPPGroup, _ user: String, jobID: Int32?, at now: Duration) -> IPPGroup {
        func refuse(_ status: IPPStatus) -> IPPGroup {
            IPPGroup(.subscription, [IPPAttribute("notify-status-code", .enum(Int32(status.rawValue)))])
        }
        guard wanted["notify-pull-method"]?.string == "ippget" else {
            return refuse(.clientErrorAttributesOrValuesNotSupported)
        }
        guard !subscriptions.isFull else { return refuse(.clientErrorTooManySubscriptions) }
        let asked = wanted["notify-events"]?.strings ?? ["job-completed"]
        let events = Set(asked).intersection(Self.events)
        guard !events.isEmpty else { return refuse(.clientErrorAttributesOrValuesNotSupported) }
        let made = subscriptions.add(
            user: user, jobID: jobID, events: events, userData: wanted["notify-user-data"]?.octetStrings.first,
            lease: Self.lease(wanted), at: now)
        var group = IPPGroup(.subscription, [IPPAttribute("notify-subscription-id", .integer(made.id))])
        if jobID == nil { group.append(IPPAttribute("notify-lease-duration", .integer(made.lease))) }
        return group
    }

    private static func lease(_ group: IPPGroup?) -> Int32 {
        let asked = group?["notify-lease-duration"]?.integer ?? SubscriptionBook.defaultLease
        return asked <= 0 ? SubscriptionBook.longestLease : min(asked, SubscriptionBook.longestLease)
    }

    mutating func renewSubscription(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        let known = try subscription(of: request)
        guard known.jobID == nil else {
            throw IPPRefusal(.clientErrorNotPossible, "A job's subscription has no lease.")
        }
        let lease = Self.lease(request.message.first(.subscription))
        subscriptions.renew(known.id, lease: lease, at: now)
        return success(request, [IPPGroup(.subscription, [IPPAttribute("notify-lease-duration", .integer(lease))])])
    }

    mutating func cancelSubscription(_ request: IPPRequest) throws(IPPRefusal) -> IPPMessage {
        subscriptions.remove(try subscription(of: request).id)
        return success(request)
    }

    func getSubscriptionAttributes(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        let known = try subscription(of: request)
        let asked = RequestedAttributes(request, nothingAsked: ["all"])
        return success(request, [description(of: known, asked, at: now)])
    }

    func getSubscriptions(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        try checkPrinter(request)
        let jobID = request["notify-job-id"]?.integer
        if let jobID, model.job(jobID) == nil { throw IPPRefusal(.clientErrorNotFound, "There is no such job.") }
        var found = subscriptions.all.filter { $0.jobID == jobID }
        if request["my-subscriptions"]?.boolean == true { found = found.filter { $0.user == request.user } }
        if let limit = request["limit"]?.integer, limit > 0 { found = Array(found.prefix(Int(limit))) }
        let asked = RequestedAttributes(request, nothingAsked: ["notify-subscription-id"])
        return success(request, found.map { description(of: $0, asked, at: now) })
    }

    private func subscription(of request: IPPRequest) throws(IPPRefusal) -> SubscriptionBook.Subscription {
        try checkPrinter(request)
        guard let id = request["notify-subscription-id"]?.integer else {
            throw .badRequest("The attribute notify-subscription-id is missing.")
        }
        guard let known = subscriptions[id] else {
            throw IPPRefusal(.clientErrorNotFound, "There is no such subscription.")
        }
        return known
    }

    private func description(
        of known: SubscriptionBook.Subscription, _ asked: RequestedAttributes, at now: Duration
    ) -> IPPGroup {
        var attributes = [
            IPPAttribute("notify-subscription-id", .integer(known.id)),
            IPPAttribute("notify-sequence-number", .integer(known.nextNumber - 1)),
            IPPAttribute("notify-printer-uri", .uri(IPPText(identity.uri))),
            IPPAttribute("notify-printer-up-time", .integer(model.upTime(at: now))),
            IPPAttribute("notify-subscriber-user-name", .name(IPPText(known.user))),
            IPPAttribute("notify-pull-method", keyword: "ippget"),
            IPPAttribute("notify-events", keywords: known.events.sorted()),
            IPPAttribute("notify-charset", .charset("utf-8")),
            IPPAttribute("notify-natural-language", .naturalLanguage("en")),
        ]
        if let jobID = known.jobID {
            attributes.append(IPPAttribute("notify-job-id", .integer(jobID)))
        } else {
            attributes.append(IPPAttribute("notify-lease-duration", .integer(known.lease)))
            let end = known.endsAt.map { model.upTime(at: $0) } ?? 0
            attributes.append(IPPAttribute("notify-lease-expiration-time", .integer(end)))
        }
        return IPPGroup(.subscription, asked.filter(attributes, group: "subscription-description"))
    }
}
