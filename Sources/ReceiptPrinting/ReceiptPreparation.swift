package import KioskDrawingService
public import KioskPrintModel
import KioskReceipts

/// Checks receipts in receiptline markup or JSON, and encodes them in the language of the printer that prints them:
/// ESC/POS, Star, ZPL, EPL2, TSPL, plain text, PWG or Apple Raster.
///
/// An engine that gets one prints receipts on any of its printers; without one, documents go to printers unchanged.
public struct ReceiptPreparation: DocumentPreparation {
    private let settings: @Sendable (PrinterIdentity) -> PrintingSettings?
    private let drawing: DrawingClient

    /// Creates a preparation.
    /// - Parameters:
    ///   - settings: The language and features of a printer, as its profile states them; nil where no profile does.
    ///     Called for each receipt.
    ///   - drawingProgram: The absolute path of `kiosk-draw`, which draws text, pictures and codes that a printer
    ///     lacks. It is started when a receipt needs it first. Without it such a receipt is unprintable.
    public init(settings: @escaping @Sendable (PrinterIdentity) -> PrintingSettings?, drawingProgram: String? = nil) {
        self.init(settings: settings, drawing: drawingProgram.map { DrawingService(program: $0) })
    }

    /// The same with a drawing service that the caller shuts down.
    package init(settings: @escaping @Sendable (PrinterIdentity) -> PrintingSettings?, drawing: DrawingService?) {
        self.settings = settings
        self.drawing = DrawingClient(service: drawing)
    }

    /// `text/receiptline` and `application/vnd.kiosk.receipt+json`.
    public var formats: Set<DocumentFormat> { ReceiptSource.formats }

    /// The maximum length of a receipt in bytes, with its pictures in Base64: 4 MiB.
    public func maximumLength(of format: DocumentFormat) -> Int64 { Int64(ReceiptSource.maximumLength) }

    /// Receipts are read in memory, all of them.
    public var maximumLengthInMemory: Int { ReceiptSource.maximumLength }

    /// The check `drawing`: CRITICAL while `kiosk-draw` does not start, WARNING while it is slow or ended unexpectedly.
    public var healthChecks: [HealthReport.Check] {
        switch drawing.service?.condition {
        case nil, .well?: []
        case .slow(let message)?: [HealthReport.Check(code: "drawing", status: .warning, message: message)]
        case .cannotStart(let message)?: [HealthReport.Check(code: "drawing", status: .critical, message: message)]
        }
    }

    /// Reads a receipt before its job is accepted.
    /// - Returns: Remarks on the keys and values that are ignored, and the receipt for `prepare`.
    /// - Throws: `DocumentProblem` with line and column: the document does not conform to its format, is too large,
    ///   contains raw commands or opens the drawer without the right to, or has a code that fits on the paper of none
    ///   of `printers`.
    @concurrent public func check(
        _ document: PrintDocument, with ticket: Ticket, rights: CallerRights, for printers: [PreparationTarget]
    ) async throws(DocumentProblem) -> CheckedDocument {
        if ticket.drawer == true, rights.isDisjoint(with: [.drawer, .rawCommands]) {
            throw DocumentProblem(
                .forbidden, DocumentRemark(message: "the ticket asks for the drawer, and the caller may not open it"))
        }
        let (bytes, format) = (try document.receiptBytes(), document.format)
        let source = try ReceiptSource(bytes, format, rights: rights)
        guard !source.receipt.isEmpty || ticket.drawer == true else {
            throw DocumentProblem(
                .invalid,
                DocumentRemark(message: "the receipt is empty", instead: "at least one line, code or picture"))
        }
        if source.receipt.hasCodes, let width = maximumPaperWidth(of: printers), !source.receipt.codesFit(within: width)
        {
            // Once more, for the line and column of the code that does not fit.
            _ = try ReceiptSource(bytes, format, rights: rights, maximumPaperWidth: width)
        }
        return CheckedDocument(remarks: source.remarks, content: source.receipt)
    }

    /// The width of the widest paper, in dots. Nil where nothing is known of one of the printers, or it prints codes as
    /// their data.
    private func maximumPaperWidth(of printers: [PreparationTarget]) -> Int? {
        var maximum: Int?
        for printer in printers {
            guard let output = ReceiptOutputFormat(printer, settings(printer.identity)) else {
                guard printer.description != nil else { return nil }
                continue
            }
            guard output.target.canDraw else { return nil }
            maximum = max(maximum ?? 0, output.target.paper.dots)
        }
        return maximum
    }

    /// The format that receipts are encoded in for a printer. Nil for other documents, and where it is not known how
    /// the printer takes receipts.
    public func preparedFormat(of format: DocumentFormat, for printer: PreparationTarget) -> DocumentFormat? {
        formats.contains(format) ? ReceiptOutputFormat(printer, settings(printer.identity))?.format : nil
    }

