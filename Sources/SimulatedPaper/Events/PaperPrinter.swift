/// A printer of every language that is read here. What it was given to keep lasts from job to job.
package struct PaperPrinter {
    private var escPOS: ReceiptPrinter
    private var star: ReceiptPrinter
    private var label: LabelPrinter

    package init(_ model: PaperModel, glyphs: any GlyphSource, symbols: any SymbolSource, wideText: any WideTextDecoder)
    {
        escPOS = ReceiptPrinter(.escPOS, model, glyphs: glyphs, symbols: symbols, wideText: wideText)
        star = ReceiptPrinter(.star, model, glyphs: glyphs, symbols: symbols, wideText: wideText)
        label = LabelPrinter(model, glyphs: glyphs, symbols: symbols)
    }

    /// A picture for each label or page; a receipt is one.
    package mutating func print(_ bytes: [UInt8], as language: PaperLanguage) -> [PrintedPaper] {
        switch language {
        case .escPOS: [escPOS.print(bytes)]
        case .star: [star.print(bytes)]
        case .zpl: label.print(bytes)
        case .pwg, .urf: RasterReader.print(bytes, as: language)
        }
    }

    /// No picture is higher.
    package static func tallestPicture(_ model: PaperModel) -> Int {
        max(model.longestPaper, LabelPrinter.tallest, RasterReader.tallest)
    }
}
