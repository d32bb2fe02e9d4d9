/// A code whose data is valid for its symbology, with what determines its size.
package struct CheckedCode: Hashable, Sendable {
    package var kind: Kind
    /// The encoded data, including the check digit where the symbology has a visible one.
    package var text: String

    package enum Kind: Hashable, Sendable {
        case upcA, upcE, ean13, ean8, code39, itf, codabar, code93
        case code128([Code128.Codeword])
        case qr(version: Int)
        case pdf417(codewords: Int, level: Int)
        case dataMatrix(side: Int)
    }

    /// Validates a code. Throws what is wrong with its data, and what to write instead.
    package init(_ code: ReceiptCode) throws(ReceiptError) {
        let data = code.data
        guard !data.isEmpty else { throw Self.invalid("the code has no data", "its data") }
        guard data.utf8.count <= ReceiptCode.maximumDataLength else {
            throw Self.invalid("the code's data has more than \(ReceiptCode.maximumDataLength) bytes", "less data")
        }
        switch code.symbology {
        case .upc: (kind, text) = try GTIN.upc(data)
        case .ean: (kind, text) = try GTIN.ean(data)
        case .code39: (kind, text) = (.code39, try Self.code39(data))
        case .itf: (kind, text) = (.itf, try Self.itf(data))
        case .codabar: (kind, text) = (.codabar, try Self.codabar(data))
        case .code93: (kind, text) = (.code93, try Self.ascii(data, "Code 93"))
        case .code128: (kind, text) = (.code128(Code128.codewords(try Self.ascii(data, "Code 128").utf8)), data)
        case .qrcode: (kind, text) = (.qr(version: try QRCapacity.version(for: data, code.level)), data)
        case .pdf417: (kind, text) = (try PDF417Capacity.kind(for: data), data)
        case .datamatrix: (kind, text) = (.dataMatrix(side: try DataMatrixCapacity.side(for: data)), data)
        }
        try checkLength()
    }

    /// The longest data of a barcode in bytes: GS k states the length in one byte.
    private static let maximumBarcodeLength = 255

    private func checkLength() throws(ReceiptError) {
        let length =
            switch kind {
            case .code128(let codewords): Code128.escPos(codewords).count
            case .qr, .pdf417, .dataMatrix: 0
            default: text.utf8.count
            }
        guard length <= Self.maximumBarcodeLength else {
            throw Self.invalid("the barcode's data is too long to be printed", "at most about 100 characters")
        }
    }

    /// The error for data that a code cannot hold.
    static func invalid(_ message: String, _ instead: String) -> ReceiptError {
        ReceiptError(.code, message, instead: instead)
    }

    private static func ascii(_ data: String, _ name: String) throws(ReceiptError) -> String {
        guard data.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw invalid("\(name) holds ASCII characters only", "the data without other characters, or use a QR code")
        }
        return data
    }

    private static func code39(_ data: String) throws(ReceiptError) -> String {
        let hasStars = data.utf8.count > 2 && data.hasPrefix("*") && data.hasSuffix("*")
        let text = hasStars ? String(data.dropFirst().dropLast()) : data
        guard text.utf8.allSatisfy(code39Characters.contains) else {
            throw invalid(
                "Code 39 holds digits, capital letters and -. $/+% only",
                "the data in these characters, or use Code 128")
        }
        return text
    }

    private static let code39Characters = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%".utf8)

    private static func itf(_ data: String) throws(ReceiptError) -> String {
        guard data.isDigits, data.utf8.count.isMultiple(of: 2) else {
            throw invalid(
                "Interleaved 2 of 5 holds digits only, and an even number of them", "the digits with a 0 in front")
        }
        return data
    }

    private static func codabar(_ data: String) throws(ReceiptError) -> String {
        let text = data.uppercased()
        let letters = Set("ABCD".utf8)
        let inner = Set("0123456789-$:/.+".utf8)
        guard text.utf8.count >= 3, let first = text.utf8.first, let last = text.utf8.last, letters.contains(first),
            letters.contains(last), text.utf8.dropFirst().dropLast().allSatisfy(inner.contains)
        else {
            throw invalid("Codabar holds digits and -$:/.+ between two letters from A to D", "for example A12345B")
        }
        return text
    }

    /// The size of a code in dots. A code that the printer draws takes at most this size.
    struct Size {
        var width: Int
        var height: Int
        /// The quiet zone above and below.
        var margin: Int
        var scale: Int
        var columns = 0
    }

    /// The narrowest module that thermal printers with 8 dots per millimetre print reliably.
    private static let smallestScale = 2

    /// The size at the requested scale, or at a smaller one that fits. Nil where none fits.
    func size(_ code: ReceiptCode, within dots: Int) -> Size? {
        let requested = code.symbology.isTwoDimensional ? code.cell : code.module
        guard requested >= Self.smallestScale else { return nil }
        for scale in (Self.smallestScale...requested).reversed() {
            switch kind {
            case .qr(let version):
                let side = QRCapacity.side(version: version) * scale
                // The quiet zone is four cells wide (ISO/IEC 18004 §6.3.8).
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

    /// Throws where the code is wider than `dots` even at its smallest. `dots` is nil where no paper is known.
    func check(_ code: ReceiptCode, fits dots: Int?) throws(ReceiptError) {
        guard let dots, size(code, within: dots) == nil else { return }
        throw Self.tooWide
    }

    /// The error for a code that does not fit.
    static let tooWide = ReceiptError(
        .doesNotFit, "the code is wider than the paper, even at its smallest",
        instead: "less data, or print it on wider paper")

    /// The height of a row in modules, the least that the standard allows.
    package static let pdf417RowHeight = 3

    /// The size with the fewest columns at which the code is at least twice as wide as high, or else with the most
    /// columns that fit.
    private func pdf417(_ codewords: Int, _ scale: Int, _ dots: Int) -> Size? {
        var best: Size?
        for columns in PDF417Capacity.columns {
            let width = PDF417Capacity.width(columns: columns) * scale
            let rows = max((codewords + columns - 1) / columns, PDF417Capacity.rows.lowerBound)
            guard width <= dots, rows <= PDF417Capacity.rows.upperBound else { continue }
            best = Size(
                width: width, height: rows * Self.pdf417RowHeight * scale, margin: 2 * scale, scale: scale,
                columns: columns)
            if let best, best.width >= 2 * best.height { break }
        }
        return best
    }

    /// The dots of a wide bar or space in a code of two widths. Epson's printers draw wide ones 2.5 to 2.7 times as
    /// wide as narrow ones (ESC/POS reference, GS w).
    package static func wideBar(module: Int) -> Int { module == 3 ? 8 : module * 5 / 2 }

    /// The width of the bars and spaces, without the quiet zones at both ends.
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

extension String {
    /// Whether the string is one or more ASCII digits.
    var isDigits: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
