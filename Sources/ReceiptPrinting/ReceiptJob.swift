import KioskDrawingService
import KioskPrintModel
import KioskReceipts

/// One receipt job for one printer: encodes the receipt with its ticket, all copies of it, in the printer's language.
struct ReceiptJob {
    let receipt: Receipt
    let ticket: Ticket
    /// Whether the original may be on paper already: then it is marked as a copy, and opens no drawer.
    let isCopy: Bool
    let output: ReceiptOutputFormat

    /// The maximum size of a job in bytes, above that of any receipt: whatever exceeds it is a mistake.
    private static let maximumLength = 64 << 20

    /// The receipt's bytes, with the drawings that the printer needs from `kiosk-draw`. Only the first of several
    /// copies opens the drawer.
    func encoded(by drawing: DrawingClient) async throws(DocumentProblem) -> EncodedReceipt {
        let count = max(ticket.copies ?? 1, 1)
        if case .raster(var printer) = output.target {
            // One document, whose header states the number of its pages.
            printer.copies = count
            return try await copy(for: .raster(printer), kicksDrawer: true, drawing)
        }
        var first = try await copy(for: output.target, kicksDrawer: true, drawing)
        guard count > 1 else { return first }
        let next = try await copy(for: output.target, kicksDrawer: false, drawing).bytes
        guard first.bytes.count + next.count * (count - 1) <= Self.maximumLength else {
            throw DocumentProblem(
                .unprintable,
                DocumentRemark(
                    message: "\(count) copies of it are more than \(Self.maximumLength) bytes", instead: "fewer copies")
            )
        }
        first.bytes.reserveCapacity(first.bytes.count + next.count * (count - 1))
        for _ in 1..<count { first.bytes += next }
        return first
    }

    /// One copy of the receipt.
    private func copy(
        for target: ReceiptTarget, kicksDrawer: Bool, _ drawing: DrawingClient
    ) async throws(DocumentProblem) -> EncodedReceipt {
        let (receipt, remarks) = receipt.printed(with: ticket, isCopy: isCopy, kicksDrawer: kicksDrawer, on: output)
        let document: ReceiptDocument
        do throws(ReceiptError) {
            document = try ReceiptDocument(receipt, for: target)
        } catch {
            throw DocumentProblem(error, otherwise: .unprintable)
        }
        let drawn = try await drawing.draw(document.drawings)
        do throws(ReceiptError) {
            return EncodedReceipt(
                bytes: try document.bytes(with: drawn), remarks: remarks + document.remarks + drawn.remarks,
                rollPage: document.rollPage, cut: cut(of: document, for: target))
        } catch {
            throw DocumentProblem(error, otherwise: .unprintable)
        }
    }

    /// The cut after a page of Apple Raster, which cannot state it itself as PWG Raster does. A single page is cut as
    /// the receipt ends; several would be cut elsewhere than the receipt says.
    private func cut(of document: ReceiptDocument, for target: ReceiptTarget) -> Ticket.Cut? {
        guard case .raster(let printer) = target, printer.format == .urf else { return nil }
        guard document.pageEnds.count == 1, max(ticket.copies ?? 1, 1) == 1 else { return nil }
        switch document.pageEnds[0] {
        case .full: return .full
        case .partial: return .partial
        case .feed, nil: return Ticket.Cut.none
        }
    }
}

/// A receipt in one printer's language, all copies of it.
struct EncodedReceipt {
    var bytes: [UInt8]
    /// The points in which the print differs from the receipt, as sentences without a full stop.
    var remarks: [String]
    /// The size of its longest page, for a printer that prints pages; else nil.
    var rollPage: RollPage?
    /// The cut at its end that the transport has to request, where the document itself cannot; else nil.
    var cut: Ticket.Cut?
}

// MARK: - What of a receipt is printed

extension Receipt {
    /// The receipt as one copy of a job prints it: cut at its end, with or without the drawer, and marked where it is a
    /// copy of an earlier print.
    func printed(with ticket: Ticket, isCopy: Bool, kicksDrawer: Bool = true) -> Receipt {
        var elements = elements
        // A copy is not a sale: it opens no drawer.
        let kicks = kicksDrawer && !isCopy && ticket.drawer != false
        if !kicks { elements.removeAll(where: \.isDrawer) }
        // One signal for all copies.
        if !kicksDrawer { elements.removeAll(where: \.isBuzzer) }
        elements = elements.cut(ticket.cut)
        if isCopy { elements.insert(.text(Self.copyMark, style: TextStyle(emphasis: true)), at: 0) }
        if kicks, ticket.drawer == true, !elements.contains(where: \.isDrawer) {
            elements.insert(.drawer(DrawerKick()), at: 0)
        }
        return Receipt(elements)
    }

    /// The first line of a receipt that was, or may have been, printed before.
    static let copyMark = "*** COPY ***"

