/// Renders documents that are written for no particular printer, such as receipts and PDF files, in a format that a
/// given printer accepts.
///
/// The same document, ticket and printer always give the same bytes: a retry sends what the first attempt sent.
public protocol DocumentPreparation: Sendable {
    /// The formats that it reads; documents of every other format go to printers unchanged.
    var formats: Set<DocumentFormat> { get }

    /// The maximum length of a document of this format in bytes; a longer one is refused.
    func maximumLength(of format: DocumentFormat) -> Int64

    /// Documents up to this length in bytes are given to it in memory, longer ones as a file.
    var maximumLengthInMemory: Int { get }

    /// Checks a document before its job is accepted.
    /// - Parameter printers: Those that may get it. What none of them can ever print is an error too, as far as that is
    ///   known already.
    /// - Returns: Remarks on the parts that will be ignored, and the document as it was read.
    /// - Throws: `DocumentProblem`: what is wrong with it, or what these rights do not allow.
    @concurrent func check(
        _ document: PrintDocument, with ticket: Ticket, rights: CallerRights, for printers: [PreparationTarget]
    ) async throws(DocumentProblem) -> CheckedDocument

    /// The format that documents of this format are rendered in for a printer; nil where it accepts none of them.
    func preparedFormat(of format: DocumentFormat, for printer: PreparationTarget) -> DocumentFormat?

    /// Whether a printer gets documents of this format unchanged, because it does all of the ticket itself. They are
    /// not rendered then; the printer makes the copies.
    func leavesUnchanged(_ format: DocumentFormat, with ticket: Ticket, for printer: PreparationTarget) -> Bool

    /// The pages that a document comes out on, as sides of sheets and of all copies, where `check` did not say: for a
    /// printer that gets it unchanged. Nil for formats without pages.
    /// - Throws: `DocumentProblem` where its pages cannot be counted.
    @concurrent func countPages(
        of document: PrintDocument, with ticket: Ticket
    ) async throws(DocumentProblem) -> Int?

    /// Renders a document that was checked for this printer.
    /// - Parameters:
    ///   - checked: What `check` returned for these bytes, where that is still known; then they are not read again.
    ///   - isCopy: Whether the original may be on paper already: then the copy has to be marked.
    /// - Throws: `DocumentProblem` where the printer cannot print the document as intended.
    @concurrent func prepare(
        _ document: PrintDocument, _ checked: CheckedDocument?, with ticket: Ticket, isCopy: Bool,
        for printer: PreparationTarget
    ) async throws(DocumentProblem) -> PreparedDocument

    /// The checks for monitoring that are not OK, if any. Returns at once.
    var healthChecks: [HealthReport.Check] { get }
}

extension DocumentPreparation {
    /// No checks: for a preparation that cannot fail by itself.
    public var healthChecks: [HealthReport.Check] { [] }
    /// False: for a preparation that renders everything it reads.
    public func leavesUnchanged(
        _ format: DocumentFormat, with ticket: Ticket, for printer: PreparationTarget
    ) -> Bool { false }
    /// Nil: for a preparation whose documents have no pages.
    @concurrent public func countPages(
        of document: PrintDocument, with ticket: Ticket
    ) async throws(DocumentProblem) -> Int? { nil }
}

/// Several preparations as one, each for formats of its own.
public struct DocumentPreparations: DocumentPreparation {
    private let all: [any DocumentPreparation]

    /// Creates a preparation for all formats of these; the first that reads a format gets it.
    public init(_ all: [any DocumentPreparation]) { self.all = all }

    /// The formats that any of them reads.
    public var formats: Set<DocumentFormat> { all.reduce(into: []) { $0.formUnion($1.formats) } }

    /// The maximum length of the one that reads the format.
    public func maximumLength(of format: DocumentFormat) -> Int64 { reader(of: format)?.maximumLength(of: format) ?? 0 }

    /// The largest of all.
    public var maximumLengthInMemory: Int { all.map(\.maximumLengthInMemory).max() ?? 0 }

    /// Checks the document by the one that reads its format.
    @concurrent public func check(
        _ document: PrintDocument, with ticket: Ticket, rights: CallerRights, for printers: [PreparationTarget]
    ) async throws(DocumentProblem) -> CheckedDocument {
        guard let reader = reader(of: document.format) else { return CheckedDocument() }
        return try await reader.check(document, with: ticket, rights: rights, for: printers)
    }

    /// What the one that reads the format makes of it.
    public func preparedFormat(of format: DocumentFormat, for printer: PreparationTarget) -> DocumentFormat? {
        reader(of: format)?.preparedFormat(of: format, for: printer)
    }

    /// What the one that reads the format says.
    public func leavesUnchanged(
        _ format: DocumentFormat, with ticket: Ticket, for printer: PreparationTarget
    ) -> Bool { reader(of: format)?.leavesUnchanged(format, with: ticket, for: printer) ?? true }

    /// What the one that reads the format counts.
    @concurrent public func countPages(
        of document: PrintDocument, with ticket: Ticket
    ) async throws(DocumentProblem) -> Int? {
        try await reader(of: document.format)?.countPages(of: document, with: ticket)
    }

