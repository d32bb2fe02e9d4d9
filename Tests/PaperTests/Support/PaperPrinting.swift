import KioskPaperPictures

@testable import KioskSimulatedPaper

/// Prints with the real fonts and symbols.
func printed(
    _ bytes: [UInt8], as language: PaperLanguage = .escPOS, on model: PaperModel = .receipt80
) throws -> PrintedPaper {
    var printer = try ReceiptPrinter.forTests(language, model)
    return printer.print(bytes)
}

extension ReceiptPrinter {
    static func forTests(_ language: PaperLanguage = .escPOS, _ model: PaperModel = .receipt80) throws -> ReceiptPrinter
    {
        ReceiptPrinter(
            language, model, glyphs: try SharedFonts.fonts.get(), symbols: ZintSymbols(), wideText: IconvText())
    }
}

extension PaperPrinter {
    static func forTests() throws -> PaperPrinter {
        PaperPrinter(
            .receipt80, glyphs: try SharedFonts.fonts.get(), symbols: ZintSymbols(), wideText: IconvText(),
            unpacker: ZLibData())
    }
}

/// The fonts, read once for all tests.
enum SharedFonts {
    static let fonts = Result { try PrinterFonts() }
}

extension PrintedPaper {
    /// The meanings of the commands, without their offsets and parameters.
    var meanings: [String] {
        events.compactMap { if case .command(_, _, let meaning) = $0.kind { meaning } else { nil } }
    }

    var texts: [String] { events.compactMap { if case .text(let text) = $0.kind { text } else { nil } } }
}

extension Bitmap {
    /// The columns and rows of the black dots; nil for a blank picture.
    var inkBounds: (x: ClosedRange<Int>, y: ClosedRange<Int>)? {
        let rows = (0..<height).filter { row($0).contains { $0 != 0 } }
        let columns = (0..<width).filter { x in rows.contains { self[x, $0] } }
        guard let top = rows.first, let bottom = rows.last, let left = columns.first, let right = columns.last else {
            return nil
        }
        return (left...right, top...bottom)
    }

    /// `#` is black.
    var drawing: [String] { (0..<height).map { y in String((0..<width).map { self[$0, y] ? "#" : "." }) } }

    init(drawing: [String]) {
        self.init(width: drawing.first?.count ?? 0, height: drawing.count)
        for (y, line) in drawing.enumerated() {
            for (x, dot) in line.enumerated() where dot == "#" { self[x, y] = true }
        }
    }

    /// The columns in the form of bit-image commands: eight dots per byte, the top one in the highest bit.
    var columnBytes: [UInt8] {
        (0..<width).map { x in (0..<8).reduce(0) { $0 << 1 | (self[x, $1] ? 1 : 0) } }
    }

    /// The picture cropped to its black dots.
    var cutOut: Bitmap? {
        guard let ink = inkBounds else { return nil }
        var picture = Bitmap(width: ink.x.count, height: ink.y.count)
        picture.draw(self, x: -ink.x.lowerBound, y: -ink.y.lowerBound)
        return picture
    }
}