    /// The same on one printer, without the cuts and drawers that it lacks; and remarks on these, as sentences without
    /// a full stop.
    func printed(
        with ticket: Ticket, isCopy: Bool, kicksDrawer: Bool = true, on output: ReceiptOutputFormat
    ) -> (receipt: Receipt, remarks: [String]) {
        var remarks: [String] = []
        if !output.hasCutter, ticket.cut.map({ $0 != Ticket.Cut.none }) ?? elements.contains(where: \.isCut) {
            remarks.append("the printer has no cutter: the paper is fed to where it is torn off")
        }
        var receipt = printed(with: ticket, isCopy: isCopy, kicksDrawer: kicksDrawer)
        let kicks = receipt.elements.compactMap(\.connector)
        let drawers = output.drawers
        guard kicks.contains(where: { $0 > drawers }) else { return (receipt, remarks) }
        receipt.elements.removeAll { ($0.connector ?? 0) > drawers }
        remarks.append(
            drawers == 0
                ? "the printer has no drawer: none was opened"
                : "the printer has one drawer only: the second was not opened")
        return (receipt, remarks)
    }
}

extension [ReceiptElement] {
    /// The elements with this cut at their end. Nil leaves a cut at the end as it is, and adds a partial one, as
    /// markup's `=`, where there is none: else the last lines would stay in the printer.
    fileprivate func cut(_ cut: Ticket.Cut?) -> [ReceiptElement] {
        // Settings and drawers move no paper.
        let last = lastIndex { !$0.isDrawer && !$0.isBuzzer && !$0.isSettings }
        guard let last else { return self }
        var elements = self
        switch (cut, elements[last]) {
        case (nil, .cut), (nil, .command): return elements
        case (_, .cut): elements.remove(at: last)
        default: break
        }
        if cut != Ticket.Cut.none { elements.append(.cut(cut == .full ? .full : .partial)) }
        return elements
    }
}

extension ReceiptElement {
    fileprivate var isDrawer: Bool { if case .drawer = self { true } else { false } }
    fileprivate var isBuzzer: Bool { if case .buzzer = self { true } else { false } }
    fileprivate var isSettings: Bool { if case .settings = self { true } else { false } }
    fileprivate var connector: Int? { if case .drawer(let kick) = self { kick.connector } else { nil } }
    fileprivate var isCut: Bool { if case .cut(let mode) = self { mode != .feed } else { false } }
}

extension ReceiptOutputFormat {
    /// The number of drawers that it opens in this language.
    fileprivate var drawers: Int {
        switch target {
        case .escPos, .star: settings.drawers
        case .label, .raster, .text: 0
        }
    }

    /// Labels are separate already.
    fileprivate var hasCutter: Bool { !settings.cuts.isEmpty || settings.language.isForLabels }
}

// MARK: - Drawings

/// The drawing service with one purpose; its errors become problems of the document.
struct DrawingClient: Sendable {
    /// Nil where no `kiosk-draw` is configured: then whatever needs a drawing is unprintable.
    let service: DrawingService?
    var purpose = DrawingPurpose.printing

    /// The dots of the drawings.
    func draw(_ drawings: Set<Drawing>) async throws(DocumentProblem) -> RenderedDrawings {
        guard !drawings.isEmpty else { return .nothing }
        do {
            return try await available.draw(Array(drawings), for: purpose)
        } catch {
            throw DocumentProblem(error)
        }
    }

    /// The dots as a PNG file.
    func png(of dots: DotMatrix) async throws(DocumentProblem) -> [UInt8] {
        do {
            return try await available.png(of: dots)
        } catch {
            throw DocumentProblem(error)
        }
    }

    private var available: DrawingService {
        get throws(DocumentProblem) {
            guard let service else {
                throw DocumentProblem(
                    .unprintable, DocumentRemark(message: "it has to be drawn in part, and nothing here draws"))
            }
            return service
        }
    }
}

extension DocumentProblem {
    fileprivate init(_ error: any Error) {
        switch error {
        case let problem as DocumentProblem: self = problem
        case let error as DrawingError:
            self.init(error.code.isPassing ? .interrupted : .unprintable, DocumentRemark(message: error.message))
        default: self.init(.interrupted, DocumentRemark(message: "\(error)"))
        }
    }
}

extension RenderedDrawings {
    /// A remark on the characters that no font has, as a sentence without a full stop.
    var remarks: [String] {
        guard !withoutGlyph.isEmpty else { return [] }
        let characters = withoutGlyph.sorted { $0.value < $1.value }.prefix(Self.maximumReportedCharacters).map {
            "U+" + String($0.value, radix: 16, uppercase: true)
        }
        return ["no font here has \(characters.joined(separator: ", ")): blank on paper; install a font that does"]
    }

    private static let maximumReportedCharacters = 10
}
