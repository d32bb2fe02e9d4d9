import IPPCodec
import Logging
import NIOCore
import PrintModel

extension IPPTransport {
    /// How long the end may wait for the printers, for all of them at once: an answer takes a few milliseconds where
    /// the printer is well, and what is not cancelled ends with its lease.
    private static let farewellTime = Duration.milliseconds(200)

    /// A subscription to give back, over a connection that stands.
    struct Farewell {
        fileprivate let subscription: Subscription
        fileprivate let connection: HTTPConnection
        fileprivate let client: IPPClient
    }

    /// What is to be said to a printer at the end; nil where it keeps no subscription for us, or nothing stands that
    /// would carry it: connecting takes longer than it is worth. The connection is no longer the link's.
    func farewell(to link: PrinterLink) -> Farewell? {
        guard let subscription = link.knowledge.subscription, subscription.isKept(at: NoticeListener.now),
            let connection = link.takeIdle()
        else { return nil }
        let client = IPPClient(link: link, deadlines: deadlines, logger: logger)
        return Farewell(subscription: subscription, connection: connection, client: client)
    }

    /// Gives back the subscriptions that printers keep for us, as far as they answer at once.
    func say(_ farewells: [Farewell]) async {
        guard !farewells.isEmpty else { return }
        await withTaskGroup { group in
            for farewell in farewells {
                group.addTask { await self.say(farewell) }
            }
        }
    }

    private func say(_ farewell: Farewell) async {
        defer { farewell.connection.close() }
        var patience = deadlines.forQuestion
        patience.total = TimeAmount(Self.farewellTime)
        let request = IPPRequest(
            operation: .cancelSubscription, user: UserName.make(nil),
            operationAttributes: [IPPAttribute("notify-subscription-id", .integer(farewell.subscription.id))],
            patience: patience
        )
        do {
            try await farewell.client.tell(request, over: farewell.connection)
        } catch {
            logger.debug(
                "the subscription stays until its lease ends: \(error)",
                metadata: ["printer": "\(farewell.client.printer)"]
            )
        }
    }
}
