import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Documents that are shown as the sheets of a printer before any paper is spent.
@Suite struct KioskdSheetPreviewTests {
    private let printer: SimulatedPrinter
    private let daemon: KioskdFixture

    init() async throws {
        printer = try await SimulatedPrinter.start(.init(.office))
        daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: office, url: "\(printer.uri)" }
                  - { id: shelf, url: "ipp://localhost:\(try freePort())/ipp/print" }
                roles: {}
                """)
        _ = try await daemon.client().contact(try #require(PrinterID(rawValue: "office")))
    }

    /// Pages of this size in points with a black square of an inch near the upper left corner.
    private static func document(_ pages: Int, width: Double = 595.28, height: Double = 841.89) -> [UInt8] {
        var writer = PDFWriter()
        for _ in 0..<pages {
            writer.addPage(width: width, height: height, "0 g 36 \(height - 108) 72 72 re f")
        }
        return writer.bytes
    }

    private func preview(
        _ document: [UInt8], _ query: String, accept: String = "application/json", type: String = "application/pdf",
        headers: [String] = []
    ) async throws -> CurlResponse {
        let path = try daemon.folder.write(document, to: "document")
        return try await daemon.curl(
            "/v1/preview\(query)",
            ["-H", "Content-Type: \(type)", "-H", "Accept: \(accept)", "--data-binary", "@\(path)"]
                + headers.flatMap { ["-H", $0] })
    }

    private func picture(_ document: [UInt8], _ query: String) async throws -> PNGPicture {
        let response = try await preview(document, query, accept: "image/png")
        #expect(response.headers["content-type"] == "image/png", "\(response.text)")
        return try #require(PNGPicture(response.body))
    }

    @Test func `it says which pages lie where on which paper`() async throws {
        let query = "?printer=office&number-up=2&sides=two-sided-long-edge&copies=2&page-ranges=1-5"
        let list = try await preview(Self.document(7), query).json(SheetList.self)
        #expect(list.printer.rawValue == "office")
        #expect(list.format == .appleRaster)
        #expect(!list.isUnchanged)
        #expect(list.pageCount == 7)
        #expect(list.paper.name == "iso_a4_210x297mm")
        #expect(list.paper.width == 21_000)
        #expect(list.paper.height == 29_700)
        #expect(list.paper.margins == Medium.Margins(all: 423))
        #expect(list.paper.choice == "equal")
        #expect(list.paper.source == "tray-1")
        #expect(list.sides == .twoSidedLongEdge)
        #expect(list.copies == 2)
        #expect(list.sheetCount == 2)
        #expect(list.sideCount == 4)
        #expect(
            list.sheets == [
                SheetList.Sheet(front: [1, 2], back: [3, 4]), SheetList.Sheet(front: [5], back: []),
            ])
        let text = try await preview(Self.document(3), "?printer=office", accept: "text/plain").text
        #expect(
            text == """
                Paper: iso_a4_210x297mm, 210 × 297 mm, of the page's size (tray-1)
                3 pages, 3 sheets on one side, sent as image/urf
                SHEET  PAGES
                1      1
                2      2
                3      3

