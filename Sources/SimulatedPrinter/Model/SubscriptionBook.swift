import IPPCodec

/// The subscriptions that a printer keeps, and their events that nobody has fetched yet (RFC 3995). Every input says
/// what time it is; nothing here waits.
struct SubscriptionBook {
    struct Subscription {
        let id: Int32
        let user: String
        /// Nil where it is about the printer and all of its jobs.
        let jobID: Int32?
        let events: Set<String>
        let userData: [UInt8]?
        var lease: Int32
        /// Nil where it lasts as long as its job, or for ever.
        var endsAt: Duration?
        fileprivate(set) var nextNumber: Int32 = 1
        fileprivate(set) var kept: [Event] = []

        func wants(_ event: String) -> Bool { events.contains(event) }
    }

    struct Event {
        let number: Int32
        let attributes: [IPPAttribute]
    }

    /// Small printers remember little.
    static let mostSubscriptions = 16
    static let mostEvents = 32
    static let defaultLease: Int32 = 300
    static let longestLease: Int32 = 86_400

    private(set) var all: [Subscription] = []
    private var nextID: Int32 = 1

    var isFull: Bool { all.count >= Self.mostSubscriptions }

    subscript(id: Int32) -> Subscription? { all.first { $0.id == id } }

    mutating func add(
        user: String, jobID: Int32?, events: Set<String>, userData: [UInt8]?, lease: Int32, at now: Duration
    ) -> Subscription {
        var subscription = Subscription(
            id: nextID, user: user, jobID: jobID, events: events, userData: userData, lease: lease)
        if jobID == nil { subscription.endsAt = Self.end(of: lease, now) }
        nextID = nextID == .max ? 1 : nextID + 1
        all.append(subscription)
        return subscription
    }

    mutating func renew(_ id: Int32, lease: Int32, at now: Duration) {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return }
        all[index].lease = lease
        all[index].endsAt = Self.end(of: lease, now)
    }

    mutating func remove(_ id: Int32) { all.removeAll { $0.id == id } }
    mutating func removeAll() { all = [] }

    mutating func dropEnded(at now: Duration) { all.removeAll { $0.endsAt.map { $0 <= now } ?? false } }

    /// Tells each subscription that wants it of one event: the first of `names` that it wants.
    mutating func tell(_ names: [String], jobID: Int32?, _ attributes: [IPPAttribute]) {
        for index in all.indices where all[index].jobID == nil || all[index].jobID == jobID {
            guard let name = names.first(where: all[index].wants) else { continue }
            let event = IPPAttribute("notify-subscribed-event", keyword: name)
            all[index].kept.append(Event(number: all[index].nextNumber, attributes: [event] + attributes))
            all[index].nextNumber = all[index].nextNumber == .max ? 1 : all[index].nextNumber + 1
            if all[index].kept.count > Self.mostEvents { all[index].kept.removeFirst() }
        }
    }

    /// A lease of 0 does not end (RFC 3995 §5.3.8).
    private static func end(of lease: Int32, _ now: Duration) -> Duration? { lease > 0 ? now + .seconds(lease) : nil }
}
