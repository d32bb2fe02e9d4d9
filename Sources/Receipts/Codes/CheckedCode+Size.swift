extension CheckedCode {
    /// In dots. Of a code that the printer draws this is the most that it takes.
    struct Size {
        var width: Int
        var height: Int
        /// White above and below.
        var margin: Int
        var scale: Int
        var columns = 0
    }

    /// Narrower than this, thermal printers do not print reliably at 8 dots a millimetre.
    private static let smallestScale = 2

    /// At the scale that was asked for, or a smaller one that fits; nil where none does.
    func size(_ code: ReceiptCode, within dots: Int) -> Size? {
        let asked = code.symbology.isTwoDimensional ? code.cell : code.module
        guard asked >= Self.smallestScale else { return nil }
        for scale in (Self.smallestScale...asked).reversed() {
            switch kind {
            case .qr(let version):
                let side = QRCapacity.side(version: version) * scale
                // ISO/IEC 18004 §6.3.8: four cells.
                if side <= dots { return Size(width: side, height: side, margin: 4 * scale, scale: scale) }
            case .dataMatrix(let side):
                if side * scale <= dots {
                    return Size(width: side * scale, height: side * scale, margin: 2 * scale, scale: scale)
                }
            case .pdf417(let codewords, _):
                if let size = pdf417(codewords, scale, dots) { return size }
            default:
                let width = barcodeWidth(module: scale)
                if width <= dots { return Size(width: width, height: code.height, margin: 0, scale: scale) }
            }
        }
        return nil
    }

    /// Throws where it is wider than so many dots even at its smallest; nil where the paper is not known.
    func check(_ code: ReceiptCode, fits dots: Int?) throws(ReceiptError) {
        guard let dots, size(code, within: dots) == nil else { return }
        throw Self.tooWide
    }

    static let tooWide = ReceiptError(
        .doesNotFit, "the code is wider than the paper, even at its smallest",
        instead: "less data, or print it on wider paper")

    /// A row is three modules high, as the standard wants it at least.
    package static let pdf417RowHeight = 3

    /// As square as may be: fewer columns, as long as its rows suffice and it is wider than high.
    private func pdf417(_ codewords: Int, _ scale: Int, _ dots: Int) -> Size? {
        var best: Size?
        for columns in MatrixCapacity.columns {
            let width = MatrixCapacity.pdf417Width(columns: columns) * scale
            let rows = max((codewords + columns - 1) / columns, MatrixCapacity.rows.lowerBound)
            guard width <= dots, rows <= MatrixCapacity.rows.upperBound else { continue }
            best = Size(
                width: width, height: rows * Self.pdf417RowHeight * scale, margin: 2 * scale, scale: scale,
                columns: columns)
            if let best, best.width >= 2 * best.height { break }
        }
        return best
    }

    /// Of a wide bar or space in a code of two widths, in dots. Epson's printers draw them at 2.5 to 2.7 times the
    /// narrow ones (ESC/POS reference, GS w).
    package static func wideBar(module: Int) -> Int { module == 3 ? 8 : module * 5 / 2 }

    /// Bars and spaces without the white at both ends.
    private func barcodeWidth(module: Int) -> Int {
        let wide = Self.wideBar(module: module)
        let count = text.utf8.count
        switch kind {
        case .upcA, .ean13: return 95 * module
        case .upcE: return 51 * module
        case .ean8: return 67 * module
        case .code39: return (count + 2) * (7 * module + 3 * wide) - module
        case .itf: return count * (3 * module + 2 * wide) + 6 * module + wide
        case .codabar:
            let narrow = text.utf8.filter {
                (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "$")
            }.count
            return count * (5 * module + 3 * wide) - narrow * (wide - module) - module
        case .code93:
            return (text.utf8.reduce(4) { $0 + (Self.code39Characters.contains($1) ? 1 : 2) } * 9 + 1) * module
        case .code128(let codewords): return Code128.width(codewords) * module
        case .qr, .pdf417, .dataMatrix: return 0
        }
    }
}
