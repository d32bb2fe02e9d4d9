/// A label printer, or one for labels on a roll, that takes pictures only.
package struct LabelPrinter: Hashable, Sendable {
    package var paper: ReceiptPaper
    package var language: Language
    /// Of a label, in dots; nil where the roll has no labels and paper is as long as what is printed.
    package var labelLength: Int?
    /// Between two labels, in dots.
    package var labelGap: Int
    package var hasCutter: Bool
    /// In the printer's language; nil leaves what the printer is set to.
    package var darkness: Int?
    /// Inches a second; nil leaves what the printer is set to.
    package var speed: Int?

    package enum Language: String, Hashable, Sendable, CaseIterable {
        /// ZPL II (Zebra).
        case zpl
        /// EPL2 (Eltron, Zebra).
        case epl
        /// TSPL (TSC).
        case tspl
    }

    package init(
        paper: ReceiptPaper, language: Language, labelLength: Int? = nil, labelGap: Int = 24, hasCutter: Bool = false,
        darkness: Int? = nil,
        speed: Int? = nil
    ) {
        self.paper = paper
        self.language = language
        self.labelLength = labelLength
        self.labelGap = labelGap
        self.hasCutter = hasCutter
        (self.darkness, self.speed) = (darkness, speed)
    }

    /// Each page is a label.
    func steps(_ pages: [ReceiptPicture.Page]) throws(ReceiptError) -> [EncodedStep] {
        var steps: [EncodedStep] = []
        for page in pages {
            if let labelLength, page.matrix.height > labelLength {
                throw ReceiptError(
                    .doesNotFit,
                    "a label of \(page.matrix.height / paper.dotsPerMillimetre) mm does not fit one of \(labelLength / paper.dotsPerMillimetre) mm",
                    instead: "less, or cuts between labels")
            }
            if !page.commands.isEmpty { steps.append(EncodedStep(raw: page.commands)) }
            let isCut = hasCutter && (page.end == .full || page.end == .partial)
            switch language {
            case .zpl: steps += zpl(page.matrix, isCut: isCut)
            case .epl: steps += epl(page.matrix, isCut: isCut)
            case .tspl: steps += tspl(page.matrix, isCut: isCut)
            }
        }
        return steps
    }
}
