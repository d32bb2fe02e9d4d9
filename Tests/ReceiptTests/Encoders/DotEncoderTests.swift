import KioskPaperPictures
import KioskPrintModel
import KioskSimulatedPaper
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Finished dots in the commands of each language, as printers that share no code with the encoders read them.
@Suite struct DotEncoderTests {
    /// White rows between black ones, a full row, and noise up to both edges.
    private static func dots(width: Int, height: Int, seed: UInt64) -> DotMatrix {
        var random = SeededRandom(seed)
        var dots = DotMatrix(width: width, height: height)
        for y in 0..<height {
            switch y % 37 {
            case 0..<20: continue
            case 20: for x in 0..<width { dots[x, y] = true }
            default: for x in 0..<width where random.next() & 7 == 0 { dots[x, y] = true }
            }
        }
        dots[0, 0] = true
        dots[width - 1, height - 1] = true
        return dots
    }

    private static func bitmap(_ dots: DotMatrix) -> Bitmap {
        Bitmap(width: dots.width, height: dots.height, rows: dots.bytes)
    }

    static let rolls: [(String, PrintingSettings, PaperLanguage)] = [
        ("GS v 0", PrintingSettings(language: .escPOS, dots: 576), .escPOS),
        ("GS ( L", PrintingSettings(language: .escPOS, dots: 384, raster: .init(method: .gsL)), .escPOS),
        ("ESC *", PrintingSettings(language: .escPOS, dots: 512, raster: .init(method: .columns)), .escPOS),
        ("StarPRNT", PrintingSettings(language: .starPRNT, dots: 576), .star),
        ("Star Line", PrintingSettings(language: .starLine, dots: 576), .star),
        ("Star raster", PrintingSettings(language: .starRaster, dots: 576), .star),
    ]

