import Glibc
import KioskAsyncPrimitives
import KioskDocuments
import KioskPageEncoding
public import KioskPrintModel
import KioskReceipts
import KioskRenderingMessages
package import KioskRenderingService
import Synchronization

/// Renders PDF files, pictures and text as the sheets of one printer: PWG or Apple raster, PCL 5e or PostScript, page
/// by page while they are sent. A printer that takes the document as it is, and does all of the ticket, gets it
/// unchanged.
///
/// An engine that gets one prints documents on any of its printers of pages; without one, documents go to printers
/// unchanged.
public struct PagePreparation: DocumentPreparation {
    let settings: @Sendable (PrinterIdentity) -> PageSettings?
    private let printing: @Sendable (PrinterIdentity) -> PrintingSettings?
    private let service: RenderingService
    let folder: String
    private let inspections = Inspections()
    /// Those of previews are apart, so that they take nothing from jobs.
    let previews = Inspections(count: 2)

    /// Creates a preparation.
    /// - Parameters:
    ///   - settings: How a printer takes pages, as its profile states it; nil where none does. Called for each job.
    ///   - printing: The command language and paper of a printer of labels or receipts, as its profile states them; nil
    ///     where none does. Called for each job.
    ///   - renderingProgram: The absolute path of `kiosk-render`, which is started for each document.
    ///   - folder: A folder on whose file system rendered pages are kept while they are sent.
    public init(
        settings: @escaping @Sendable (PrinterIdentity) -> PageSettings?,
        printing: @escaping @Sendable (PrinterIdentity) -> PrintingSettings? = { _ in nil },
        renderingProgram: String, folder: String
    ) {
        self.init(
            settings: settings, printing: printing, service: RenderingService(program: renderingProgram), folder: folder
        )
    }

    /// Creates a preparation.
    /// - Parameters:
    ///   - settings: How a printer takes pages, as its profile states it; nil where none does. Called for each job.
    ///   - printing: The command language and paper of a printer of labels or receipts, as its profile states them; nil
    ///     where none does. Called for each job.
    ///   - service: Starts `kiosk-render`, one process for each document, or two. The caller shuts it down.
    ///   - folder: A folder on whose file system rendered pages are kept while they are sent.
    package init(
        settings: @escaping @Sendable (PrinterIdentity) -> PageSettings?,
        printing: @escaping @Sendable (PrinterIdentity) -> PrintingSettings? = { _ in nil },
        service: RenderingService, folder: String
    ) {
        self.settings = settings
        self.printing = printing
        self.service = service
        self.folder = folder
    }

    /// PDF, text, and pictures: JPEG, PNG, TIFF and WebP.
    public var formats: Set<DocumentFormat> { Set(Self.kinds.keys) }

    /// The longest document that is accepted: 4 GiB, since it stays on the disk.
    public func maximumLength(of format: DocumentFormat) -> Int64 { 4 << 30 }

    /// The longest document that is handed over in memory: 1 MiB.
    public var maximumLengthInMemory: Int { 1 << 20 }

    private static let kinds: [DocumentFormat: DocumentKind] = [
        .pdf: .pdf, .jpeg: .jpeg, .png: .png, .tiff: .tiff, .webP: .webp, .plainText: .text,
    ]

    /// Opens the document before its job is accepted.
    /// - Throws: `DocumentProblem`: the document is damaged, encrypted or too large, or no printer can print it with
    ///   this ticket.
    @concurrent public func check(
        _ document: PrintDocument, with ticket: Ticket, rights: CallerRights, for printers: [PreparationTarget]
    ) async throws(DocumentProblem) -> CheckedDocument {
        // What printers take as it is, they judge themselves.
        let rendering = printers.filter { printer in
            // What is not known to print pages may be a printer of receipts, which takes any text.
            (document.format != .plainText || takesPages(printer))
                && !isSentUnchanged(document, with: ticket, to: printer)
        }
        guard let first = rendering.first else { return CheckedDocument() }
        guard let slot = await inspections.slot() else {
            throw DocumentProblem(.interrupted, DocumentRemark(message: "the request was cancelled"))
        }
        defer { slot.unlock() }
        let session: RenderingSession
        do throws(DocumentProblem) {
            session = try await open(document, for: first, with: ticket, inspectsPages: true)
        } catch {
            // Whatever keeps the program from drawing is no fault of the document: its job waits. A printer that takes
            // the document as it is judges it itself.
            guard error.kind != .interrupted, rendering.count == printers.count else { return CheckedDocument() }
            throw error
        }
        defer { session.cancel() }
        let pages = session.info.planPages
        var problem: DocumentProblem?
        for printer in rendering {
            guard let output = output(for: printer, ticket) else {
                if ticket.documentPassword != nil {
                    let message =
                        "\(printer.printer.id) takes no document-password, and nothing is known of how it prints pages"
                    problem = problem ?? DocumentProblem(.unprintable, DocumentRemark(message: message))
                }
                continue
            }
            do throws(PlanProblem) {
                let plan = try plan(of: pages, session.info, ticket, output, printer)
                return CheckedDocument(
                    remarks: (session.info.remarks + output.remarks + plan.remarks).map {
                        DocumentRemark(message: $0)
                    },
                    pages: plan.sideCount * plan.copies)
            } catch {
                problem = problem ?? DocumentProblem(error)
            }
        }
        // A printer that takes it as it is prints it, whatever the others cannot.
        if let problem, rendering.count == printers.count { throw problem }
        // Of none of them it is known that it takes pages; the dispatch decides.
        return CheckedDocument()
    }

