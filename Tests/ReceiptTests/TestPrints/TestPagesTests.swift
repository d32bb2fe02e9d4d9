import KioskPrintModel
import KioskTestPrints
import KioskTestSupport
import Testing

@Suite struct TestPagesTests {
    private func pages(_ medium: Medium, hasBack: Bool = true) throws -> [UInt8] {
        let subject = TestPrintSubject(
            id: try #require(PrinterID(rawValue: "office")), url: try PrinterURL("ipp://192.0.2.10/ipp/print"),
            makeAndModel: "ACME (Laser) \\5 \u{1F5A8}", time: Timestamp(millisecondsSince1970: 1_795_000_000_000))
        return TestPages(subject, on: medium, hasBack: hasBack).pdf
    }

    /// What poppler says of the file: it reads every object, and complains about damaged ones.
    private func text(_ pdf: [UInt8]) async throws -> String {
        let folder = try TemporaryFolder("pages")
        let file = try folder.write(pdf, to: "test.pdf")
        let result = try await ChildProcess.run(
            InstalledProgram.path("pdftotext", package: "poppler-utils"), ["-layout", file, "-"])
        #expect(result.end.isSuccess)
        #expect(result.standardError.isEmpty, "\(result.standardError)")
        return result.standardOutput
    }

    @Test func `a reader reads it, and the model is text alone`() async throws {
        let a4 = Medium(
            name: "iso_a4_210x297mm", width: 21_000, height: 29_700,
            margins: .init(top: 423, left: 300, bottom: 1270, right: 300))
        let text = try await text(pages(a4))
        #expect(text.contains("office"))
        #expect(text.contains(#"ACME (Laser) \5 ?"#))
        #expect(text.contains("top 4.2, right 3, bottom 12.7, left 3 mm"))
        #expect(text.contains("€ ÄÖÜ äöü ß"))
        #expect(text.split(separator: "\u{0C}").count == 2)
        #expect(try await self.text(pages(a4, hasBack: false)).contains("back") == false)
    }

    @Test(arguments: [0, -1, 1, 2500, 1_000_000, Int.max, Int.min])
    func `whatever size a printer says it has, there is a page`(_ size: Int) async throws {
        let margins = Medium.Margins(top: size, left: size, bottom: size, right: size)
        let pdf = try pages(Medium(width: size, height: 29_700, margins: margins))
        #expect(pdf.count < 500_000)
        #expect(try await text(pdf).contains("office"))
    }
}
