import KioskPrintModel
import Synchronization

/// Fetches what the hub has for a site, in the hub's order, and goes on with what comes. Acknowledges nothing: the
/// kiosk's own disk says how far it has come, and what comes again is known by its key.
package struct JobFetcher: Sendable {
    private let jetStream: JetStream
    private let site: SiteName
    private let pace: Pace

    /// How much is asked for at once, and how soon a silent hub is given up.
    package struct Pace: Hashable, Sendable {
        /// Messages that are under way at once.
        package var batch = 64
        /// How long one request for messages stands at the hub.
        package var requestTime: Duration = .seconds(300)
        /// In which intervals the hub shows that it has nothing.
        package var heartbeat: Duration = .seconds(15)

        package init() {}
    }

    /// A message of the site, and where the hub has stored it.
    package struct Delivery: Hashable, Sendable {
        /// A job or a cancellation.
        package var subject: FleetSubject
        package var message: HubMessage
        package var position: StoredPosition
    }

    /// How far before the last message that was taken it begins anew, in ns: the clocks of two servers of a hub differ.
    /// By time and not by number, since a stream that was made anew counts from 1 again.
    package static let overlap: Int64 = 600_000_000_000

    package init(of site: SiteName, at jetStream: JetStream, pace: Pace = Pace()) {
        (self.site, self.jetStream, self.pace) = (site, jetStream, pace)
    }

    /// Calls `take` for each message in order, one at a time, from `start` on (ns since 1970 by the hub's clock, less
    /// the overlap), until the task is cancelled. Throws what `take` throws; and where the connection breaks, the hub
    /// says nothing in two heartbeats, or refuses. Then begin anew, from the last message that was taken.
    package func run(from start: Int64, take: @escaping @Sendable (Delivery) async throws -> Void) async throws {
        let consumer = JetStream.Consumer(
            stream: HubLayout.jobs, filter: FleetSubject.jobsFilter(of: site),
            start: start > Self.overlap ? start - Self.overlap : 0)
        let (inbox, messages) = try jetStream.link.inbox(maximum: 2 * pace.batch + Self.maximumStatuses)
        let watch = SilenceWatch()
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await jetStream.link.waitForDisconnection()
                throw FleetError(.notConnected, "the connection to the hub has broken; it is tried again by itself")
            }
            group.addTask { try await watch.wait(pace.heartbeat * 2) }
            group.addTask {
                try await jetStream.create(consumer)
                try await read(messages, of: consumer, to: inbox, watch, take)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// More than the heartbeats and ends of one request.
    private static let maximumStatuses = 64

    private func read(
        _ messages: AsyncStream<HubMessage>, of consumer: JetStream.Consumer, to inbox: String, _ watch: SilenceWatch,
        _ take: (Delivery) async throws -> Void
    ) async throws {
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
            switch message.status {
            case 100: continue
            // The request is over: its time, its batch, or there is nothing now.
            case 404, 408: try requestNext()
            case let status?:
                throw FleetError(
                    .refused, "the hub ends the consumer of \(consumer.filter) with status \(status)", hubCode: status)
            case nil:
                let position = message.replySubject.flatMap { StoredPosition(replySubject: $0) }
                guard let position, position.delivery == delivered + 1 else {
                    throw FleetError(.malformed, "a message of \(consumer.filter) is missing, or has no position")
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
        }
        try Task.checkCancellation()
        throw FleetError(.notConnected, "the link to the hub was closed")
    }
}

/// Notices when nothing comes any more. The time in which a message is worked on does not count.
private final class SilenceWatch: Sendable {
    private struct State {
        var lastHeard = ContinuousClock.now
        var isPaused = false
    }
    private let state = Mutex(State())

    func heard() { state.withLock { $0.lastHeard = .now } }

    func pausing(_ work: () async throws -> Void) async rethrows {
        state.withLock { $0.isPaused = true }
        defer { state.withLock { $0 = State() } }
        try await work()
    }

    /// Throws `no-response` once nothing was heard for `limit`.
    func wait(_ limit: Duration) async throws {
        while true {
            let deadline = state.withLock { ($0.isPaused ? ContinuousClock.now : $0.lastHeard).advanced(by: limit) }
            guard deadline > .now else {
                throw FleetError(.noResponse, "the hub has sent neither a message nor a heartbeat within \(limit)")
            }
            try await ContinuousClock().sleep(until: deadline)
        }
    }
}