    /// Counts the sides that a document takes on a printer that draws it itself: its pages in the ticket's ranges, so
    /// many on a side, of all copies.
    /// - Throws: `DocumentProblem`: the document cannot be read.
    @concurrent public func countPages(
        of document: PrintDocument, with ticket: Ticket
    ) async throws(DocumentProblem) -> Int? {
        // A printer of receipts prints text on one piece of paper.
        guard document.format != .plainText else { return nil }
        guard let slot = await inspections.slot() else {
            throw DocumentProblem(.interrupted, DocumentRemark(message: "the request was cancelled"))
        }
        defer { slot.unlock() }
        let session = try await open(document, for: nil, with: ticket, inspectsPages: false)
        defer { session.cancel() }
        var ticket = ticket
        // The printer has its own ideas of these, which do not change the number of sides.
        (ticket.media, ticket.sides) = (nil, nil)
        do throws(PlanProblem) {
            let plan = try DocumentPlan(
                pages: session.info.planPages, ticket: ticket, support: nil, settings: PlanSettings(dpi: 72))
            return plan.sideCount * plan.copies
        } catch {
            throw DocumentProblem(error)
        }
    }

    /// The format of pages for a printer: the document's own where the printer takes that; nil where it is known that
    /// the printer takes no pages.
    public func preparedFormat(
        of format: DocumentFormat, for printer: PreparationTarget
    ) -> DocumentFormat? {
        guard formats.contains(format) else { return nil }
        if takes(format, printer) { return format }
        // Text is pages where the printer takes pages, and else as it came, if at all.
        if format == .plainText, !takesPages(printer) { return takesAnyText(printer) ? format : nil }
        return outputFormat(for: printer)
    }

    func output(for printer: PreparationTarget, _ ticket: Ticket) -> PageOutput? {
        PageOutput(printer, settings(printer.identity), printing(printer.identity), ticket)
    }

    private func outputFormat(for printer: PreparationTarget) -> DocumentFormat? {
        PageOutput.format(of: printer, settings(printer.identity), printing(printer.identity))
    }

    /// Whether the printer lists the format and takes each key and value of the ticket. Of JPEG files printers take
    /// some only, which is seen when they are prepared; receipt printers get text as it is.
    public func leavesUnchanged(
        _ format: DocumentFormat, with ticket: Ticket, for printer: PreparationTarget
    ) -> Bool {
        if format == .plainText, !takesPages(printer) { return takes(format, printer) || takesAnyText(printer) }
        return (format != .jpeg || outputFormat(for: printer) == nil) && takesAsItIs(format, with: ticket, printer)
    }

    /// Whether it is known how the printer takes pages, other than as commands of labels or receipts.
    private func takesPages(_ printer: PreparationTarget) -> Bool {
        PageOutput.pageFormat(of: printer, settings(printer.identity)) != nil
    }

    /// Whether a printer that is not known to print pages, such as one of receipts, is sent text as it came.
    private func takesAnyText(_ printer: PreparationTarget) -> Bool {
        printer.description?.announcedFormat(for: .plainText) != nil
    }

    /// The same as `leavesUnchanged`, for one document.
    func isSentUnchanged(
        _ document: PrintDocument, with ticket: Ticket, to printer: PreparationTarget
    ) -> Bool {
        leavesUnchanged(document.format, with: ticket, for: printer)
            || document.format == .jpeg && takesAsItIs(.jpeg, with: ticket, printer)
                && JPEGFile(document).isPrintedAlike(by: printer)
    }

