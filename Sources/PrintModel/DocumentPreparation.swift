/// Turns documents that are written for no printer in particular, receipts above all, into what a given printer takes.
///
/// The same document, ticket and printer always give the same bytes: a retry sends what the first attempt sent.
public protocol DocumentPreparation: Sendable {
    /// What it reads; documents of every other format go to printers as they are.
    var formats: Set<DocumentFormat> { get }

    /// In bytes; a longer document is refused.
    var longestDocument: Int { get }

    /// Reads a document before its job is accepted. Returns what it says and will not be heeded; throws what is wrong
    /// with it, or what these rights do not suffice for. `printers`: those that may get it; what none of them can ever
    /// print is wrong as well, as far as that shows at once.
    @concurrent func check(
        _ document: [UInt8], as format: DocumentFormat, with ticket: Ticket, rights: CallerRights,
        for printers: [PreparationTarget]
    ) async throws(DocumentProblem) -> [DocumentRemark]

    /// What documents of this format become for a printer; nil where it can be sent nothing that is made here.
    func preparedFormat(of format: DocumentFormat, for printer: PreparationTarget) -> DocumentFormat?

    /// A document that was checked, as this printer takes it. `isCopy`: the original may be on paper already, and it
    /// must be told from it. Throws where the printer cannot print it as it is meant.
    @concurrent func prepare(
        _ document: [UInt8], as format: DocumentFormat, with ticket: Ticket, isCopy: Bool,
        for printer: PreparationTarget
    ) async throws(DocumentProblem) -> PreparedDocument

    /// The checks for monitoring that are not OK, if any. Returns at once.
    var healthChecks: [HealthReport.Check] { get }
}

extension DocumentPreparation {
    public var healthChecks: [HealthReport.Check] { [] }
}

/// A printer as whoever prepares a document for it sees it.
public struct PreparationTarget: Hashable, Sendable {
    public var printer: SavedPrinter
    /// What the last contact learnt; nil before the first.
    public var description: PrinterDescription?
    /// Those in force; nil while none is known.
    public var jobTypes: JobTypes?

    public init(printer: SavedPrinter, description: PrinterDescription? = nil, jobTypes: JobTypes? = nil) {
        self.printer = printer
        self.description = description
        self.jobTypes = jobTypes
    }

    public init(_ status: PrinterStatus) {
        self.init(printer: status.printer, description: status.description, jobTypes: status.jobTypes)
    }

    public var identity: PrinterIdentity {
        PrinterIdentity(
            profile: printer.profile, makeAndModel: description?.makeAndModel, deviceID: description?.deviceID)
    }
}

/// A document as one printer takes it, and what of its ticket is left for the transport.
public struct PreparedDocument: Sendable {
    public var document: PrintDocument
    public var ticket: Ticket
    /// What this printer prints otherwise than the document says, as sentences without an end.
    public var remarks: [String]

    public init(document: PrintDocument, ticket: Ticket, remarks: [String] = []) {
        self.document = document
        self.ticket = ticket
        self.remarks = remarks
    }
}
