import Glibc
import KioskDocuments
import KioskPageEncoding
import KioskPrintModel
import KioskRenderingMessages
import KioskRenderingService
import Synchronization

/// A document that `kiosk-render` draws while a transport sends it: asks the session for the plan's sides and writes
/// their bytes to the spool, those of further copies by repeating what was drawn. Released before its end, it ends the
/// session.
final class SheetStream: DocumentStream {
    private let drawing: SheetDrawing
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ drawing: SheetDrawing) { self.drawing = drawing }

    deinit {
        task.withLock { $0?.cancel() }
        drawing.session.cancel()
    }

    /// Begins to draw, in a task of its own: it goes on while the transport waits for the printer.
    func start() {
        // The task must not keep the stream: what nobody sends any more is not drawn.
        let drawing = drawing
        task.withLock { $0 = Task { await drawing.run() } }
    }

    private var spool: PageSpool { drawing.spool }
    var path: String { spool.path }
    var pageCount: Int { spool.pageCount }
    var failure: DocumentProblem? { spool.failure }
    var renderedLength: Int64 { spool.renderedLength }
    var isRendered: Bool { spool.isRendered }
    func read(_ count: Int, at offset: Int64) async throws -> [UInt8] { try await spool.read(count, at: offset) }
    func waitUntilRendered() async throws { try await spool.waitUntilRendered() }
    var isAwaited: Bool { spool.isAwaited }
    func pages(in bytes: Int64) -> Int { spool.pages(in: bytes) }
}

/// The sides of one document on their way from the plan to the spool.
struct SheetDrawing: Sendable {
    let plan: DocumentPlan
    let output: PageOutput
    let ticket: Ticket
    let session: RenderingSession
    let spool: PageSpool
    let notes: EncodingNotes
    /// Opens the document in another process.
    let openAgain: @Sendable () async throws -> RenderingSession

    /// The sides of all copies, in their order.
    var sides: CopySequence { plan.copySequence }

    func run() async {
        do {
            try await draw()
            spool.complete()
            session.end()
        } catch {
            spool.fail(DocumentProblem(error, pages: sides.count))
            session.cancel()
        }
    }

    private func draw() async throws {
        var document = RasterDocument(output.language, sideCount: sides.count)
        if output.printerMakesCopies {
            document.copies = plan.copies
            document.isCollated = plan.isCollated
            document.usesPJL = output.usesPJL
            document.isEightBitClean = output.isEightBitClean
        }
        var writer = try SideWriter(self)
        guard isShared else {
            var parts = RenderedSides(session.render(document, sides: plan.sideCount) { side($0) })
            for index in 0..<plan.sideCount { try await parts.write(index, to: &writer) }
            try await parts.writeEnd(to: &writer)
            return try writer.end()
        }
        let other = Task { try await openAgain() }
        defer { other.cancel() }
        var first = RenderedSides(session.render(document, sides: 1) { side($0) })
        try await first.write(0, to: &writer)
        try await first.writeEnd(to: &writer)
        let (header, count) = (Int(output.headerLength), plan.sideCount)
        let opened = await withTaskCancellationHandler {
            try? await other.value
        } onCancel: {
            other.cancel()
        }
        try Task.checkCancellation()
        guard let helper = opened else {
            // One process does it as well, only later.
            var rest = RenderedSides(
                session.render(document, sides: count - 1) { side($0 + 1) }, dropping: header)
            for index in 1..<count { try await rest.write(index, to: &writer) }
            return try writer.end()
        }
        defer { helper.end() }
        var odd = RenderedSides(helper.render(document, sides: count / 2) { side(2 * $0 + 1) }, dropping: header)
        var even = RenderedSides(
            session.render(document, sides: (count - 1) / 2) { side(2 * $0 + 2) }, dropping: header)
        for index in 1..<count {
            if index.isMultiple(of: 2) {
                try await even.write(index, to: &writer)
            } else {
                try await odd.write(index, to: &writer)
            }
        }
        try writer.end()
    }

    /// Whether a second process draws every other side: of a document of several sides, in a format whose sides do not
    /// depend on those before them, on a computer that can do two things at once.
    private var isShared: Bool {
        guard plan.sideCount >= Self.minimumShared, Self.processors > 1 else { return false }
        return switch output.language {
        case .pwgRaster, .appleRaster, .dots: true
        case .pcl5e, .postScript: false
        }
    }

    private static let minimumShared = 4
    private static let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))

    /// The commands of a side that is drawn; nothing where its rows are sent as they come.
    fileprivate func encoded(_ index: Int, by commands: inout CommandEncoder?) throws -> [UInt8] {
        guard commands != nil else { return [] }
        let side = plan.side(index)
        do throws(DocumentProblem) {
            let bytes = try commands?.endSide(width: side.width, height: side.height) ?? []
            if commands?.losesDots == true { notes.noteLostDots(onFirst: index == 0) }
            return bytes
        } catch {
            throw DocumentStreamFailure(error)
        }
    }

    /// A side of the plan as it is drawn.
    private func side(_ index: Int) -> SideDrawing {
        let side = plan.side(index)
        var page = RasterPage(width: side.width, height: side.height, dpi: output.dpi, color: output.color)
        page.mediaName = plan.paper.name
        page.paperWidth = side.paperWidth
        page.paperHeight = side.paperHeight
        page.sides = plan.sides
        page.isBack = side.isBack
        page.crossFeedTransform = side.crossFeedTransform
        page.feedTransform = side.feedTransform
        page.quality = ticket.quality
        page.sideCount = sides.count
        page.mediaSource = plan.remaining.mediaSource
        page.mediaType = plan.remaining.mediaType
        page.margins = plan.paper.margins
        page.imageBox = side.imageBox.map { KioskPageEncoding.DotRectangle($0) }
        // A thermal head has no greys: bars that are drawn with some would lose their width.
        return SideDrawing(side, page, isCrisp: output.kind != .sheets)
    }
}

