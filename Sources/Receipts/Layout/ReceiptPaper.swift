/// What a layout must know of a printer: its paper and its fonts.
package struct ReceiptPaper: Hashable, Sendable {
    /// Across, where the head prints.
    package var dots: Int
    package var fonts: [ReceiptFont: Cell]
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

    package init(dots: Int, fonts: [ReceiptFont: Cell] = Self.usualFonts, lineGap: Int = 6, dotsPerMillimetre: Int = 8) {
        self.dots = max(dots, 1)
        self.fonts = fonts
        self.lineGap = max(lineGap, 0)
        self.dotsPerMillimetre = max(dotsPerMillimetre, 1)
    }

    /// As wide as so many characters of font A.
    package init(columns: Int) { self.init(dots: columns * 12) }

    /// Of printers with 203 dots an inch.
    package static let usualFonts: [ReceiptFont: Cell] = [.a: Cell(width: 12, height: 24), .b: Cell(width: 9, height: 17)]

    /// A printer without font B prints its text in font A.
    package func cell(of font: ReceiptFont) -> Cell { fonts[font] ?? fonts[.a] ?? Cell(width: 12, height: 24) }

    /// Characters a line, at least one.
    package func columns(of font: ReceiptFont) -> Int { max(dots / cell(of: font).width, 1) }
}
