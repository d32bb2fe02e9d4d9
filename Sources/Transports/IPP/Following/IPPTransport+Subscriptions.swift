import IPPCodec
import Logging
import NIOCore
import PrintModel

extension IPPTransport {
    /// How long leaving may wait for a printer: an answer takes a few milliseconds where the printer is well, and
    /// what is not cancelled ends with its lease.
    private static let farewell = Duration.milliseconds(200)

    /// Gives back the subscriptions that printers keep for us, as far as they answer at once.
    func cancelSubscriptions(of links: [PrinterLink]) async {
        let subscribed = links.compactMap { link in link.knowledge.subscriptionID.map { (link, $0) } }
        guard !subscribed.isEmpty else { return }
        await withTaskGroup { group in
            for (link, id) in subscribed {
                group.addTask { await self.cancel(id, on: link) }
            }
        }
    }

    private func cancel(_ subscription: Int32, on link: PrinterLink) async {
        var patience = deadlines.forQuestion
        patience.total = TimeAmount(Self.farewell)
        let request = IPPRequest(
            operation: .cancelSubscription, user: UserName.make(nil),
            operationAttributes: [IPPAttribute("notify-subscription-id", .integer(subscription))], patience: patience
        )
        let client = IPPClient(link: link, deadlines: deadlines, logger: logger)
        do {
            _ = try await client.perform(request)
        } catch {
            logger.debug("the subscription stays until its lease ends: \(error)", metadata: ["printer": "\(link.target.url)"])
        }
    }
}