extension SideDrawing {
    /// What is drawn on a side of a plan, which has the dots of `page`. `isCrisp`: in black and white alone.
    init(_ side: PlannedSide, _ page: RasterPage, isCrisp: Bool = false) {
        let cells = side.cells.map { cell in
            // PDFium makes a rectangle as wide as its width in dots, rounded up: a bar of whole dots must not become
            // one wider by a fault in the seventh digit.
            let (matrix, scale) = (cell.matrix, isCrisp ? 1 - Self.shrinkage : 1)
            return PageDrawing(
                page: cell.page,
                matrix: KioskRenderingMessages.PageMatrix(
                    matrix.a * scale, matrix.b * scale, matrix.c * scale, matrix.d * scale, matrix.e, matrix.f),
                clip: KioskPageEncoding.DotRectangle(cell.clip))
        }
        let frames = side.frames.map {
            SideDrawing.Frame(KioskPageEncoding.DotRectangle($0.rectangle), lineWidth: $0.lineWidth)
        }
        self.init(page, cells: cells, frames: frames, smoothing: isCrisp ? .crisp : nil)
    }

    /// A tenth of a dot on a label of 1,000 dots.
    private static let shrinkage = 1e-4
}

/// Puts the sides of a document into its spool as they come, those of further copies by repeating what was drawn.
private struct SideWriter {
    private let drawing: SheetDrawing
    private var commands: CommandEncoder?
    /// The place of each side's bytes.
    private var places: [Int: Int] = [:]
    private var place = 0

    init(_ drawing: SheetDrawing) throws {
        self.drawing = drawing
        guard let output = drawing.output.commands else { return }
        guard let encoder = output.encoder(for: drawing.plan) else {
            let message = "\(drawing.output.format) of this printer has no commands for pictures"
            throw DocumentStreamFailure(DocumentProblem(.unprintable, DocumentRemark(message: message)))
        }
        commands = encoder
    }

    mutating func append(_ bytes: [UInt8]) async throws {
        if commands == nil { try await drawing.spool.append(bytes) } else { commands?.append(bytes) }
    }

    mutating func endSide(_ index: Int) async throws {
        try await drawing.spool.append(try drawing.encoded(index, by: &commands), endsPage: true)
        places[index] = place
        place += 1
        let sides = drawing.sides
        while place < sides.count, let earlier = places[sides[place]] {
            try await drawing.spool.repeatPage(earlier)
            place += 1
        }
    }

    func end() throws {
        guard commands == nil || drawing.spool.renderedLength > 0 else {
            throw DocumentStreamFailure(
                DocumentProblem(.invalid, DocumentRemark(message: "its pages are white: there is nothing to print")))
        }
    }
}

/// The sides that one process draws, in their order.
private struct RenderedSides {
    private var parts: RenderedDocument.AsyncIterator
    /// The bytes of the document's header that are still to come and to be left out.
    private var header: Int

    /// `header`: its length, where another process has written it.
    init(_ document: RenderedDocument, dropping header: Int = 0) {
        parts = document.makeAsyncIterator()
        self.header = header
    }

    /// Writes the next one, which is this side of the document.
    mutating func write(_ index: Int, to writer: inout SideWriter) async throws {
        while let part = try await next(index) {
            guard case .bytes(let bytes) = part else { return try await writer.endSide(index) }
            try await writer.append(withoutHeader(bytes))
        }
    }

    private mutating func next(_ index: Int) async throws(RenderingError) -> RenderedPart? {
        do throws(RenderingError) {
            return try await parts.next()
        } catch {
            // Its process counts its own sides.
            var failure = error
            failure.side = failure.side.map { _ in index }
            throw failure
        }
    }

    /// Writes what stands behind the last one.
    mutating func writeEnd(to writer: inout SideWriter) async throws {
        while let part = try await parts.next() {
            if case .bytes(let bytes) = part { try await writer.append(bytes) }
        }
    }

    private mutating func withoutHeader(_ bytes: [UInt8]) -> [UInt8] {
        guard header > 0 else { return bytes }
        let count = min(header, bytes.count)
        header -= count
        return Array(bytes.dropFirst(count))
    }
}

extension KioskPageEncoding.DotRectangle {
    fileprivate init(_ rectangle: KioskDocuments.DotRectangle) {
        self.init(left: rectangle.left, top: rectangle.top, right: rectangle.right, bottom: rectangle.bottom)
    }
}

extension DocumentProblem {
    fileprivate init(_ error: any Error, pages: Int) {
        if let failure = error as? DocumentStreamFailure {
            self = failure.problem
            return
        }
        guard let error = error as? RenderingError else {
            self.init(.interrupted, DocumentRemark(message: "the document was not rendered to its end: \(error)"))
            return
        }
        self.init(error)
        if let side = error.side { remark.message = "page \(side + 1) of \(pages): \(remark.message)" }
    }
}