    /// Encodes a receipt for one printer: all copies of it, with the cut and the drawer that its ticket asks for.
    /// - Throws: `DocumentProblem`: `unprintable` where this printer cannot print it, `interrupted` where `kiosk-draw`
    ///   could not draw it through no fault of the receipt.
    @concurrent public func prepare(
        _ document: PrintDocument, _ checked: CheckedDocument?, with ticket: Ticket, isCopy: Bool,
        for printer: PreparationTarget
    ) async throws(DocumentProblem) -> PreparedDocument {
        guard let output = ReceiptOutputFormat(printer, settings(printer.identity)) else {
            throw DocumentProblem(
                .unprintable,
                DocumentRemark(
                    message: "nothing is known of how it prints receipts; name its profile in printers.yaml"))
        }
        // The caller's rights were checked when the job was accepted.
        let receipt =
            if let read = checked?.content as? Receipt { read } else {
                try ReceiptSource(document.receiptBytes(), document.format, rights: .all).receipt
            }
        let job = ReceiptJob(receipt: receipt, ticket: ticket, isCopy: isCopy, output: output)
        var encoded = try await job.encoded(by: drawing)
        if let width = output.settings.paperWidth { encoded.rollPage?.width = width * 100 }
        if let remark = output.remarkOnPaper { encoded.remarks.insert(remark, at: 0) }
        return PreparedDocument(
            document: PrintDocument(format: output.format, body: .bytes(encoded.bytes), rollPage: encoded.rollPage),
            ticket: ticket.withoutReceiptKeys(cut: encoded.cut), remarks: encoded.remarks)
    }
}

extension PrintDocument {
    /// The bytes of a receipt.
    fileprivate func receiptBytes() throws(DocumentProblem) -> [UInt8] {
        guard case .bytes(let bytes) = body else {
            throw DocumentProblem(
                .tooLarge, DocumentRemark(message: "a receipt is longer than \(ReceiptSource.maximumLength) bytes"))
        }
        return bytes
    }
}

extension Ticket {
    /// The ticket for the transport: the printer or spooler must not do again what is in the prepared document.
    fileprivate func withoutReceiptKeys(cut: Cut?) -> Ticket {
        var ticket = self
        (ticket.copies, ticket.cut, ticket.drawer) = (nil, cut, nil)
        return ticket
    }
}

// MARK: - Reading

/// A receipt as it was read from a document.
struct ReceiptSource {
    var receipt: Receipt
    /// The keys and values of the document that were ignored.
    var remarks: [DocumentRemark]

    static let formats: Set<DocumentFormat> = [.receiptLine, .receiptJSON]
    /// The maximum length of a document in bytes.
    static let maximumLength = ReceiptLimits.documentLength

    /// `maximumPaperWidth`: the width that codes must fit, in dots; nil where no paper is known.
    init(
        _ document: [UInt8], _ format: DocumentFormat, rights: CallerRights, maximumPaperWidth: Int? = nil
    ) throws(DocumentProblem) {
        do throws(ReceiptError) {
            if format == .receiptJSON {
                let receipt = try ReceiptJSON.read(
                    document, privileges: rights.privileges, maximumPaperWidth: maximumPaperWidth)
                self.init(receipt: receipt, remarks: [])
            } else {
                let rules = ReceiptMarkup.Rules(privileges: rights.privileges, maximumPaperWidth: maximumPaperWidth)
                let reading = try ReceiptMarkup.read(document, rules: rules)
                self.init(receipt: reading.receipt, remarks: reading.remarks.map(DocumentRemark.init))
            }
        } catch {
            throw DocumentProblem(error, otherwise: .invalid)
        }
    }

    private init(receipt: Receipt, remarks: [DocumentRemark]) {
        self.receipt = receipt
        self.remarks = remarks
    }
}

extension CallerRights {
    /// A caller that may send raw commands could open the drawer with one.
    fileprivate var privileges: Set<ReceiptPrivilege> {
        contains(.rawCommands) ? [.rawCommands, .drawer] : contains(.drawer) ? [.drawer] : []
    }
}

extension DocumentProblem {
    /// The problem that an error of the receipt is; `kind` where the error does not tell.
    init(_ error: ReceiptError, otherwise kind: Kind) {
        let kind: Kind =
            switch error.code {
            case .forbidden: .forbidden
            case .tooLarge: .tooLarge
            default: kind
            }
        self.init(kind, DocumentRemark(error))
    }
}

extension DocumentRemark {
    init(_ error: ReceiptError) {
        self.init(line: error.place?.line, column: error.place?.column, message: error.message, instead: error.instead)
    }
}
