import KioskPaperPictures
import KioskTestSupport
import Testing

@testable import KioskSimulatedPaper

@Suite struct PrinterFontsTests {
    @Test(arguments: ["A", "€", "ж", "Ω", "│", "ש", "ก", "ﾏ", "中", "한", "ع"]) func `has a glyph`(
        _ character: String
    ) throws {
        let fonts = try SharedFonts.fonts.get()
        let scalar = try #require(character.unicodeScalars.first)
        for (width, height) in [(12, 24), (9, 17), (24, 24)] {
            let glyph = try #require(fonts.glyph(scalar, width: width, height: height))
            #expect((glyph.width, glyph.height) == (width, height))
            #expect(!glyph.isBlank)
        }
    }

    @Test func `every character of every code page has one`() throws {
        let fonts = try SharedFonts.fonts.get()
        for page in (0...255).compactMap(CodePage.numbered) {
            for byte in UInt8(0x20)...0xFF where page[byte] != "\u{FFFD}" {
                #expect(
                    fonts.glyph(page[byte], width: 9, height: 17) != nil,
                    "\(page.name) \(byte) U+\(String(page[byte].value, radix: 16))")
            }
        }
    }

    @Test func `box drawing characters join without a gap`() throws {
        let fonts = try SharedFonts.fonts.get()
        let line = try #require(fonts.glyph("─", width: 12, height: 24))
        #expect(line.inkBounds?.x == 0...11)
        let bar = try #require(fonts.glyph("│", width: 12, height: 24))
        #expect(bar.inkBounds?.y == 0...23)
    }

    @Test func `says what to install where a font is missing`() throws {
        let folder = try TemporaryFolder("fonts")
        let error = #expect(throws: PrinterFonts.Missing.self) { try PrinterFonts(folder: folder.path) }
        #expect(error?.description.contains("apt-get install xfonts-terminus xfonts-unifont") == true)
    }

    @Test func `a damaged font is an error, not an end`() throws {
        let folder = try TemporaryFolder("fonts")
        var random = SeededRandom(7)
        for round in 0..<60 {
            var bytes: [UInt8] =
                [1, 0x66, 0x63, 0x70, 8, 0, 0, 0] + (0..<400).map { _ in UInt8.random(in: 0...255, using: &random) }
            if round == 0 { bytes = [] }
            let path = try folder.write(bytes, to: "font.pcf.gz")
            if let font = try? FontFile(path: path) {
                for code in UInt32(0)...600 { _ = Unicode.Scalar(code).flatMap(font.glyph) }
            }
        }
    }
}
