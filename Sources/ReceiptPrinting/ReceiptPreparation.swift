package import DrawingService
public import PrintModel
import Receipts

/// Takes receipts in markup or JSON, and turns them into what the chosen printer takes.
public struct ReceiptPreparation: DocumentPreparation {
    private let settings: @Sendable (PrinterIdentity) -> PrintingSettings?
    private let artist: ReceiptArtist

    /// `settings`: what a printer is sent, as its profile says; nil where no profile does. `drawingProgram`: the path
    /// of `kiosk-draw`, which draws what printers lack; without it such receipts are not printed.
    public init(settings: @escaping @Sendable (PrinterIdentity) -> PrintingSettings?, drawingProgram: String? = nil) {
        self.init(settings: settings, drawing: drawingProgram.map { DrawingService(program: $0) })
    }

    package init(settings: @escaping @Sendable (PrinterIdentity) -> PrintingSettings?, drawing: DrawingService?) {
        self.settings = settings
        artist = ReceiptArtist(service: drawing)
    }

    public var formats: Set<DocumentFormat> { ReceiptSource.formats }
    public var longestDocument: Int { ReceiptSource.longest }

    /// `drawing`: CRITICAL while what draws does not start, WARNING while it is slow or was lost.
    public var healthChecks: [HealthReport.Check] {
        switch artist.service?.condition {
        case nil, .well?: []
        case .slow(let message)?: [HealthReport.Check(code: "drawing", status: .warning, message: message)]
        case .cannotStart(let message)?: [HealthReport.Check(code: "drawing", status: .critical, message: message)]
        }
    }

    @concurrent public func check(
        _ document: [UInt8], as format: DocumentFormat, with ticket: Ticket, rights: CallerRights,
        for printers: [PreparationTarget]
    ) async throws(DocumentProblem) -> CheckedDocument {
        if ticket.drawer == true, rights.isDisjoint(with: [.drawer, .rawCommands]) {
            throw DocumentProblem(
                .forbidden, DocumentRemark(message: "the ticket asks for the drawer, and the caller may not open it"))
        }
        let source = try ReceiptSource(document, format, rights: rights)
        if source.receipt.hasCodes, let widest = widestPaper(of: printers), !source.receipt.codesFit(within: widest) {
            // Once more, for the place of what does not fit.
            _ = try ReceiptSource(document, format, rights: rights, widestPaper: widest)
        }
        return CheckedDocument(remarks: source.remarks, content: source.receipt)
    }

    /// Of those that may print it, in dots; nil where one of them is not known yet, or prints codes as what they say.
    private func widestPaper(of printers: [PreparationTarget]) -> Int? {
        var widest: Int?
        for printer in printers {
            guard let form = PrinterForm(printer, settings(printer.identity)) else {
                guard printer.description != nil else { return nil }
                continue
            }
            guard form.target.canDraw else { return nil }
            widest = max(widest ?? 0, form.target.paper.dots)
        }
        return widest
    }

    public func preparedFormat(of format: DocumentFormat, for printer: PreparationTarget) -> DocumentFormat? {
        formats.contains(format) ? PrinterForm(printer, settings(printer.identity))?.format : nil
    }

    @concurrent public func prepare(
        _ document: [UInt8], _ checked: CheckedDocument?, as format: DocumentFormat, with ticket: Ticket, isCopy: Bool,
        for printer: PreparationTarget
    ) async throws(DocumentProblem) -> PreparedDocument {
        guard let form = PrinterForm(printer, settings(printer.identity)) else {
            throw DocumentProblem(
                .unprintable,
                DocumentRemark(message: "nothing is known of how it takes receipts; name its profile in printers.yaml"))
        }
        // The caller's rights were checked when the job was accepted.
        let receipt =
            if let read = checked?.content as? Receipt { read } else {
                try ReceiptSource(document, format, rights: .all).receipt
            }
        let job = ReceiptJob(receipt: receipt, ticket: ticket, isCopy: isCopy, form: form)
        var encoded = try await job.encoded(by: artist)
        if let width = form.settings.paperWidth { encoded.rollPage?.width = width * 100 }
        return PreparedDocument(
            document: PrintDocument(format: form.format, body: .bytes(encoded.bytes), rollPage: encoded.rollPage),
            ticket: ticket.withoutReceiptKeys(cut: encoded.cut), remarks: encoded.remarks)
    }
}

extension Ticket {
    /// What stands in the prepared document is not to be done once more by printer or spooler.
    fileprivate func withoutReceiptKeys(cut: Cut?) -> Ticket {
        var ticket = self
        (ticket.copies, ticket.cut, ticket.drawer) = (nil, cut, nil)
        return ticket
    }
}
