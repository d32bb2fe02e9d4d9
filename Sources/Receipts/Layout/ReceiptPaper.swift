/// What a layout must know of a printer: its paper and its fonts.
package struct ReceiptPaper: Hashable, Sendable {
    /// Across, where the head prints.
    package var dots: Int
    package var fontA: Cell
    /// Nil where the printer has none: its text is printed in font A then.
    package var fontB: Cell?
    /// Empty dots below a line of text, where a receipt says nothing else.
    package var lineGap: Int
    package var dotsPerMillimetre: Int

    /// A character's box, in dots.
    package struct Cell: Hashable, Sendable {
        package var width: Int
        package var height: Int

        package init(width: Int, height: Int) {
            self.width = max(width, 1)
            self.height = max(height, 1)
        }
    }

    /// The fonts are usual for printers with 203 dots an inch.
    package init(
        dots: Int, fontA: Cell = Cell(width: 12, height: 24), fontB: Cell? = Cell(width: 9, height: 17),
        lineGap: Int = 6, dotsPerMillimetre: Int = 8
    ) {
        self.dots = max(dots, 1)
        self.fontA = fontA
        self.fontB = fontB
        self.lineGap = max(lineGap, 0)
        self.dotsPerMillimetre = max(dotsPerMillimetre, 1)
    }

    /// As wide as so many characters of font A.
    package init(columns: Int) { self.init(dots: columns * 12) }

    package func cell(of font: ReceiptFont) -> Cell {
        switch font {
        case .a: fontA
        case .b: fontB ?? fontA
        }
    }

    /// Characters a line, at least one.
    package func columns(of font: ReceiptFont) -> Int { max(dots / cell(of: font).width, 1) }
}
