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
        case .aztec: zint.pointee.symbology = BARCODE_AZTEC
        case .dataBarOmni: zint.pointee.symbology = BARCODE_DBAR_OMN
        case .dataBarLimited: zint.pointee.symbology = BARCODE_DBAR_LTD
        case .dataBarExpanded:
            zint.pointee.symbology = BARCODE_DBAR_EXP
            zint.pointee.input_mode = GS1_MODE | GS1PARENS_MODE
        case .dataBarStacked: zint.pointee.symbology = BARCODE_DBAR_STK
        case .dataBarStackedOmni: zint.pointee.symbology = BARCODE_DBAR_OMNSTK
        case .dataBarExpandedStacked:
            zint.pointee.symbology = BARCODE_DBAR_EXPSTK
            zint.pointee.input_mode = GS1_MODE | GS1PARENS_MODE
        }
    }
}

extension MatrixSymbol.Kind {
    /// Whether the separators between the rows are lower than the rows.
    fileprivate var hasUnequalRows: Bool {
        switch self {
        case .dataBarStacked, .dataBarStackedOmni, .dataBarExpandedStacked: true
        default: false
        }
    }
}
