import KioskPrintModel
import Testing

@testable import KioskDevicePrinting
@testable import KioskUSB

/// Tickets at printers that receive documents unchanged.
@Suite struct RawTicketTests {
    private static func ticket(_ change: (inout Ticket) -> Void) -> Ticket {
        var ticket = Ticket()
        change(&ticket)
        return ticket
    }

    private static let tickets: [(Ticket, refusal: String?, remark: String?)] = [
        (Ticket(), nil, nil), (ticket { $0.copies = 999 }, nil, nil), (ticket { $0.colorMode = .monochrome }, nil, nil),
        (ticket { $0.sides = .twoSidedLongEdge }, "takes no sides=two-sided-long-edge", nil),
        (ticket { $0.mediaSource = "tray-1" }, "takes no media-source=tray-1", nil),
        (ticket { $0.outputBin = "face-up" }, "takes no output-bin=face-up", nil),
        (ticket { $0.pageBorder = .single }, "takes no page-border=single", nil),
        (ticket { $0.resolution = 600 }, "takes no printer-resolution=600dpi", nil),
        (ticket { $0.jobPassword = Secret("1234") }, "takes no job-password, and would print at once", nil),
        (ticket { $0.cut = .full }, nil, "the printer takes no cut=full beside the document: printed without"),
        (ticket { $0.accountID = "4711" }, nil, "the printer has no job accounting: job-account-id was not sent"),
    ]

    @Test(arguments: tickets.indices)
    func `what nobody can do to the document is refused, and the rest is told`(index: Int) {
        let (ticket, refusal, remark) = Self.tickets[index]
        #expect(RawDelivery.ticketSupport.refusal(of: ticket) == refusal)
        let delivery = Delivery(
            jobID: "k1", name: "Receipt", ticket: ticket,
            document: PrintDocument(format: .octetStream, body: .bytes([1])))
        #expect(RawDelivery(delivery).remarks == [remark].compactMap(\.self))
    }
}
