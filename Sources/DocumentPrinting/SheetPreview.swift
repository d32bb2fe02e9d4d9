import KioskAsyncPrimitives
import KioskDocuments
import KioskPageEncoding
package import KioskPrintModel
import KioskRenderingMessages
import KioskRenderingService

/// The sheets of a document as they would come out on one printer, for somebody to see before any paper is spent.
package struct SheetPreview: Sendable {
    /// The format that the printer would be sent; the document's own where it gets that unchanged.
    package let format: DocumentFormat
    /// Whether the printer gets the document as it is, and draws it itself.
    package let isUnchanged: Bool
    /// The number of pages of the document, printed or not.
    package let pageCount: Int
    /// What people are to know, as sentences without a full stop.
    package let remarks: [String]
    /// The paper of all sheets, with the name of the way by which it was chosen.
    package let paper: Paper
    /// One side or both, as sheets are printed.
    package let sides: Ticket.Sides
    /// How often the document is printed.
    package let copies: Int
    /// The sides of one copy, with a blank last one where the next copy begins on a new sheet.
    package let sideCount: Int

    private let plan: DocumentPlan
    private let isColored: Bool
    private let planned: @Sendable (_ dpi: Int) throws(PlanProblem) -> DocumentPlan
    private let session: RenderingSession

    /// The paper of a preview.
    package struct Paper: Hashable, Sendable {
        /// The PWG 5101.1 name of its size.
        package var name: String
        /// The extent across the feed, in hundredths of a millimetre.
        package var width: Int
        /// The extent along the feed, in hundredths of a millimetre; on a roll, that of the first side.
        package var height: Int
        /// The border that stays white.
        package var margins: Medium.Margins
        /// How it was chosen: `requested`, `equal`, `roll`, `larger`, `not-loaded` or `default`.
        package var choice: String
        /// The tray or roll that it lies in; nil where the printer does not say.
        package var source: String?
    }

    /// A side of a copy.
    package struct Side: Hashable, Sendable {
        /// The sheet, from 0.
        package var sheet: Int
        /// Whether it is the back of its sheet.
        package var isBack: Bool
        /// The pages of the document on it, from 0, in the order in which they are read.
        package var pages: [Int]
    }

    /// The longest document that is shown.
    package static let maximumDocumentLength: Int64 = 256 << 20
    /// The dots per inch of a picture of which nobody says: about a screen's.
    package static let standardResolution = 100
    /// The most sides on a picture.
    package static let maximumSides = 16
    /// The sides on a picture of which nobody says.
    package static let standardSides = 4

    fileprivate init(
        _ plan: DocumentPlan, _ output: PageOutput, sentAs format: DocumentFormat, isUnchanged: Bool,
        session: RenderingSession,
        planned: @escaping @Sendable (_ dpi: Int) throws(PlanProblem) -> DocumentPlan
    ) {
        self.format = format
        self.isUnchanged = isUnchanged
        pageCount = session.info.pages.count
        remarks =
            (isUnchanged ? ["the printer gets the document as it is and draws it itself: it may look different"] : [])
            + session.info.remarks + output.remarks + plan.remarks
        paper = Paper(
            name: plan.paper.name, width: plan.paper.width, height: plan.paper.height, margins: plan.paper.margins,
            choice: plan.paper.choice.rawValue, source: plan.paper.medium.source)
        sides = plan.sides
        copies = plan.copies
        sideCount = plan.sideCount
        self.plan = plan
        isColored = output.color == .rgb24
        self.planned = planned
        self.session = session
    }

    /// A side of a copy. `index` is from 0 to `sideCount` - 1.
    package func side(_ index: Int) -> Side {
        let side = plan.side(index)
        return Side(sheet: side.sheet, isBack: side.isBack, pages: side.cells.map(\.page))
    }

    /// A picture of these sides of a copy, from 0, in rows of at most four, turned so that their pages are upright. Its
    /// resolution is lower than `dpi` where it would have too many pixels.
    package func picture(of sides: ClosedRange<Int>, dpi: Int) async throws(DocumentProblem) -> SheetPicture {
        let sides = sides.clamped(to: 0...sideCount - 1).prefix(Self.maximumSides)
        let turn = turn(of: sides.map { self.plan.side($0) })
        let sizes = sides.map { self.plan.side($0) }.map { side in
            turn == .none ? (side.paperWidth, side.paperHeight) : (side.paperHeight, side.paperWidth)
        }
        let dpi = SheetPicture.resolution(ofSides: sizes, atMost: dpi)
        let plan: DocumentPlan
        do throws(PlanProblem) { plan = try planned(dpi) } catch { throw DocumentProblem(error) }
        // The paper of a plan does not depend on its dots.
        guard plan.sideCount == sideCount else {
            throw DocumentProblem(.interrupted, DocumentRemark(message: "the sheets could not be planned for a screen"))
        }
        let planned = sides.map { plan.side($0) }
        var picture = SheetPicture(
            sides: planned.map { side in
                SheetPicture.Side(
                    width: side.width, height: side.height, unprintable: unprintable(on: side, dpi: dpi))
            }, turn: turn, dpi: dpi, isColored: isColored)
        let color: PageColor = isColored ? .rgb24 : .gray8
        let document = RasterDocument(.dots, sideCount: sides.count)
        let drawings = planned.map { side in
            SideDrawing(side, RasterPage(width: side.width, height: side.height, dpi: dpi, color: color))
        }
        do throws(RenderingError) {
            for try await part in session.render(document, sides: sides.count, side: { drawings[$0] }) {
                switch part {
                case .bytes(let bytes): picture.append(bytes)
                case .sideEnd: break
                }
            }
        } catch {
            throw DocumentProblem(error)
        }
        return picture
    }

    /// The turn that makes pages upright which all lie across the paper.
    private func turn(of sides: [PlannedSide]) -> SheetPicture.Turn {
        let matrices = sides.flatMap(\.cells).map(\.matrix)
        guard !matrices.isEmpty, matrices.allSatisfy({ abs($0.a) < abs($0.b) }) else { return .none }
        // Where the page's upper edge lies at the left, it is turned back to the right.
        if matrices.allSatisfy({ $0.b < 0 }) { return .clockwise }
        return matrices.allSatisfy { $0.b > 0 } ? .anticlockwise : .none
    }

    /// The borders of a side that the printer leaves white, in dots.
    private func unprintable(on side: PlannedSide, dpi: Int) -> SheetPicture.Borders {
        var margins = paper.margins
        if sides != .oneSided {
            // Whichever edge of the back is printed first.
            (margins.left, margins.right) = (max(margins.left, margins.right), max(margins.left, margins.right))
            (margins.top, margins.bottom) = (max(margins.top, margins.bottom), max(margins.top, margins.bottom))
        }
        func dots(_ hundredths: Int) -> Int { hundredths * dpi / 2540 }
        return SheetPicture.Borders(
            left: dots(margins.left), top: dots(margins.top), right: dots(margins.right), bottom: dots(margins.bottom))
    }
}

