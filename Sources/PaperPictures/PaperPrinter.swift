package import SimulatedPaper

/// A printer of every language that is read here. What it was given to keep lasts from job to job.
package struct PaperPrinter {
    private var escPOS: ESCPOSPrinter

    /// Throws where a font is missing.
    package init(_ model: PaperModel) throws {
        escPOS = ESCPOSPrinter(model, glyphs: try PrinterFonts(), symbols: ZintSymbols(), wideText: IconvText())
    }

    /// One paper for each page; receipts are one.
    package mutating func print(_ bytes: [UInt8], as language: PaperLanguage) -> [PrintedPaper] {
        switch language {
        case .escPOS: [escPOS.print(bytes)]
        }
    }
}