    /// Renders the document by the one that reads its format.
    @concurrent public func prepare(
        _ document: PrintDocument, _ checked: CheckedDocument?, with ticket: Ticket, isCopy: Bool,
        for printer: PreparationTarget
    ) async throws(DocumentProblem) -> PreparedDocument {
        guard let reader = reader(of: document.format) else {
            return PreparedDocument(document: document, ticket: ticket)
        }
        return try await reader.prepare(document, checked, with: ticket, isCopy: isCopy, for: printer)
    }

    /// The checks of all.
    public var healthChecks: [HealthReport.Check] { all.flatMap(\.healthChecks) }

    private func reader(of format: DocumentFormat) -> (any DocumentPreparation)? {
        all.first { $0.formats.contains(format) }
    }
}

/// The printer that a document is prepared for.
public struct PreparationTarget: Hashable, Sendable {
    /// The printer as the registry has it.
    public var printer: SavedPrinter
    /// The result of the last contact; nil before the first.
    public var description: PrinterDescription?
    /// The job types in force; nil while none are known.
    public var jobTypes: JobTypes?

    /// Creates a target from what is known of the printer.
    public init(printer: SavedPrinter, description: PrinterDescription? = nil, jobTypes: JobTypes? = nil) {
        self.printer = printer
        self.description = description
        self.jobTypes = jobTypes
    }

    /// Creates a target from a printer's present status.
    public init(_ status: PrinterStatus) {
        self.init(printer: status.printer, description: status.description, jobTypes: status.jobTypes)
    }

    /// The properties by which the printer's profile is chosen.
    public var identity: PrinterIdentity {
        PrinterIdentity(
            profile: printer.profile, makeAndModel: description?.makeAndModel, deviceID: description?.deviceID)
    }
}

/// A document that was checked.
public struct CheckedDocument: Sendable {
    /// Remarks on the parts that are ignored.
    public var remarks: [DocumentRemark]
    /// The document as the preparation read it, for the same preparation's `prepare`.
    public var content: (any Sendable)?
    /// The pages that come out, as sides of sheets, of all copies; nil where that is not known, or a roll has none.
    public var pages: Int?

    /// Creates the result of a check.
    public init(remarks: [DocumentRemark] = [], content: (any Sendable)? = nil, pages: Int? = nil) {
        self.remarks = remarks
        self.content = content
        self.pages = pages
    }
}

/// A document rendered for one printer, and the part of its ticket that is left for the transport.
public struct PreparedDocument: Sendable {
    /// The document for the transport.
    public var document: PrintDocument
    /// The ticket without what is done in the document already.
    public var ticket: Ticket
    /// The points in which this printer's output differs from the document, as sentences without a full stop.
    public var remarks: [String]
    /// The pages that come out, as sides of sheets, of all copies; nil for what has no pages.
    public var pages: Int?

    /// Creates the result of a preparation.
    public init(document: PrintDocument, ticket: Ticket, remarks: [String] = [], pages: Int? = nil) {
        self.document = document
        self.ticket = ticket
        self.remarks = remarks
        self.pages = pages
    }
}

/// The reason why a document cannot be printed: at all, by this caller, or on one printer.
public struct DocumentProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of problem, which decides whether another printer is tried.
    public var kind: Kind
    /// What is wrong, where, and what to write instead.
    public var remark: DocumentRemark
    /// The remark in one line.
    public var description: String { remark.description }

    /// The kinds of problem.
    public enum Kind: Hashable, Sendable {
        /// The document does not conform to its format.
        case invalid
        /// The document is larger than the preparation reads, or exceeds another of its limits.
        case tooLarge
        /// The caller is not allowed to print it.
        case forbidden
        /// The printer cannot print it; another may.
        case unprintable
        /// The preparation was interrupted for another reason than the document; it can be retried.
        case interrupted
    }

    /// Creates a problem.
    public init(_ kind: Kind, _ remark: DocumentRemark) {
        self.kind = kind
        self.remark = remark
    }
}

/// A part of a document that is wrong or ignored, and its place.
public struct DocumentRemark: Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; nil where the remark concerns the whole document.
    public var line: Int?
    /// The column in Unicode scalars, from 1.
    public var column: Int?
    /// A sentence without a full stop.
    public var message: String
    /// What to do instead, as the rest of a sentence that begins with "write".
    public var instead: String?

    /// Creates a remark.
    public init(line: Int? = nil, column: Int? = nil, message: String, instead: String? = nil) {
        self.line = line
        self.column = column
        self.message = message
        self.instead = instead
    }

    /// `7:5: the brace stands alone; write \{ for a brace in text`
    public var description: String {
        let place = [line, column].compactMap { $0.map { "\($0):" } }.joined()
        return (place.isEmpty ? "" : "\(place) ") + message + (instead.map { "; write \($0)" } ?? "")
    }
}

/// Permissions that not every caller has.
public struct CallerRights: OptionSet, Hashable, Sendable {
    /// The bits of the rights.
    public let rawValue: UInt8
    /// Creates rights from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The right to open the cash drawer, with a receipt or a ticket.
    public static let drawer = CallerRights(rawValue: 1 << 0)
    /// The right to put printer commands into a receipt. They can do all that the printer's language can, including
    /// opening the drawer.
    public static let rawCommands = CallerRights(rawValue: 1 << 1)
    /// The right to send raw documents: commands for a printer (ESC/POS, ZPL …) that go to it unchanged.
    public static let rawDocuments = CallerRights(rawValue: 1 << 2)
    /// All rights: those of the program that embeds the engine.
    public static let all: CallerRights = [.drawer, .rawCommands, .rawDocuments]
}
