import KioskSimulatedPaper

/// What must hold for whatever a simulated printer receives, in each of its languages.
enum PaperProperties {
    /// Short, so that a job that only feeds takes no time.
    private static let model: PaperModel = {
        var model = PaperModel()
        model.width = 200
        model.maximumPaperLength = 400
        return model
    }()

    static func check(_ bytes: [UInt8]) {
        var printer = PaperPrinter(
            model, glyphs: NoGlyphs(), symbols: FullSymbols(), wideText: NoWideText(), unpacker: NoData())
        for language in PaperLanguage.allCases {
            for paper in printer.print(bytes, as: language) { check(paper, bytes.count) }
        }
    }

    private static func check(_ paper: PrintedPaper, _ count: Int) {
        guard paper.picture.height <= PaperPrinter.maximumPictureHeight(model),
            paper.picture.bytes.count == paper.picture.stride * paper.picture.height
        else { fatalError("a picture without a bound") }
        guard paper.events.count <= 2 * count + 8 else { fatalError("more events than bytes") }
        guard zip(paper.events, paper.events.dropFirst()).allSatisfy({ $0.offset <= $1.offset }) else {
            fatalError("events out of order")
        }
        guard paper.events.allSatisfy({ $0.offset <= count }) else { fatalError("an event beyond the end") }
        let dump = paper.dump.unicodeScalars
        guard dump.allSatisfy({ $0 == "\n" || $0.properties.generalCategory != .control }) else {
            fatalError("a dump that a terminal obeys")
        }
    }
}

private struct NoGlyphs: GlyphSource {
    func glyph(_ scalar: Unicode.Scalar, width: Int, height: Int) -> Bitmap? { nil }
}

private struct NoWideText: WideTextDecoder {
    func scalar(_ bytes: [UInt8], in set: WideCharacterSet) -> Unicode.Scalar? { nil }
}

private struct NoData: DataUnpacker {
    func unpacked(_ bytes: [UInt8], limit: Int) -> [UInt8]? { nil }
}

/// As large as the data, more or less.
private struct FullSymbols: SymbolSource {
    func modules(_ symbol: MatrixSymbol) -> Bitmap? {
        symbol.data.count > 100
            ? nil : Bitmap(width: 21 + symbol.data.count, height: 21, rows: [UInt8](repeating: 0xFF, count: 60))
    }
}
