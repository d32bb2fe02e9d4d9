import KioskIPPCodec
import KioskPrintModel
import Logging
import NIOCore

/// A subscription to a printer's events, as the printer made it (RFC 3995 §5.3).
struct Subscription: Equatable, Sendable {
    let id: Int32
    /// The only job that it covers; nil where it covers the printer and all of its jobs.
    var jobID: Int32?
    /// When the printer drops it, on the scale of `now`; nil where it lasts as long as its job or its printer.
    var endsAt: Duration?
    /// The first event that was not fetched yet (RFC 3995 §5.3.4).
    var nextEvent: Int32 = 1

    /// Whether the printer still has it at this time.
    func isActive(at now: Duration) -> Bool { endsAt.map { now < $0 } ?? true }

    /// The lease to request, in seconds: longer than two waits, so that one renewal in between is enough, and short
    /// enough that a printer soon drops the subscription of a client that went away.
    static let lease: Int32 = 300
    /// A lease is renewed when no more than this is left of it.
    static let renewalMargin = Duration.seconds(100)

    /// The time that leases are counted in.
    static var now: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }
}

/// A Cancel-Subscription to send when the program ends, over a connection that is already open.
struct SubscriptionCancellation: Sendable {
    private let subscription: Subscription
    private let connection: HTTPConnection
    private let client: IPPClient

    /// How long the end may wait for the printers, for all of them at once: a response takes a few milliseconds where
    /// the printer is well, and a subscription that is not cancelled ends with its lease.
    private static let timeout = Duration.milliseconds(200)

    /// Takes an idle connection from the link. Nil where the printer keeps no subscription for us, or no connection is
    /// idle: connecting would take longer than the cancellation is worth.
    init?(_ link: PrinterLink, deadlines: IPPTransport.Deadlines, logger: Logger) {
        guard let subscription = link.knowledge.subscription, subscription.isActive(at: Subscription.now),
            let connection = link.takeIdleConnection()
        else { return nil }
        self.subscription = subscription
        self.connection = connection
        client = IPPClient(link: link, deadlines: deadlines, logger: logger)
    }

    /// Sends all of them at once, and waits for those that get a prompt response.
    static func send(_ cancellations: [SubscriptionCancellation]) async {
        guard !cancellations.isEmpty else { return }
        await withTaskGroup { group in
            for cancellation in cancellations {
                group.addTask { await cancellation.send() }
            }
        }
    }

    private func send() async {
        defer { connection.close() }
        var timeouts = client.deadlines.requestTimeouts
        timeouts.total = TimeAmount(Self.timeout)
        let request = IPPRequest(
            operation: .cancelSubscription, user: UserName.make(nil),
            operationAttributes: [IPPAttribute("notify-subscription-id", .integer(subscription.id))],
            timeouts: timeouts
        )
        do {
            try await client.sendOnce(request, over: connection)
        } catch {
            client.logger.debug(
                "the subscription stays until its lease ends: \(error)",
                metadata: ["printer": "\(client.printer)"]
            )
        }
    }
}
