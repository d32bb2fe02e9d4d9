import HTTPTypes
import Hummingbird
import KioskAPI
import KioskDocumentPrinting
import KioskDrawingService
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import KioskReceiptPrinting
import NIOCore

/// `POST /v1/preview`: a receipt or a document as it would be printed, for anybody who may print; nothing is printed or
/// kept.
struct PreviewRoute: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor
    let settings: @Sendable (PrinterIdentity) -> PrintingSettings?
    /// Nil draws no pictures of dots.
    let drawing: DrawingService?
    /// Nil shows no documents.
    let pages: PagePreparation?

    func add(to router: Router<APIContext>) {
        router.post("/v1/preview") { try await show($0, $1).asPreview() }
    }

    @Sendable private func show(_ request: Request, _ context: APIContext) async throws -> Response {
        let parameters = try PreviewParameters(query: request.uri.query, header: request.header)
        guard let form = PreviewForm(accept: request.header("Accept")) else {
            let forms = PreviewForm.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(
                .notAcceptable, detail: "a preview is none of the media types in Accept; ask for one of \(forms)")
        }
        let format = parameters.format ?? .receiptLine
        guard format.isReceipt else {
            guard let pages, pages.formats.contains(format) else { throw noPreview(of: format) }
            let sheets = SheetPreviewRoute(engine: engine, pages: pages)
            return try await sheets.show(request, context, format, parameters, form)
        }
        let paper = try await paper(parameters.paper)
        let place = try context.limits.previews.reserve(for: context.caller)
        defer { place.giveBack() }
        let body = try await request.boundedBody(
            ReceiptPreview.maximumDocumentLength, context, of: context.limits.previewBodies, what: "receipt",
            instead: "send a shorter one")
        defer { body.reservation.giveBack() }
        do {
            return try await context.presence.cancelWhenClosed {
                let preview = try await BackgroundWork.run {
                    try ReceiptPreview(of: Array(body.bytes.readableBytesView), as: format, on: paper)
                }
                return try await response(preview, form)
            }
        } catch let problem as DocumentProblem {
            throw Problem(problem)
        }
    }

    private func noPreview(of format: DocumentFormat) -> Problem {
        let formats = (pages?.formats ?? []).union([.receiptLine, .receiptJSON]).map(\.mimeType).sorted()
        return Problem(
            .formatNotSupported,
            detail: "\(format) has no preview; send one of \(formats.joined(separator: ", "))")
    }

    private func response(_ preview: ReceiptPreview, _ form: PreviewForm) async throws -> Response {
        switch form {
        case .json:
            try .json(
                PreviewText(text: preview.text, remarks: await preview.remarks(by: drawing).map { Problem.Finding($0) })
            )
        case .text:
            Response.bytes(
                try await BackgroundWork.run { Array(preview.text.utf8) }, status: .ok,
                headers: [.contentType: "\(form.rawValue); charset=utf-8"])
        case .png:
            Response.bytes(try await preview.png(by: drawing), status: .ok, headers: [.contentType: form.rawValue])
        case .svg:
            Response.bytes(
                try await BackgroundWork.run { Array(preview.svg.utf8) }, status: .ok,
                headers: [.contentType: form.rawValue])
        }
    }

    func paper(_ paper: PreviewParameters.Paper?) async throws -> ReceiptPreview.Paper {
        switch paper {
        case nil: return .usual
        case .columns(let count): return ReceiptPreview.Paper(columns: count)
        case .printer(let id):
            let target = PreparationTarget(try await engine.printer(id))
            guard let paper = ReceiptPreview.Paper(of: target, settings(target.identity)) else {
                throw Problem(
                    .formatNotSupported,
                    detail:
                        "\(id) is not known to print receipts; name its profile in printers.yaml, such as profile: generic-80mm"
                )
            }
            return paper
        case .profile(let name):
            guard let profile = await editor.registry.profiles?.profile(named: name) else {
                throw Problem(
                    .unknownProfile,
                    detail:
                        "there is no profile \"\(name.withoutControlCharacters.prefix(utf8Count: 80))\"; see them with: kioskctl profiles list"
                )
            }
            guard let paper = profile.printing.map({ ReceiptPreview.Paper($0) }) else {
                throw Problem(
                    .formatNotSupported,
                    detail: "the profile \"\(name)\" does not say how receipts are printed; name another")
            }
            return paper
        }
    }
}
