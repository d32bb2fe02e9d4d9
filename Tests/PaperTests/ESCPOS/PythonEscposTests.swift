import KioskTestSupport
import Testing

@testable import KioskSimulatedPaper

/// python-escpos writes and this printer reads: two independent programs that follow the same manual.
@Suite struct PythonEscposTests {
    private func printed(by script: String) async throws -> PrintedPaper? {
        let whole = """
            import sys
            from PIL import Image
            from escpos.printer import Dummy
            p = Dummy(profile="TM-T88V")
            \(script)
            open(sys.argv[1], "wb").write(p.output)
            """
        guard let job = try await PythonPeers.output(of: whole) else { return nil }
        return try PaperTests.printed(job)
    }

    @Test func `text in many scripts comes out as it went in`() async throws {
        let lines = [
            "Café Größe 3,50 €", "Žluťoučký kůň", "Привет", "Ελληνικά", "Señor ¿qué?", "│┌─┐│ ½ ±", "İstanbul ğş",
            "çãõ Ñ",
        ]
        let script = lines.map { "p.text(\"\($0)\\n\")" }.joined(separator: "\n")
        guard let paper = try await printed(by: script) else { return }
        #expect(
            paper.events.reduce(into: "") { text, event in
                if case .text(let part) = event.kind { text += part }
                if case .command("LF", _, _) = event.kind { text += "\n" }
            } == lines.map { $0 + "\n" }.joined())
        #expect(paper.faults.isEmpty, "\(paper.dump)")
    }

    @Test func `barcodes and QR codes, native and as pictures, read the same`() async throws {
        let script = """
            p.barcode("4006381333931", "EAN13", 64, 3, "BELOW", "A")
            p.barcode("96385074", "EAN8", 64, 3, "ABOVE", "B")
            p.barcode("012345678905", "UPC-A", 64, 3, "OFF", "A")
            p.barcode("KIOSK 39", "CODE39", 64, 2, "BOTH", "A")
            p.barcode("12345678", "ITF", 64, 2, "OFF", "A")
            p.barcode("A1234B", "CODABAR", 64, 2, "OFF", "A", function_type="B")
            p.barcode("{BCode128", "CODE128", 64, 2, "OFF", "A", function_type="B")
            p.qr("native", native=True, size=6)
            p.ln(3)
            p.qr("raster", size=6)
            p.ln(3)
            p.qr("graphics", size=6, impl="graphics")
            p.ln(3)
            p.qr("columns", size=6, impl="bitImageColumn")
            p.ln(3)
            """
        guard let paper = try await printed(by: script) else { return }
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        let read = Set(try await SymbolReader.zbar(paper.picture).map(\.data))
        #expect(
            read == [
                "4006381333931", "96385074", "012345678905", "KIOSK 39", "12345678", "A1234B", "Code128", "native",
                "raster", "graphics",
                "columns",
            ])
    }

    @Test func `a picture comes out the same by each of its ways`() async throws {
        let script = """
            picture = Image.new("1", (200, 48), 1)
            for y in range(48):
                for x in range(200):
                    if (x * x + y * y * 7) % 11 < 4 or x in (0, 199) or y in (0, 47): picture.putpixel((x, y), 0)
            p.image(picture, impl="bitImageRaster", center=False)
            p.image(picture, impl="graphics", center=False)
            p.image(picture, impl="bitImageColumn", center=False)
            """
        guard let paper = try await printed(by: script) else { return }
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        func part(_ index: Int) -> [[Bool]] {
            (0..<48).map { y in (0..<200).map { paper.picture[32 + $0, index * 48 + y] } }
        }
        let expected = (0..<48).map { y in
            (0..<200).map { x in (x * x + y * y * 7) % 11 < 4 || x == 0 || x == 199 || y == 0 || y == 47 }
        }
        for index in 0..<3 { #expect(part(index) == expected, "way \(index)") }
    }

    @Test func `styles, cuts and drawers are listed`() async throws {
        let script = """
            p.set(align="right", bold=True, underline=2, width=3, height=2, custom_size=True, invert=True)
            p.text("x\\n")
            p.set(font="b")
            p.text("x\\n")
            p.cashdraw(2)
            p.cut()
            p.cut(mode="PART")
            """
        guard let paper = try await printed(by: script) else { return }
        for meaning in [
            "justify right", "emphasized on", "underline 2 dots", "size 3×2", "white on black on", "font B",
        ] {
            #expect(paper.meanings.contains(meaning), "\(meaning)")
        }
        #expect(paper.meanings.contains { $0.hasPrefix("open drawer 1") })
        #expect(paper.cuts.map(\.isPartial) == [false, true])
        #expect(
            paper.cuts.allSatisfy { cut in
                !(cut.row - 2...cut.row + 2).contains { y in y != cut.row && paper.picture.row(y).contains { $0 != 0 } }
            })
    }
}
