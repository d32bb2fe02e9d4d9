import KioskPrintModel
import Testing

@testable import KioskSSHLpr

/// What of a ticket a queue does not do, or may not do.
@Suite struct LprRemarksTests {
    private static func ticket(_ change: (inout Ticket) -> Void) -> Ticket {
        var ticket = Ticket()
        change(&ticket)
        return ticket
    }

    private static let simplex = PrinterDescription(isColor: false, sides: ["one-sided"])

    private static let cases: [(Ticket, LprSettings.Dialect, PrinterDescription?, String?)] = [
        (ticket { $0.cut = .full }, .cups, nil, "lpr has no option for cut=full: printed without"),
        (ticket { $0.cut = Ticket.Cut.none }, .cups, nil, nil),
        (
            ticket { $0.sides = .twoSidedLongEdge }, .cups, simplex,
            "the queue's options have no sides=two-sided-long-edge, which it may have ignored"
        ),
        (ticket { $0.sides = .twoSidedLongEdge }, .cups, PrinterDescription(), nil),
        (ticket { $0.sides = .oneSided }, .cups, simplex, nil),
        (
            ticket { $0.colorMode = .color }, .cups, simplex,
            "the queue's options have no print-color-mode=color, which it may have ignored"
        ),
        (ticket { $0.accountID = "4711" }, .cups, nil, nil),
        (ticket { $0.accountID = "47 11" }, .cups, nil, "lpr cannot tell job-account-id to the queue: printed without"),
        (ticket { $0.accountID = "4711" }, .bsd, nil, "lpr cannot tell job-account-id to the queue: printed without"),
    ]

    @Test(arguments: cases.indices)
    func `what a queue may not do is told`(index: Int) {
        let (ticket, dialect, description, remark) = Self.cases[index]
        #expect(LprRemarks.all(ticket, dialect, description) == [remark].compactMap(\.self))
    }

    private static let options: [(Ticket, [String]?)] = [
        (ticket { $0.outputBin = "face-up" }, ["-o", "output-bin=face-up"]),
        (ticket { $0.scaling = .fit }, ["-o", "print-scaling=fit"]),
        (ticket { $0.pageBorder = .double }, ["-o", "page-border=double"]),
        (ticket { $0.contentOptimization = .text }, ["-o", "print-content-optimize=text"]),
        (ticket { $0.resolution = 600 }, ["-o", "printer-resolution=600dpi"]),
        (
            ticket { $0.documentHandling = .uncollatedCopies },
            ["-o", "multiple-document-handling=separate-documents-uncollated-copies"]
        ),
        (ticket { $0.accountID = "4711" }, ["-o", "job-account-id=4711"]),
        (ticket { $0.fidelity = true }, ["-o", "ipp-attribute-fidelity=true"]),
        (ticket { $0.mediaSource = "tray-1" }, nil), (ticket { $0.mediaType = "labels" }, nil),
        (ticket { $0.jobPassword = Secret("1234") }, nil),
        // One whose PIN is no longer stored.
        (ticket { $0.jobPasswordEncryption = "any" }, nil),
    ]

    @Test(arguments: options.indices)
    func `CUPS's lpr gets what it has options for, and nothing that it would drop`(index: Int) throws {
        let (ticket, words) = Self.options[index]
        func made() throws -> [String] {
            try LprOptions(ticket, pageOptions: PageOption.all(of: ticket), format: .pdf, dialect: .cups).words
        }
        guard let words else {
            #expect(throws: UnsupportedTicket.self) { try made() }
            return
        }
        #expect(try made().suffix(2) == words[...])
    }
}
