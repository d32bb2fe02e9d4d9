import HTTPTypes
import Hummingbird
import KioskAPI
import KioskDocumentPrinting
import KioskDurableFiles
import KioskEngine
import KioskPrintModel
import KioskReceiptPrinting
import NIOCore

/// `GET /v1/jobs/{id}/preview`: a picture of a job's document as its printer prints it, as long as the document is
/// kept; for the job's owner and operators.
struct JobPreviewRoute: Sendable {
    let engine: PrintEngine
    let access: AccessRules
    let previews: PreviewRoute

    /// Bytes of a document of pages, which is read into memory.
    private static let maximumPages = 32 << 20

    func add(to router: Router<APIContext>) {
        router.get("/v1/jobs/{id}/preview", use: show)
    }

    @Sendable private func show(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let requester = await access.requester(of: context)
        let (job, body) = try await engine.keptDocument(of: context.jobID(), by: requester)
        let place = try context.limits.previews.reserve(for: context.caller)
        defer { place.giveBack() }
        do {
            let png = try await context.presence.cancelWhenClosed { try await picture(of: job, body) }
            return Response.bytes(
                png, status: .ok, headers: [.contentType: PreviewForm.png.rawValue, .cacheControl: "no-store"]
            ).asPreview()
        } catch let problem as DocumentProblem {
            throw Problem(problem)
        }
    }

    private func picture(of job: Job, _ body: PrintDocument.Body) async throws -> [UInt8] {
        if job.format.isReceipt {
            let bytes = try await bytes(of: body, limit: ReceiptPreview.maximumDocumentLength)
            let paper = try await previews.paper(job.printer.map { .printer($0) })
            let preview = try await BackgroundWork.run {
                try ReceiptPreview(of: bytes, as: job.format, with: job.ticket, on: paper)
            }
            return try await preview.png(by: previews.drawing)
        }
        guard let pages = previews.pages, pages.formats.contains(job.format), let printer = job.printer else {
            throw Problem(
                .formatNotSupported,
                detail: "a document of the format \(job.format) goes to its printer as it is, and has no preview")
        }
        let intake = try PreviewIntake(for: pages)
        try await intake.append(bytes(of: body, limit: Self.maximumPages))
        let target = PreparationTarget(try await engine.printer(printer))
        return try await pages.preview(of: intake, as: job.format, with: job.ticket, on: target) { preview in
            let last = min(preview.sideCount, SheetPreview.standardSides) - 1
            let picture = try await preview.picture(of: 0...last, dpi: SheetPreview.standardResolution)
            return try await BackgroundWork.run { picture.png }
        }
    }

    private func bytes(of body: PrintDocument.Body, limit: Int) async throws -> [UInt8] {
        switch body {
        case .bytes(let bytes): return bytes
        case .file(let path, let length):
            guard length <= Int64(limit) else {
                throw Problem(.documentTooLarge, detail: "the document is longer than \(limit) bytes: no preview")
            }
            do {
                return try await BackgroundWork.run { try AtomicFile.read(path, limit: limit) }
            } catch is FileError {
                throw Problem(.documentNotKept, detail: "the document is no longer kept")
            }
        }
    }
}

extension Response {
    /// The same response as a browser may have it: a document that somebody sent, or a picture of one, is never a page
    /// of ours with our rights.
    func asPreview() -> Response {
        var response = self
        response.headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.contentDisposition] = "attachment"
        return response
    }
}
