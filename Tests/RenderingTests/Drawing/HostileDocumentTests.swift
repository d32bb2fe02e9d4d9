import KioskPageEncoding
import KioskRenderingMessages
import KioskTestSupport
import Testing

@testable import KioskRenderingService

/// Documents that are made to hurt: each ends in a clear error of its own, or is drawn, within the limits.
@Suite(.enabled(if: Renderer.isComplete)) struct HostileDocumentTests {
    struct Document: Sendable, CustomTestStringConvertible {
        var name: String
        var file: @Sendable () -> [UInt8]
        /// The errors that it may end in; nil for one that may also be drawn.
        var codes: [RenderingError.Code?]
        var testDescription: String { name }
    }

    private static let tooMuch: [RenderingError.Code?] = [.crashed, .cpuTime, .damaged]

    static let documents = [
        Document(
            name: "forms that draw forms, 2^28 times",
            file: {
                var pdf = PDFWriter()
                var form = pdf.addStream("0 0 1 1 re f".utf8, "/Type /XObject /Subtype /Form /BBox [0 0 9 9]")
                for _ in 0..<28 {
                    form = pdf.addStream(
                        "/F Do /F Do".utf8,
                        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F \(form) 0 R >> >>")
                }
                pdf.addPage("/F Do", "/Resources << /XObject << /F \(form) 0 R >> >>")
                return pdf.bytes
            }, codes: tooMuch),
        Document(
            name: "a form that draws itself",
            file: {
                var pdf = PDFWriter()
                let form = pdf.addStream(
                    "/F Do".utf8,
                    "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 3 0 R >> >>")
                pdf.addPage("/F Do", "/Resources << /XObject << /F \(form) 0 R >> >>")
                return pdf.bytes
            }, codes: [nil]),
        Document(
            name: "a gigabyte of zeros as content",
            file: {
                var pdf = PDFWriter()
                let zeros = Deflate.pack(Deflate.zeros(megabytes: 1_100))
                let content = pdf.addStream(zeros, "/Filter [/FlateDecode /FlateDecode]")
                pdf.addPage("", "/Contents \(content) 0 R")
                return pdf.bytes
            }, codes: tooMuch + [nil]),
        Document(
            name: "a page tree that contains itself",
            file: {
                Array(
                    """
                    %PDF-1.4
                    1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
                    2 0 obj <</Type/Pages/Kids[2 0 R 2 0 R]/Count 5>> endobj
                    trailer <</Root 1 0 R>>
                    """.utf8)
            }, codes: [.damaged]),
        Document(
            name: "a page of 10^11 points",
            file: {
                var pdf = PDFWriter()
                pdf.addPage(width: 100_000_000_000, height: 100_000_000_000, "0 0 9 9 re f")
                return pdf.bytes
            }, codes: [.tooLarge, .damaged]),
        Document(
            name: "two billion pages that are not there",
            file: {
                Array(
                    """
                    %PDF-1.4
                    1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
                    2 0 obj <</Type/Pages/Kids[3 0 R]/Count 2000000000>> endobj
                    3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>> endobj
                    trailer <</Root 1 0 R>>
                    """.utf8)
            }, codes: [.tooLarge, .damaged, nil]),
        Document(
            name: "a million pages",
            file: {
                let kids = String(repeating: "3 0 R ", count: 1_000_000)
                return Array(
                    """
                    %PDF-1.4
                    1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
                    2 0 obj <</Type/Pages/Kids[\(kids)]/Count 1000000>> endobj
                    3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>> endobj
                    trailer <</Root 1 0 R>>
                    """.utf8)
            }, codes: [.tooLarge]),
        Document(
            name: "200,000 open brackets",
            file: {
                var pdf = PDFWriter()
                pdf.addPage(String(repeating: "[", count: 200_000))
                return pdf.bytes
            }, codes: [nil]),
        Document(
            name: "200,000 open brackets as an object",
            file: {
                var pdf = PDFWriter()
                let object = pdf.add(String(repeating: "[", count: 200_000))
                pdf.addPage("", "/Annots \(object) 0 R")
                return pdf.bytes
            }, codes: [nil, .damaged]),
        Document(
            name: "two million saved graphics states",
            file: {
                var pdf = PDFWriter()
                pdf.addPage(String(repeating: "q ", count: 2_000_000))
                return pdf.bytes
            }, codes: [nil, .crashed]),
        Document(
            name: "a picture of 3,600 megapixels",
            file: {
                var pdf = PDFWriter()
                let picture = pdf.addPicture(width: 60_000, height: 60_000, [0])
                pdf.addPage("100 0 0 100 0 0 cm /I Do", "/Resources << /XObject << /I \(picture) 0 R >> >>")
                return pdf.bytes
            }, codes: [.tooLarge]),
        Document(
            name: "three thousand groups, one on another",
            file: {
                var pdf = PDFWriter()
                let group = pdf.addStream(
                    "0 0 595 842 re f".utf8,
                    "/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Group << /S /Transparency >>")
                let state = pdf.add("<< /Type /ExtGState /ca 0.5 /BM /Multiply >>")
                pdf.addPage(
                    "/S gs " + String(repeating: "/G Do ", count: 3_000),
                    "/Resources << /XObject << /G \(group) 0 R >> /ExtGState << /S \(state) 0 R >> >>")
                return pdf.bytes
            }, codes: [nil, .cpuTime]),
        Document(
            name: "an XFA form",
            file: {
                var pdf = PDFWriter()
                let form = pdf.addStream("<xdp/>".utf8)
                pdf.catalog = "/NeedsRendering true /AcroForm << /Fields [] /XFA \(form) 0 R >>"
                pdf.addTextPage(["Please wait"])
                return pdf.bytes
            }, codes: [.unsupported]),
    ]

    @Test(arguments: documents)
    func `it ends in a clear error or is drawn`(_ document: Document) async throws {
        var settings = RenderingSettings()
        settings.cpuTime = .seconds(10)
        settings.openCPUTime = .seconds(10)
        let service = try Renderer.service(settings)
        var failure: RenderingError?
        do throws(RenderingError) {
            let session = try await service.open(.bytes(document.file()), as: .pdf)
            let rendered = session.render(RasterDocument(.dots), sides: 1) { _ in
                .page(width: 1_240, height: 1_754, scale: 2)
            }
            for try await _ in rendered {}
        } catch {
            failure = error
        }
        #expect(
            document.codes.contains(failure?.code),
            "\(failure.map { "\($0.code): \($0.message)" } ?? "drawn")")
        // What it did harms nobody else.
        #expect(service.condition == .ok)
        var good = PDFWriter()
        good.addTextPage(["good"])
        let session = try await service.open(.bytes(good.bytes), as: .pdf)
        for try await _ in session.render(
            RasterDocument(.dots), sides: 1, side: { _ in .page(width: 600, height: 800) })
        {}
        await service.shutDown()
    }
}
