import CKioskZint
package import KioskSimulatedPaper

/// Draws two-dimensional symbols and GS1 DataBar with libzint, whose encoders are tested with the standards' examples.
package struct ZintSymbols: SymbolSource {
    /// The longest data; no symbology holds more.
    private static let maximumDataLength = 8000

    package init() {}

    package func modules(_ symbol: MatrixSymbol) -> Bitmap? {
        guard !symbol.data.isEmpty, symbol.data.count <= Self.maximumDataLength, let zint = ZBarcode_Create() else {
            return nil
        }
        defer { ZBarcode_Delete(zint) }
        zint.pointee.input_mode = DATA_MODE
        set(symbol.kind, on: zint)
        if case .maxiCode(_, let dotsPerInch) = symbol.kind {
            return MaxiCodePicture.draw(zint, symbol.data, dotsPerInch: dotsPerInch)
        }
        guard ZBarcode_Encode(zint, symbol.data, Int32(symbol.data.count)) < ZINT_ERROR else { return nil }
        let width = Int(zint.pointee.width)
        let heights = (0..<zint.pointee.rows).map {
            symbol.kind.hasUnequalRows ? max(1, Int(czint_row_height(zint, $0).rounded())) : 1
        }
        var picture = Bitmap(width: width, height: heights.reduce(0, +))
        var y = 0
        for (row, height) in heights.enumerated() {
            for x in 0..<width where czint_module(zint, Int32(row), Int32(x)) == 1 {
                for line in y..<y + height { picture[x, line] = true }
            }
            y += height
        }
        return picture
    }

    private func set(_ kind: MatrixSymbol.Kind, on zint: UnsafeMutablePointer<zint_symbol>) {
        switch kind {
        case .qr(let level):
            zint.pointee.symbology = BARCODE_QRCODE
            zint.pointee.option_1 = Int32(level)
        case .microQR(let level):
            zint.pointee.symbology = BARCODE_MICROQR
            zint.pointee.option_1 = Int32(level)
        case .pdf417(let columns, let level, let isTruncated):
            zint.pointee.symbology = isTruncated ? BARCODE_PDF417COMP : BARCODE_PDF417
            zint.pointee.option_1 = Int32(level)
            zint.pointee.option_2 = Int32(columns)
        case .dataMatrix(let isSquare):
            zint.pointee.symbology = BARCODE_DATAMATRIX
            if isSquare { zint.pointee.option_3 = DM_SQUARE }
        case .aztec(let size):
            zint.pointee.symbology = BARCODE_AZTEC
            switch size {
            // libzint's four levels: at least 10, 23, 36 and 50 percent.
            case .automatic(let percent):
                zint.pointee.option_1 = Int32([10, 23, 36].firstIndex { percent <= $0 }.map { $0 + 1 } ?? 4)
            // 1 to 4 are compact, 5 to 36 full range.
            case .compact(let layers): zint.pointee.option_2 = Int32(layers)
            case .fullRange(let layers): zint.pointee.option_2 = Int32(layers + 4)
            }
        case .maxiCode(let header, _):
            zint.pointee.symbology = BARCODE_MAXICODE
            zint.pointee.option_1 = Int32(header.mode)
            if let carrier = header.carrier {
                let primary = Array((carrier.postalCode + carrier.country + carrier.service).utf8CString)
                withUnsafeMutableBytes(of: &zint.pointee.primary) { target in
                    primary.withUnsafeBytes { target.copyBytes(from: $0.prefix(target.count - 1)) }
                }
            }
        case .dataBarOmni: zint.pointee.symbology = BARCODE_DBAR_OMN
        case .dataBarLimited: zint.pointee.symbology = BARCODE_DBAR_LTD
        case .dataBarExpanded:
            zint.pointee.symbology = BARCODE_DBAR_EXP
            zint.pointee.input_mode = GS1_MODE | GS1PARENS_MODE
        case .dataBarStacked: zint.pointee.symbology = BARCODE_DBAR_STK
        case .dataBarStackedOmni: zint.pointee.symbology = BARCODE_DBAR_OMNSTK
        case .dataBarExpandedStacked(let columns):
            zint.pointee.symbology = BARCODE_DBAR_EXPSTK
            zint.pointee.option_2 = Int32(min(11, columns))
            zint.pointee.input_mode = GS1_MODE | GS1PARENS_MODE
        }
    }
}

extension MatrixSymbol.Kind {
    /// Whether the rows have several heights: separators are lower than what they separate.
    fileprivate var hasUnequalRows: Bool {
        switch self {
        case .dataBarStacked, .dataBarStackedOmni, .dataBarExpandedStacked: true
        default: false
        }
    }
}
