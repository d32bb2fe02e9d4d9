package import SimulatedPaper

extension PaperPrinter {
    /// With the fonts of the system; throws where one is missing.
    package init(_ model: PaperModel) throws {
        self.init(model, glyphs: try PrinterFonts(), symbols: ZintSymbols(), wideText: IconvText())
    }
}