extension PagePreparation {
    /// Opens a document, plans its sheets for one printer, and gives them to `use`; the document is closed after that.
    /// Few are open at a time.
    /// - Throws: `DocumentProblem`: the document is damaged or encrypted, or the printer cannot print it with this
    ///   ticket; and what `use` throws.
    @concurrent package func preview<Result: Sendable>(
        of received: PreviewIntake, as format: DocumentFormat, with ticket: Ticket, on printer: PreparationTarget,
        _ use: @Sendable (SheetPreview) async throws -> Result
    ) async throws -> Result {
        let document = received.document(as: format)
        let isUnchanged = isSentUnchanged(document, with: ticket, to: printer)
        guard let output = output(for: printer, ticket) else {
            guard isUnchanged else { throw DocumentProblem.unknownPages(of: printer.printer.id.description) }
            throw DocumentProblem(
                .unprintable,
                DocumentRemark(
                    message:
                        "\(printer.printer.id) gets \(format) as it is, and how it prints that is not known here; name its profile in printers.yaml for a preview"
                ))
        }
        guard let slot = await previews.slot() else { throw CancellationError() }
        defer { slot.unlock() }
        let session = try await open(document, for: printer, with: ticket, inspectsPages: true)
        // From here on the session has the file.
        withExtendedLifetime(received) {}
        defer { session.cancel() }
        let info = session.info
        let pages = info.planPages
        let preview: SheetPreview
        do throws(PlanProblem) {
            let plan = try self.plan(of: pages, info, ticket, output, printer)
            preview = SheetPreview(
                plan, output, sentAs: isUnchanged ? format : output.format, isUnchanged: isUnchanged, session: session
            ) { (dpi) throws(PlanProblem) in
                try self.plan(of: pages, info, ticket, output, printer, screen: dpi)
            }
        } catch {
            throw DocumentProblem(error)
        }
        return try await use(preview)
    }
}

/// A document for a preview as it comes in: a file without a name, which is gone with it.
package struct PreviewIntake: Sendable {
    private let file: PageSpool

    /// Opens a file in the preparation's folder.
    package init(for preparation: PagePreparation) throws(DocumentProblem) {
        do throws(PageSpool.FileError) {
            file = try PageSpool(in: preparation.folder, pageCount: 0, headerLength: 0)
        } catch {
            throw DocumentProblem(.interrupted, DocumentRemark(message: error.description))
        }
    }

    /// The bytes so far.
    package var length: Int64 { file.renderedLength }

    /// Adds the next bytes.
    package func append(_ bytes: [UInt8]) async throws {
        do {
            try await file.append(bytes)
        } catch let failure as DocumentStreamFailure {
            throw failure.problem
        } catch let error as PageSpool.FileError {
            throw DocumentProblem(.interrupted, DocumentRemark(message: error.description))
        }
    }

    /// The document, which can be opened for as long as this is there.
    fileprivate func document(as format: DocumentFormat) -> PrintDocument {
        PrintDocument(format: format, body: .file(path: file.path, length: file.renderedLength))
    }
}
