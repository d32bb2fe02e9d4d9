import KioskPrintModel

/// Fetches what the hub has for a site, in the hub's order, and goes on with what comes. Acknowledges nothing: the
/// kiosk's own disk says how far it has come, and what comes again is known by its key.
package struct JobFetcher: Sendable {
    private let jetStream: JetStream
    private let stream: String
    private let filter: String
    private let pace: Pace

    /// How much is asked for at once, and how soon a silent hub is given up.
    package struct Pace: Hashable, Sendable {
        /// Messages that are under way at once.
        package var batch = 64
        /// How long one request for messages stands at the hub. What a server that lagged behind catches up with may go
        /// out only to the next one. At least two heartbeats, or the hub refuses it.
        package var requestTime: Duration = .seconds(60)
        /// In which intervals the hub shows that it has nothing.
        package var heartbeat: Duration = .seconds(15)
        /// After which time another consumer is made, once a request has ended by its time. A consumer runs on one server:
        /// if that lags behind, it sends heartbeats and no messages (seen with nats-server 2.9).
        package var consumerLifetime: Duration = .seconds(1800)

        package init() {}
    }

    /// A message of the site, and where the hub has stored it.
    package struct Delivery: Hashable, Sendable {
        /// A job or a cancellation, or a report.
        package var subject: FleetSubject
        package var message: HubMessage
        package var position: StoredPosition
        /// What time it was when it came, in ns since 1970 by the hub's clock; nil where the hub does not say.
        package var receivedAt: Int64?
        private let arrival = ContinuousClock.now

        package init(
            subject: FleetSubject, message: HubMessage, position: StoredPosition, receivedAt: Int64? = nil
        ) {
            (self.subject, self.message, self.position) = (subject, message, position)
            self.receivedAt = receivedAt
        }

        /// For how many seconds the hub has had it and, since it came, this kiosk.
        package var age: Int {
            let onItsWay = ((receivedAt ?? position.storedAt) - position.storedAt) / 1_000_000_000
            return Int(clamping: max(0, onItsWay + arrival.duration(to: .now).components.seconds))
        }
    }

    /// How far before the last message that was taken it begins anew, in ns: the clocks of two servers of a hub differ.
    /// By time and not by number, since a stream that was made anew counts from 1 again.
    package static let overlap: Int64 = 600_000_000_000

    /// For the site's jobs and cancellations.
    package init(of site: SiteName, at jetStream: JetStream, pace: Pace = Pace()) {
        (stream, filter) = (HubLayout.jobs, FleetSubject.jobsFilter(of: site))
        (self.jetStream, self.pace) = (jetStream, pace)
    }

    /// For what the site's kiosks say of its jobs.
    package init(reportsOf site: SiteName, at jetStream: JetStream, pace: Pace = Pace()) {
        (stream, filter) = (HubLayout.reports, FleetSubject.reportsFilter(of: site))
        (self.jetStream, self.pace) = (jetStream, pace)
    }

    /// Calls `take` for each message in order, one at a time, from `start` on (ns since 1970 by the hub's clock, less
    /// the overlap), until the task is cancelled. Throws what `take` throws; and where the connection breaks, the hub
    /// says nothing in two heartbeats, or refuses. Then begin anew, from the last message that was taken.
    package func run(from start: Int64, take: @escaping @Sendable (Delivery) async throws -> Void) async throws {
        let start = max(0, start)
        let (inbox, messages) = try jetStream.link.inbox(maximum: 2 * pace.batch + Self.maximumStatuses)
        let watch = SilenceWatch()
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await jetStream.link.waitForDisconnection()
                throw FleetError(.notConnected, "the connection to the hub has broken; it is tried again by itself")
            }
            group.addTask { try await watch.wait(pace.heartbeat * 2) }
            group.addTask {
                var start = start
                while true {
                    start = try await read(messages, from: start, to: inbox, watch, take)
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Reads from a consumer of its own, until that is too old. Returns from when on the next is to deliver.
    private func read(
        _ messages: AsyncStream<HubMessage>, from start: Int64, to inbox: String, _ watch: SilenceWatch,
        _ take: @Sendable (Delivery) async throws -> Void
    ) async throws -> Int64 {
        let consumer = try await watch.pausing { try await makeConsumer(from: start) }
        // The kiosk's wall clock may be wrong: only elapsed time is measured here. The response may have been
        // long in coming.
        let begin = ContinuousClock.now
        var last = start
        try await read(messages, of: consumer, to: inbox, watch) { delivery in
            var delivery = delivery
            delivery.receivedAt = consumer.hubTime.map { max(0, $0 &+ begin.duration(to: .now).nanoseconds) }
            try await take(delivery)
            last = delivery.position.storedAt
        }
        return last
    }

    private func makeConsumer(from start: Int64) async throws -> JetStream.Consumer {
        func make(from time: Int64) async throws -> JetStream.Consumer {
            try await jetStream.create(
                JetStream.ConsumerConfiguration(
                    stream: stream, filter: filter, start: .time(max(0, time - Self.overlap))))
        }
        let made = try await make(from: start)
        guard let hubTime = made.hubTime, hubTime < start - Self.overlap else { return made }
        // Its clock was ahead. What it has stored since bears earlier times: all that it has comes, and is known by key.
        return try await make(from: 0)
    }

    /// More than the heartbeats and ends of one request.
    private static let maximumStatuses = 64

    /// Returns once the consumer is too old and nothing is under way.
    private func read(
        _ messages: AsyncStream<HubMessage>, of consumer: JetStream.Consumer, to inbox: String, _ watch: SilenceWatch,
        _ take: (Delivery) async throws -> Void
    ) async throws {
        // Random, so that kiosks that connected at once do not all replace their consumers at once.
        let end = ContinuousClock.now + pace.consumerLifetime * .random(in: 0.5...1)
        var due = 0
        var delivered: UInt64 = 0
        func requestNext() throws {
            try jetStream.requestNext(
                pace.batch, of: consumer, to: inbox, within: pace.requestTime, heartbeat: pace.heartbeat)
            due = pace.batch
        }
        try requestNext()
        for await message in messages {
            watch.heard()
            // A sender's own header may look like a status: what has a position is a message.
            guard let position = message.replySubject.flatMap({ StoredPosition(replySubject: $0) }) else {
                switch message.status {
                case 100: continue
                // The request is over: its time, its batch, or there is nothing now.
                case 404, 408:
                    if .now > end { return }
                    try requestNext()
                    continue
                case let status?:
                    throw FleetError(
                        .refused, "the hub ends the consumer of \(consumer.configuration.filter) with status \(status)",
                        hubCode: status)
                case nil: throw FleetError(.malformed, "a message of \(consumer.configuration.filter) has no position")
                }
            }
            guard position.delivery == delivered + 1 else {
                throw FleetError(.malformed, "a message of \(consumer.configuration.filter) is missing")
            }
            delivered += 1
            // What has another subject within the site's own is of a version to come, and not ours to print.
            if let subject = FleetSubject(message.subject) {
                try await watch.pausing {
                    try await take(Delivery(subject: subject, message: message, position: position))
                }
            }
            due -= 1
            if due == 0 { try requestNext() }
        }
        try Task.checkCancellation()
        throw FleetError(.notConnected, "the link to the hub was closed")
    }
}
