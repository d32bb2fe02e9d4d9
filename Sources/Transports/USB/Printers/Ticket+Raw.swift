import DevicePrinting
import PrintModel

extension Ticket {
    /// How often to send a document that goes to a printer as it is. Throws where the ticket wants what only whoever
    /// made the document could have done: a job is never printed otherwise than its ticket says.
    func copiesOfRawDocument() throws(DeliveryFailure) -> Int {
        let wishes: [(key: String, isThere: Bool)] = [
            ("sides", sides.map { $0 != .oneSided } ?? false), ("page-ranges", pageRanges != nil),
            ("number-up", numberUp.map { $0 > 1 } ?? false), ("media", media != nil),
            ("orientation-requested", orientation.map { $0 != .portrait } ?? false),
            ("print-color-mode", colorMode == .color),
            ("print-quality", quality.map { $0 != .normal } ?? false),
        ]
        if let wish = wishes.first(where: \.isThere) {
            throw DeliveryFailure(
                .ticketUnfulfilled,
                reason: "the printer is sent the document as it is, and cannot be told \(wish.key); print it without")
        }
        return copies ?? 1
    }
}