    private func takesAsItIs(_ format: DocumentFormat, with ticket: Ticket, _ printer: PreparationTarget) -> Bool {
        guard takes(format, printer) else { return false }
        // No printer is told the password: the document is drawn here with it, or not printed.
        guard ticket.documentPassword == nil else { return false }
        // Nothing else is known to print it.
        guard outputFormat(for: printer) != nil else { return true }
        return printer.description?.ticketSupport?.takesAll(of: ticket) ?? ticket.wishes.isEmpty
    }

    /// Whether the printer takes the format as it is. One that lists no formats, such as a Unix host's queue, judges
    /// that itself, unless its profile says in which language it takes pages.
    private func takes(_ format: DocumentFormat, _ printer: PreparationTarget) -> Bool {
        guard let description = printer.description else { return false }
        if description.learned?.refusedFormats.contains(format) == true { return false }
        guard description.formats.isEmpty else { return description.formats.contains(format) }
        return settings(printer.identity)?.raster == nil
            && CommandOutput(printer, printing(printer.identity), insteadOf: nil, Ticket()) == nil
    }

    /// Renders a document for one printer. Returns once its first page is there.
    /// - Throws: `DocumentProblem`: `unprintable` where this printer cannot print it so, `interrupted` where
    ///   `kiosk-render` could not be started.
    @concurrent public func prepare(
        _ document: PrintDocument, _ checked: CheckedDocument?, with ticket: Ticket, isCopy: Bool,
        for printer: PreparationTarget
    ) async throws(DocumentProblem) -> PreparedDocument {
        if isSentUnchanged(document, with: ticket, to: printer) {
            return PreparedDocument(document: document, ticket: ticket)
        }
        guard let output = output(for: printer, ticket) else {
            throw DocumentProblem.unknownPages(of: "it")
        }
        return try await rendered(document, with: ticket, as: output, for: printer)
    }

    /// Renders a document in a form. `withinHead`: whether nothing may lie where a print head does not reach.
    private func rendered(
        _ document: PrintDocument, with ticket: Ticket, as output: PageOutput, for printer: PreparationTarget,
        withinHead: Bool = false
    ) async throws(DocumentProblem) -> PreparedDocument {
        let session = try await open(document, for: printer, with: ticket, inspectsPages: false)
        var pages = session.info.planPages
        var planned = ticket
        if withinHead { CommandOutput.keepWithinHead(&pages, &planned) }
        let plan: DocumentPlan
        do throws(PlanProblem) {
            plan = try self.plan(of: pages, session.info, planned, output, printer)
        } catch {
            session.cancel()
            throw DocumentProblem(error)
        }
        do {
            let count = plan.copySequence.count
            let spool = try PageSpool(in: folder, pageCount: count, headerLength: output.headerLength)
            let notes = EncodingNotes()
            let rendering = SheetStream(
                SheetDrawing(
                    plan: plan, output: output, ticket: ticket, session: session, spool: spool, notes: notes
                ) { try await open(document, for: printer, with: ticket, inspectsPages: false) })
            rendering.start()
            try await spool.waitForFirstPage()
            if notes.losesDotsOfFirst, !withinHead, ticket.scaling == nil, !session.info.preferences.actualSize {
                // Nothing of it is sent.
                return try await rendered(document, with: ticket, as: output, for: printer, withinHead: true)
            }
            // One page is sent whole or not at all.
            if count == 1 { try await spool.waitUntilRendered() }
            let sent = PrintDocument(format: output.format, rendering: rendering)
            return PreparedDocument(
                document: sent, ticket: plan.remaining.left(for: printer, by: output),
                remarks: session.info.remarks + output.remarks + plan.remarks
                    + notes.remarks(isWithinHead: withinHead),
                pages: plan.sideCount * plan.copies)
        } catch let failure as DocumentStreamFailure {
            throw failure.problem
        } catch let problem as DocumentProblem {
            throw problem
        } catch {
            session.cancel()
            throw DocumentProblem(.interrupted, DocumentRemark(message: "the document was not rendered: \(error)"))
        }
    }