                """)
    }

    @Test func `a text that is not UTF-8 is shown with a remark`() async throws {
        let list = try await preview([0x5A, 0xFC], "?printer=office", type: "text/plain").json(SheetList.self)
        #expect(list.pageCount == 1)
        #expect(list.remarks.contains { $0.message.contains("Latin-1") }, "\(list.remarks)")
    }

    @Test func `the best paper is that of the pages, and another one is told`() async throws {
        let letter = try await preview(Self.document(1, width: 612, height: 792), "?printer=office")
            .json(SheetList.self)
        #expect(letter.paper.name == "na_letter_8.5x11in")
        #expect(letter.paper.source == "tray-2")
        let poster = try await preview(Self.document(1, width: 1190, height: 1684), "?printer=office")
            .json(SheetList.self)
        #expect(poster.paper.choice == "default")
        #expect(!poster.remarks.isEmpty)
    }

    @Test func `a picture shows sides with their edges, and backs upright`() async throws {
        let picture = try await picture(Self.document(4), "?printer=office&sides=two-sided-long-edge&show=1-2&dpi=72")
        // Two sides of 595 × 841 dots with 9 between and around them.
        #expect(picture.width == 1217)
        #expect(picture.height == 859)
        for left in [9, 613] {
            #expect(picture.tone(left + 72, 81) == 0)
            #expect(picture.tone(left + 523, 778) == 255)
            #expect(picture.tone(left - 1, 100) < 200)
        }
    }

    /// Pages that lie anti-clockwise and clockwise on a side of 595 × 841 dots, and a column of the first one's square.
    @Test(arguments: [("number-up=2", 72), ("orientation-requested=reverse-landscape&print-scaling=fit", 285)])
    func `sides whose pages lie across the paper are shown as they are read`(ticket: String, column: Int) async throws {
        let picture = try await picture(Self.document(2), "?printer=office&show=1&dpi=72&\(ticket)")
        #expect(picture.width == 859)
        #expect(picture.height == 613)
        // The square is near the upper edge of the page.
        #expect(picture.tone(column, 70) == 0)
        #expect(picture.tone(column, 533) == 255)
        #expect(picture.tone(800, 533) == 255)
    }

    @Test func `what lies where the printer cannot print is faint`() async throws {
        var writer = PDFWriter()
        writer.addPage(width: 595.28, height: 841.89, "0 g 0 0 300 842 re f")
        let picture = try await picture(writer.bytes, "?printer=office&print-scaling=none&dpi=72")
        #expect(picture.tone(13, 409) > 100)
        #expect(picture.tone(29, 409) == 0)
        #expect(picture.tone(599, 409) < 255)
        #expect(picture.tone(509, 409) == 255)
    }

    @Test func `a picture has no more pixels than a screen needs`() async throws {
        let one = try await picture(Self.document(1), "?printer=office&dpi=300")
        #expect(one.width * one.height < 6_000_000)
        let many = try await picture(Self.document(20), "?printer=office&dpi=300&show=3-18")
        #expect(many.width * many.height < 6_000_000)
    }

    @Test(arguments: [
        ("", "application/json", "application/pdf", 400), ("?printer=none", "application/json", "application/pdf", 404),
        ("?printer=office", "image/svg+xml", "application/pdf", 406),
        ("?printer=office&show=21", "image/png", "application/pdf", 400),
        ("?printer=office&show=1-17", "image/png", "application/pdf", 400),
        ("?printer=office&dpi=1000", "image/png", "application/pdf", 400),
        ("?printer=office&copies=0", "image/png", "application/pdf", 400),
        ("?printer=office&page-ranges=30", "application/json", "application/pdf", 422),
        ("?printer=office&printer-resolution=450", "application/json", "application/pdf", 422),
        ("?printer=shelf", "application/json", "application/pdf", 422),
        ("?printer=office", "application/json", "image/png", 422),
        ("?printer=office&copies=2", "application/json", "text/receiptline", 400),
    ])
    func `what cannot be shown is refused`(query: String, accept: String, type: String, status: Int) async throws {
        let response = try await preview(Self.document(20), query, accept: accept, type: type)
        #expect(response.status == status, "\(response.text)")
        #expect(try response.json(Problem.self).status == status)
        #expect(try await printer.documents.isEmpty)
    }

    @Test func `an encrypted document is shown with its password`() async throws {
        let refused = try await preview(EncryptedDocument.file, "?printer=office")
        #expect(refused.status == 422)
        #expect(refused.text.contains("password"), "\(refused.text)")
        let shown = try await preview(
            EncryptedDocument.file, "?printer=office",
            headers: ["Kiosk-document-password: \(EncryptedDocument.password)"])
        #expect(shown.status == 200, "\(shown.text)")
    }

    @Test func `kioskctl shows a table, and writes a picture`() async throws {
        let file = try daemon.folder.write(Self.document(3), to: "manual.pdf")
        let shown = try await daemon.kioskctl("preview", file, "--printer", "office", "--pages", "2-3")
        #expect(shown.end.isSuccess, "\(shown.standardError)")
        #expect(shown.standardOutput.hasSuffix("SHEET  PAGES\n1      2\n2      3\n"), "\(shown.standardOutput)")
        let written = try await daemon.kioskctl(
            "preview", file, "--printer", "office", "--show", "2", "--dpi", "50", "-o",
            daemon.folder.appending("sheets.png"))
        #expect(written.end.isSuccess, "\(written.standardError)")
        let picture = try #require(PNGPicture(try daemon.folder.read("sheets.png")))
        #expect(picture.width == 425)
        #expect(picture.height == 596)
        let json = try await daemon.kioskctl("preview", file, "--printer", "office", "--json")
        #expect(try APIJSON.decode(SheetList.self, from: Array(json.standardOutput.utf8)).pageCount == 3)
        #expect(try await daemon.kioskctl("preview", file).end == .exited(64))
    }
}
