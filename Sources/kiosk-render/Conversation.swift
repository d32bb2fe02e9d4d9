import Glibc
import KioskPageEncoding
import KioskPageRendering
import KioskRenderingMessages

/// The requests of one document, in their order, and what is answered.
struct Conversation {
    private let library: Result<PDFiumLibrary, RenderingRefusal>
    private let write: (RenderingResponse) throws -> Void
    private var document: (any PagedDocument)?
    private var renderer: SideRenderer?
    /// Encoded bytes that were not sent yet.
    private var output: [UInt8] = []

    init(
        _ library: Result<PDFiumLibrary, RenderingRefusal>, write: @escaping (RenderingResponse) throws -> Void
    ) {
        self.library = library
        self.write = write
    }

    /// A request that does not come at its time: the daemon is not of the same version.
    struct OrderError: Error, CustomStringConvertible {
        var description: String { "a request that does not come at its time" }
    }

    /// Answers a request. A refusal is an answer; what is thrown ends the program.
    mutating func answer(_ request: RenderingRequest, _ descriptor: Int32?) throws {
        do {
            try perform(request, descriptor)
        } catch let refusal as RenderingRefusal {
            try write(.refused(refusal))
        } catch let error as PageEncodingError {
            try write(.refused(RenderingRefusal(.rendering, error.message)))
        }
    }

    private mutating func perform(_ request: RenderingRequest, _ descriptor: Int32?) throws {
        switch request {
        case .prepare:
            guard document == nil else { throw OrderError() }
            try? library.get().findFonts()
        case .open(let format, let password, let inspectsPages, let paper):
            guard document == nil, let descriptor else { throw OrderError() }
            try open(format, password, descriptor, inspectsPages: inspectsPages, on: paper)
        case .begin(let settings):
            guard let document else { throw OrderError() }
            var renderer = SideRenderer(document, encoder: PageEncoder(settings))
            renderer.begin(into: &output)
            self.renderer = renderer
        case .side(let side):
            // A side that fails leaves no renderer: the encoded document cannot go on.
            guard var renderer = renderer.take() else { throw OrderError() }
            var output: [UInt8] = []
            swap(&output, &self.output)
            try renderer.draw(side, into: &output) { try flush(&$0, all: false) }
            try flush(&output, all: true)
            try write(.sideEnd)
            self.renderer = renderer
        case .end:
            guard var renderer = renderer.take() else { throw OrderError() }
            var output: [UInt8] = []
            swap(&output, &self.output)
            try renderer.end(into: &output)
            try flush(&output, all: true)
            try write(.end)
        }
    }

    /// The time for looking through pages when a document is opened.
    private static let inspectionTime = Duration.milliseconds(100)

    private mutating func open(
        _ format: DocumentKind, _ password: String?, _ descriptor: Int32, inspectsPages: Bool,
        on paper: TextPaper
    ) throws {
        let source = try PDFSource(descriptor)
        let opened: any PagedDocument
        switch format {
        case .pdf: opened = try PDFDocument(source, password: password, try library.get())
        case .jpeg: opened = try PDFDocument(try source.wrappingJPEG(), password: nil, try library.get())
        case .png: opened = try PDFDocument(try source.decodingPNG(), password: nil, try library.get())
        case .text: opened = try TextDocument.open(source, on: paper, try library.get())
        case .webp: opened = try PDFDocument(try source.decodingWebP(), password: nil, try library.get())
        case .tiff: opened = try TIFFDocument.open(source, try library.get())
        }
        var info = try opened.info()
        if inspectsPages {
            let start = ContinuousClock.now
            info.largestPicture = try opened.largestPicture { ContinuousClock.now - start < Self.inspectionTime }
        }
        document = opened
        try write(.info(info))
    }

    /// Sends what is encoded, in messages of a bounded size; a last part that is short may wait for more.
    private func flush(_ output: inout [UInt8], all: Bool) throws {
        var sent = 0
        while output.count - sent >= RenderingLimits.chunk || (all && sent < output.count) {
            let end = min(sent + RenderingLimits.chunk, output.count)
            try write(.bytes(Array(output[sent..<end])))
            sent = end
        }
        output.removeSubrange(..<sent)
    }
}
