/// A printer's own font: the size of its cells in dots.
struct PrinterFont: Hashable, Sendable {
    var name: String
    var width: Int
    var height: Int
    /// Rows of the cell below the baseline.
    var descent: Int

    /// As in Epson's TM-T and TM-m series.
    static let a = PrinterFont(name: "A", width: 12, height: 24, descent: 3)
    static let b = PrinterFont(name: "B", width: 9, height: 17, descent: 2)
    static let kanji = PrinterFont(name: "Kanji A", width: 24, height: 24, descent: 3)

    /// `ESC M` and `GS f`; nil where this printer has none of that number.
    static func numbered(_ number: Int) -> PrinterFont? {
        switch number {
        case 0, 48: .a
        case 1, 49: .b
        default: nil
        }
    }
}