    @Test(arguments: rolls.indices) func `a receipt printer puts the same dots on its paper, and cuts behind them`(
        _ index: Int
    ) throws {
        var (_, settings, language) = Self.rolls[index]
        settings.cuts = [.full, .partial]
        let encoder = try #require(DotEncoder(ReceiptTarget(settings)))
        // A multiple of the strips of ESC *, which are longer otherwise.
        let dots = Self.dots(width: settings.dots, height: 312, seed: UInt64(index))
        var model = PaperModel()
        model.width = settings.dots
        var printer = try PaperPrinter(model)
        let paper = try #require(
            printer.print(try encoder.bytes(of: dots, cut: .partial), as: language).first)
        #expect(paper.faults.map(\.line) == [])
        #expect(paper.cuts.map(\.isPartial) == [true])
        var printed = Bitmap(width: dots.width, height: dots.height)
        for y in 0..<dots.height {
            for x in 0..<dots.width where paper.picture[model.margin + x, y] { printed[x, y] = true }
        }
        #expect(printed.difference(from: Self.bitmap(dots)) == nil)
        // The same once more behind it, with what the first left in the printer.
        let twice = try encoder.bytes(of: dots, cut: .full) + encoder.bytes(of: dots, cut: nil)
        let papers = printer.print(twice, as: language)
        #expect(papers.flatMap(\.faults).isEmpty)
        #expect(papers.flatMap(\.cuts).map(\.isPartial) == [false])
    }

    static let labels: [(LabelCapabilities.Language, Int?)] = [
        (.zpl, 600), (.zpl, nil), (.epl, 600), (.epl, nil), (.tspl, 600), (.tspl, nil),
    ]

    @Test(arguments: labels.indices) func `a label printer puts the same dots on each label`(_ index: Int) throws {
        let (language, length) = Self.labels[index]
        let dots = Self.dots(width: 812, height: 600, seed: UInt64(index) + 10)
        let encoder = try #require(
            DotEncoder(
                .label(LabelCapabilities(paper: ReceiptPaper(dots: 812), language: language, labelLength: length))))
        let bytes = try encoder.bytes(of: dots, cut: .partial) + encoder.bytes(of: dots, cut: nil)
        guard language == .zpl else {
            let reader = LabelReader(bytes, width: 812, height: 600)
            #expect(reader.labels == [Self.bitmap(dots), Self.bitmap(dots)])
            return
        }
        var model = PaperModel()
        model.width = 812
        var printer = try PaperPrinter(model)
        let papers = printer.print(bytes, as: .zpl)
        #expect(papers.count == 2)
        for paper in papers {
            #expect(paper.faults.map(\.line) == [])
            #expect(paper.picture.difference(from: Self.bitmap(dots)) == nil)
        }
    }

    /// Two rows of eight dots, far from each other.
    private static var few: DotMatrix {
        var dots = DotMatrix(width: 16, height: 30)
        for x in 0..<8 {
            dots[x, 0] = true
            dots[x + 8, 29] = x % 2 == 0
        }
        return dots
    }

    static let commands: [(PrintingSettings, [UInt8])] = [
        (
            PrintingSettings(language: .escPOS, dots: 16, cuts: [.partial]),
            [0x1B, 0x40, 0x1D, 0x76, 0x30, 0, 1, 0, 1, 0, 0xFF, 0x1B, 0x4A, 28, 0x1D, 0x76, 0x30, 0, 2, 0, 1, 0]
                + [0, 0xAA, 0x1D, 0x56, 66, 0]
        ),
        (
            PrintingSettings(language: .starPRNT, dots: 16, cuts: [.partial]),
            [0x1B, 0x40, 0x1B, 0x1D, 0x53, 1, 1, 0, 1, 0, 0, 0xFF, 0x1B, 0x49, 28, 0x1B, 0x1D, 0x53, 1, 2, 0, 1, 0, 0]
                + [0, 0xAA, 0x1B, 0x64, 3]
        ),
        (
            PrintingSettings(language: .zpl, dots: 16),
            Array(
                """
                ^XA
                ^PW16
                ^LL30
                ^LH0,0
                ^MNN
                ^FO0,0^GFA,1,1,1,HF^FS
                ^FO0,29^GFA,2,2,2,H0HA^FS
                ^XZ

                """.utf8)
        ),
        (
            PrintingSettings(language: .epl2, dots: 16),
            Array("\nN\nq16\nQ30,0\nGW0,0,1,1,".utf8) + [0] + Array("\r\nGW0,29,2,1,".utf8) + [0xFF, 0x55]
                + Array("\r\nP1\n".utf8)
        ),
        (
            PrintingSettings(language: .tspl, dots: 16),
            Array(
                "SIZE 2 mm,3.8 mm\r\nGAP 0 mm,0 mm\r\nDIRECTION 0\r\nREFERENCE 0,0\r\nCLS\r\nBITMAP 0,0,1,1,0,".utf8)
                + [0] + Array("\r\nBITMAP 0,29,2,1,0,".utf8) + [0xFF, 0x55] + Array("\r\nPRINT 1,1\r\n".utf8)
        ),
    ]

    @Test(arguments: commands.indices) func `the commands are those of receipts, with no text`(_ index: Int) throws {
        let (settings, bytes) = Self.commands[index]
        let encoder = try #require(DotEncoder(ReceiptTarget(settings)))
        #expect(try encoder.bytes(of: Self.few, cut: .partial) == bytes)
    }

    @Test func `printers without pictures and printers of pages have none`() throws {
        #expect(DotEncoder(ReceiptTarget(PrintingSettings(language: .escPOS, dots: 576, textOnly: true))) == nil)
        for language in [PrintingSettings.Language.text, .raster] {
            #expect(DotEncoder(ReceiptTarget(PrintingSettings(language: language, dots: 576))) == nil)
        }
    }

    @Test func `what is longer than a label is refused, and not printed over several`() throws {
        let encoder = try #require(
            DotEncoder(.label(LabelCapabilities(paper: ReceiptPaper(dots: 800), language: .zpl, labelLength: 400))))
        #expect(throws: ReceiptError.self) { try encoder.bytes(of: DotMatrix(width: 800, height: 401), cut: nil) }
    }

    @Test func `a part of the dots is the same dots, and white outside of them`() throws {
        let dots = Self.dots(width: 61, height: 75, seed: 3)
        let part = dots.part(x: 5..<70, y: -2..<80)
        #expect(part.width == 65 && part.height == 82)
        for y in 0..<82 { for x in 0..<65 { #expect(part[x, y] == dots[x + 5, y - 2]) } }
        #expect(dots.part(x: 0..<61, y: 0..<75) == dots)
        #expect(dots.inkedRows == 0..<75)
        #expect(dots.part(x: 0..<61, y: 1..<75).inkedRows == 19..<74)
        #expect(DotMatrix(width: 8, height: 9).inkedRows.isEmpty)
    }
}
