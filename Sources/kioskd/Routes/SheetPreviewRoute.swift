import Hummingbird
import KioskAPI
import KioskDocumentPrinting
import KioskEngine
import KioskPrintModel
import NIOCore

/// The part of `POST /v1/preview` for documents of pages: the sheets that would come out of one printer.
struct SheetPreviewRoute: Sendable {
    let engine: PrintEngine
    let pages: PagePreparation

    func show(
        _ request: Request, _ context: APIContext, _ format: DocumentFormat, _ parameters: PreviewParameters,
        _ form: PreviewForm
    ) async throws -> Response {
        guard form != .svg else {
            throw Problem(
                .notAcceptable,
                detail:
                    "sheets are shown as \(PreviewForm.png.rawValue), \(PreviewForm.json.rawValue) or \(PreviewForm.text.rawValue)"
            )
        }
        guard case .printer(let id)? = parameters.paper else {
            throw Problem(
                .invalidParameter, detail: "how a document comes out depends on its printer; name one with printer=ID")
        }
        let printer = PreparationTarget(try await engine.printer(id))
        let place = try context.limits.previews.reserve(for: context.caller)
        defer { place.giveBack() }
        do {
            let document = try await receive(request, context)
            return try await context.presence.cancelWhenClosed {
                try await pages.preview(of: document, as: format, with: parameters.ticket, on: printer) {
                    try await response($0, for: id, parameters, form)
                }
            }
        } catch let problem as DocumentProblem {
            throw Problem(problem)
        }
    }

    /// The body, in a file that is gone with the response.
    private func receive(_ request: Request, _ context: APIContext) async throws -> PreviewIntake {
        let limit = SheetPreview.maximumDocumentLength
        let tooLarge = Problem(
            .documentTooLarge, detail: "the document is longer than \(limit) bytes, which have no preview; print it")
        let length = request.contentLength
        if let length, length > limit { throw tooLarge }
        let intake = try PreviewIntake(for: pages)
        context.wantBody(of: request)
        for try await buffer in request.body {
            guard intake.length + Int64(buffer.readableBytes) <= limit else { throw tooLarge }
            try await intake.append(Array(buffer.readableBytesView))
        }
        // A cancelled connection may end the body without an error.
        try Task.checkCancellation()
        if let length, intake.length != length {
            throw Problem(
                .bodyCutOff, detail: "the body ended after \(intake.length) of \(length) bytes; send it again")
        }
        return intake
    }

    private func response(
        _ preview: SheetPreview, for printer: PrinterID, _ parameters: PreviewParameters, _ form: PreviewForm
    ) async throws -> Response {
        switch form {
        case .json: return try .json(SheetList(preview, of: printer))
        case .text, .svg:
            return Response.bytes(
                Array(SheetList(preview, of: printer).text.utf8), status: .ok,
                headers: [.contentType: "\(PreviewForm.text.rawValue); charset=utf-8"])
        case .png:
            let picture = try await preview.picture(
                of: try sides(of: preview, parameters.show),
                dpi: parameters.resolution ?? SheetPreview.standardResolution)
            return Response.bytes(
                try await BackgroundWork.run { picture.png }, status: .ok, headers: [.contentType: form.rawValue])
        }
    }

    /// The sides that are shown, from 0.
    private func sides(of preview: SheetPreview, _ wanted: PageRange?) throws(Problem) -> ClosedRange<Int> {
        guard let wanted else { return 0...min(preview.sideCount, SheetPreview.standardSides) - 1 }
        guard wanted.first <= preview.sideCount else {
            throw Problem(
                .invalidParameter,
                detail: "show is \(wanted), and the document has \(preview.sideCount) sides; name some of them")
        }
        let last = min(wanted.last, preview.sideCount)
        guard last - wanted.first < SheetPreview.maximumSides else {
            throw Problem(
                .invalidParameter,
                detail: "show is \(wanted); a picture shows at most \(SheetPreview.maximumSides) sides at a time")
        }
        return wanted.first - 1...last - 1
    }
}

extension SheetList {
    fileprivate init(_ preview: SheetPreview, of printer: PrinterID) {
        let isTwoSided = preview.sides != .oneSided
        let sheetCount = isTwoSided ? (preview.sideCount + 1) / 2 : preview.sideCount
        let sheets = (0..<min(sheetCount, Self.maximumSheets)).map { number in
            func pages(_ side: Int) -> [Int]? {
                side < preview.sideCount ? preview.side(side).pages.map { $0 + 1 } : nil
            }
            return isTwoSided
                ? Sheet(front: pages(number * 2) ?? [], back: pages(number * 2 + 1)) : Sheet(front: pages(number) ?? [])
        }
        let paper = preview.paper
        self.init(
            printer: printer, format: preview.format, isUnchanged: preview.isUnchanged, pageCount: preview.pageCount,
            paper: Paper(
                name: paper.name, width: paper.width, height: paper.height, margins: paper.margins,
                choice: paper.choice, source: paper.source),
            sides: preview.sides, copies: preview.copies, sheetCount: sheetCount, sideCount: preview.sideCount,
            sheets: sheets, remarks: preview.remarks.map { Problem.Finding(DocumentRemark(message: $0)) })
    }
}