    /// Opens a document in a process of its own. `inspectsPages`: whether its pages are looked at for a short time, so
    /// that most damage is found now. A text is laid out for the printer's paper.
    func open(
        _ document: PrintDocument, for printer: PreparationTarget?, with ticket: Ticket, inspectsPages: Bool
    ) async throws(DocumentProblem) -> RenderingSession {
        guard let kind = Self.kinds[document.format] else {
            throw DocumentProblem(.invalid, DocumentRemark(message: "\(document.format) is not rendered here"))
        }
        // Where one document is printed, another will be.
        service.keepSpare(true)
        let password = ticket.documentPassword?.reveal()
        let paper = kind == .text ? try textPaper(for: printer, with: ticket) : TextPaper()
        do {
            switch document.body {
            case .bytes(let bytes):
                return try await service.open(
                    .bytes(bytes), as: kind, password: password, inspectsPages: inspectsPages, paper: paper)
            case .file(let path, _):
                let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
                guard file >= 0 else {
                    throw DocumentProblem(
                        .interrupted,
                        DocumentRemark(
                            message: "the stored document cannot be opened (\(String(cString: strerror(errno))))"))
                }
                defer { close(file) }
                return try await service.open(
                    .descriptor(file), as: kind, password: password, inspectsPages: inspectsPages, paper: paper)
            }
        } catch let error as RenderingError {
            throw DocumentProblem(error)
        } catch {
            throw error as? DocumentProblem
                ?? DocumentProblem(.interrupted, DocumentRemark(message: "the document was not opened: \(error)"))
        }
    }

    /// The paper that a text is laid out for: the ticket's or the printer's own, turned where the ticket says so.
    private func textPaper(
        for printer: PreparationTarget?, with ticket: Ticket
    ) throws(DocumentProblem) -> TextPaper {
        guard let printer else { return TextPaper() }
        var ticket = ticket
        // What concerns pages that are not there yet.
        (ticket.pageRanges, ticket.numberUp) = (nil, nil)
        let isLandscape = [.landscape, .reverseLandscape].contains(ticket.orientation)
        ticket.orientation = nil
        let stated = settings(printer.identity)
        guard let output = output(for: printer, ticket) else { return TextPaper() }
        let support = PageSupport(printer, stated)
        let usual = (support?.ready.first?.isRoll == false ? support?.ready.first : nil) ?? PlanSettings.a4
        let standard = support?.standard ?? usual
        let points = { (hundredths: Int) in Double(hundredths) * 72 / 2540 }
        let page = PageSize(width: points(standard.width), height: points(standard.height))
        let paper: SelectedPaper
        do throws(PlanProblem) {
            paper = try plan(of: [page], DocumentInfo(pages: []), ticket, output, printer).paper
        } catch {
            throw DocumentProblem(error)
        }
        let margins = paper.margins
        let borders = (points(margins.top), points(margins.left), points(margins.bottom), points(margins.right))
        let (width, height) = (points(paper.width), points(paper.height))
        // Landscape is turned counter-clockwise: its top is the sheet's right edge (RFC 8011 §5.2.10).
        guard isLandscape else { return TextPaper(width: width, height: height, borders: borders) }
        let largest = max(borders.0, borders.1, borders.2, borders.3)
        return TextPaper(width: height, height: width, borders: (largest, largest, largest, largest))
    }

    /// Plans a document. `screen`: the dots per inch of sides that are shown and not sent.
    func plan(
        of pages: [PageSize], _ info: DocumentInfo, _ ticket: Ticket, _ output: PageOutput,
        _ printer: PreparationTarget,
        screen: Int? = nil
    ) throws(PlanProblem) -> DocumentPlan {
        if let unmet = output.unmet.first {
            throw PlanProblem(.resolution, "\(printer.printer.id) takes no \(unmet)")
        }
        var settings = PlanSettings(dpi: output.dpi, sides: output.sides, sheetBack: output.sheetBack)
        settings.printerMakesCopies = output.printerMakesCopies
        settings.maximumSideDots = RenderingLimits.sideBytes * 8 / output.color.bitsPerPixel
        settings.kind = output.kind
        if output.commands != nil { settings.maximumSideDots = CommandOutput.maximumSideDots }
        // Nobody stands beside a kiosk's printer to load what it asks for.
        settings.asksForPaper = false
        settings.preferences = DocumentPreferences(
            isUnscaled: info.preferences.actualSize, sides: info.preferences.sides)
        var ticket = ticket
        // A picture that does not say how large it is fits the paper (PWG 5100.13, print-scaling auto).
        if !info.hasStatedSizes { ticket.scaling = ticket.scaling ?? .fit }
        let stated = self.settings(printer.identity)
        if let margins = stated?.margins { settings.margins = margins }
        // Back sides are shown as they are read.
        if let screen { (settings.dpi, settings.sheetBack) = (screen, nil) }
        let support = output.commands.map { $0.paper(for: ticket) } ?? PageSupport(printer, stated)
        let plan = try DocumentPlan(pages: pages, ticket: ticket, support: support, settings: settings)
        let first = plan.side(0)
        if output.commands != nil, max(first.width, first.height) > DotMatrix.maximumSide {
            throw PlanProblem(
                .sideSize,
                "a side of \(first.width) × \(first.height) dots is longer than the printer's commands can say; print it on shorter paper"
            )
        }
        return plan
    }

    /// The check `rendering`: CRITICAL while `kiosk-render` does not start, WARNING where it lacks what draws PDF, or
    /// that is old.
    public var healthChecks: [HealthReport.Check] {
        switch service.condition {
        case .ok: []
        case .withoutLibrary(let message), .oldLibrary(let message):
            [HealthReport.Check(code: "rendering", status: .warning, message: message)]
        case .cannotStart(let message): [HealthReport.Check(code: "rendering", status: .critical, message: message)]
        }
    }
}

/// Slots for documents that are looked at before their jobs are accepted: each takes a process, which may take a
/// gigabyte, and those that are printed come first.
final class Inspections: Sendable {
    private let slots: [AsyncMutex]
    private let next = Atomic(0)

    init(count: Int = 4) { slots = (0..<count).map { _ in AsyncMutex() } }

    /// A slot that the caller unlocks; nil where its task was cancelled.
    func slot() async -> AsyncMutex? {
        let number = next.wrappingAdd(1, ordering: .relaxed).newValue
        let slot = slots[Int(UInt(bitPattern: number) % UInt(slots.count))]
        return await slot.lock() ? slot : nil
    }
}

extension DocumentInfo {
    /// Its pages, as a plan takes them.
    var planPages: [KioskDocuments.PageSize] {
        pages.map { KioskDocuments.PageSize(width: $0.width, height: $0.height) }
    }

    /// What people are to know of how it was read.
    var remarks: [String] {
        isLatin1 ? ["the text is not UTF-8: it was read as Latin-1 (Windows-1252)"] : []
    }
}

extension Ticket {
    /// What of the plan's ticket the printer is told beside its pages: PCL and PostScript say all of it themselves, and
    /// rasters say their paper and sides, which IPP wants to hear as well.
    fileprivate func left(for printer: PreparationTarget, by output: PageOutput) -> Ticket {
        var ticket = self
        ticket.documentPassword = nil
        let known = printer.description?.ticketSupport?.values ?? [:]
        if output.printerMakesCopies || known[CodingKeys.media.rawValue] == nil { ticket.media = nil }
        if output.printerMakesCopies || known[CodingKeys.sides.rawValue] == nil { ticket.sides = nil }
        if output.commands != nil { (ticket.cut, ticket.drawer, ticket.media, ticket.sides) = (nil, nil, nil, nil) }
        guard output.printerMakesCopies || output.commands != nil else { return ticket }
        (ticket.copies, ticket.documentHandling, ticket.colorMode, ticket.quality) = (nil, nil, nil, nil)
        (ticket.contentOptimization, ticket.mediaSource, ticket.mediaType) = (nil, nil, nil)
        return ticket
    }
}

extension PageSupport {
    /// What is known of the printer's paper: what it says, or else the media of its profile.
    init?(_ printer: PreparationTarget, _ settings: PageSettings?) {
        if let pages = printer.description?.pages, settings?.media.isEmpty != false {
            self = pages
            return
        }
        guard let settings, !settings.media.isEmpty else { return nil }
        let media = settings.media.compactMap { name in
            PWGMediaSize(mediaName: name).map { size in
                Medium(
                    name: name, width: Int((size.width * 100).rounded()), height: Int((size.height * 100).rounded()),
                    margins: settings.margins)
            }
        }
        self.init(supported: media, standard: media.first)
    }
}

extension DocumentProblem {
    /// The problem of a printer that is not known to take pages. `printer`: what the message calls it.
    static func unknownPages(of printer: String) -> DocumentProblem {
        DocumentProblem(
            .unprintable,
            DocumentRemark(
                message:
                    "nothing is known of how \(printer) prints pages; name its profile in printers.yaml, such as generic-pcl"
            ))
    }

    /// Another printer may have the paper or print on both sides.
    init(_ problem: PlanProblem) {
        let kind: Kind =
            switch problem.code {
            case .noPages, .pageSize, .numberUp: .invalid
            case .sideSize, .sideCount: .tooLarge
            default: .unprintable
            }
        self.init(kind, DocumentRemark(message: problem.message))
    }

    init(_ error: RenderingError) {
        let kind: Kind = error.code.isTransient ? .interrupted : error.code == .tooLarge ? .tooLarge : .invalid
        self.init(kind, DocumentRemark(message: error.message))
    }
}
