import CKioskZint
package import KioskDrawingMessages
package import KioskReceipts

/// Draws barcodes and two-dimensional codes with libzint, each module as many dots wide as the request says.
package enum CodeRenderer {
    package static func draw(_ code: DrawnCode, width: Int, height: Int) throws(DrawingRefusal) -> DotMatrix {
        if code.symbology == .gs1128 { return try gs1Code128(code, width: width, height: height) }
        guard let zint = ZBarcode_Create() else { throw DrawingRefusal(.drawing, "libzint could not be started") }
        defer { ZBarcode_Delete(zint) }
        zint.pointee.input_mode = DATA_MODE
        set(code, width: width, on: zint)
        let data = Array(try message(of: code, on: zint).utf8)
        // zint would encode another number of digits as an add-on to another code.
        guard !data.isEmpty, code.symbology != .ean || data.count == 8 || data.count == 13,
            ZBarcode_Encode(zint, data, Int32(data.count)) < ZINT_ERROR
        else {
            let reason = czint_error(zint).map { String(cString: $0) } ?? ""
            throw DrawingRefusal(
                .code, "the \(code.symbology.rawValue) code cannot be drawn" + (reason.isEmpty ? "" : " (\(reason))"))
        }
        if [.maxicode, .maxicodeCarrier].contains(code.symbology) {
            return try maxiCode(zint, pitch: code.scale, width: width, height: height)
        }
        let columns = code.symbology.columns(zint, scale: code.scale)
        let rowHeights = (0..<Int(zint.pointee.rows)).map {
            code.symbology.rowHeight($0, zint, scale: code.scale, height: height)
        }
        let (drawnWidth, drawnHeight) = (columns.reduce(0, +), rowHeights.reduce(0, +))
        guard drawnWidth <= width, drawnHeight <= height else {
            throw DrawingRefusal(
                .code,
                "the \(code.symbology.rawValue) code takes \(drawnWidth) × \(drawnHeight) dots and has room for \(width) × \(height)"
            )
        }
        var matrix = DotMatrix(width: width, height: height)
        let left = (width - drawnWidth) / 2
        var top = (height - drawnHeight) / 2
        for (row, rowHeight) in rowHeights.enumerated() {
            var x = left
            for (column, dots) in columns.enumerated() {
                if czint_module(zint, Int32(row), Int32(column)) == 1 {
                    for y in top..<top + rowHeight {
                        for dot in x..<x + dots { matrix[dot, y] = true }
                    }
                }
                x += dots
            }
            top += rowHeight
        }
        return matrix
    }

    /// The data for libzint. Of a carrier's MaxiCode, the fields before the message are set by themselves.
    private static func message(
        of code: DrawnCode, on zint: UnsafeMutablePointer<zint_symbol>
    ) throws(DrawingRefusal) -> String {
        guard code.symbology == .maxicodeCarrier else { return code.text }
        let checked: CheckedCode
        do { checked = try CheckedCode(ReceiptCode(code.text, .maxicodeCarrier)) } catch {
            throw DrawingRefusal(.code, error.message)
        }
        guard case .maxiCodeCarrier(let carrier) = checked.kind else {
            throw DrawingRefusal(.code, "the maxicode-carrier code cannot be drawn")
        }
        zint.pointee.option_1 = Int32(carrier.mode)
        let primary = Array((carrier.postalCode + carrier.country + carrier.service).utf8CString)
        withUnsafeMutableBytes(of: &zint.pointee.primary) { target in
            primary.withUnsafeBytes { target.copyBytes(from: $0.prefix(target.count - 1)) }
        }
        return carrier.message
    }

    private static func set(_ code: DrawnCode, width: Int, on zint: UnsafeMutablePointer<zint_symbol>) {
        let modules = width / max(code.scale, 1)
        switch code.symbology {
        case .upc: zint.pointee.symbology = code.text.utf8.count > 8 ? BARCODE_UPCA : BARCODE_UPCE
        // The data includes its check digit, which zint verifies.
        case .ean: zint.pointee.symbology = BARCODE_EANX_CHK
        case .code39: zint.pointee.symbology = BARCODE_CODE39
        case .itf: zint.pointee.symbology = BARCODE_C25INTER
        case .codabar: zint.pointee.symbology = BARCODE_CODABAR
        case .code93: zint.pointee.symbology = BARCODE_CODE93
        case .code128: zint.pointee.symbology = BARCODE_CODE128
        case .qrcode:
            zint.pointee.symbology = BARCODE_QRCODE
            zint.pointee.option_1 = Int32(1 + (ReceiptCode.CorrectionLevel.allCases.firstIndex(of: code.level) ?? 0))
            // The largest version that fits: version 1 has 21 modules on a side, each further version four more.
            if (21...177).contains(modules) { zint.pointee.option_2 = Int32((modules - 17) / 4) }
        case .pdf417:
            zint.pointee.symbology = BARCODE_PDF417
            zint.pointee.option_2 = Int32(code.columns)
        case .datamatrix:
            zint.pointee.symbology = BARCODE_DATAMATRIX
            zint.pointee.option_3 = DM_SQUARE
        // Drawn without libzint.
        case .gs1128: break
        case .databar: zint.pointee.symbology = BARCODE_DBAR_OMN
        case .databarStacked: zint.pointee.symbology = BARCODE_DBAR_STK
        case .databarStackedOmnidirectional: zint.pointee.symbology = BARCODE_DBAR_OMNSTK
        case .databarExpandedStacked:
            zint.pointee.symbology = BARCODE_DBAR_EXPSTK
            zint.pointee.option_2 = Int32(code.columns)
            zint.pointee.input_mode = GS1_MODE | GS1PARENS_MODE | GS1NOCHECK_MODE
        case .maxicodeCarrier: zint.pointee.symbology = BARCODE_MAXICODE
        case .databarExpanded:
            zint.pointee.symbology = BARCODE_DBAR_EXP
            // The receipt's own check has passed the identifiers: libzint knows fewer of them.
            zint.pointee.input_mode = GS1_MODE | GS1PARENS_MODE | GS1NOCHECK_MODE
        case .aztec:
            zint.pointee.symbology = BARCODE_AZTEC
            zint.pointee.option_2 = Int32(code.columns)
        case .maxicode:
            zint.pointee.symbology = BARCODE_MAXICODE
            // The mode for any text.
            zint.pointee.option_1 = 4
        }
    }

    private static func gs1Code128(
        _ code: DrawnCode, width: Int, height: Int
    ) throws(DrawingRefusal) -> DotMatrix {
        let checked: CheckedCode
        do { checked = try CheckedCode(ReceiptCode(code.text, .gs1128)) } catch {
            throw DrawingRefusal(.code, error.message)
        }
        guard case .gs1Code128(let codewords, _) = checked.kind else {
            throw DrawingRefusal(.code, "the gs1-128 code cannot be drawn")
        }
        let widths = Code128Bars.widths(of: codewords).map { $0 * code.scale }
        let total = widths.reduce(0, +)
        guard total <= width else {
            throw DrawingRefusal(
                .code, "the gs1-128 code takes \(total) × \(height) dots and has room for \(width) × \(height)")
        }
        var matrix = DotMatrix(width: width, height: height)
        var x = (width - total) / 2
        for (index, bar) in widths.enumerated() {
            if index.isMultiple(of: 2) {
                for y in 0..<height { for dot in x..<x + bar { matrix[dot, y] = true } }
            }
            x += bar
        }
        return matrix
    }

    /// Hexagons around three rings (ISO/IEC 16023 §4.11). They are a little smaller than their places, since thermal
    /// dots spread.
    private static func maxiCode(
        _ zint: UnsafeMutablePointer<zint_symbol>, pitch: Int, width: Int, height: Int
    ) throws(DrawingRefusal) -> DotMatrix {
        let geometry = MaxiCodeGeometry(pitch: pitch)
        guard geometry.width <= width, geometry.height <= height else {
            throw DrawingRefusal(
                .code,
                "the maxicode code takes \(geometry.width) × \(geometry.height) dots and has room for \(width) × \(height)"
            )
        }
        var matrix = DotMatrix(width: width, height: height)
        let pitch = Double(pitch)
        func paint(x: Double, y: Double, reach: Double, _ isInside: (Double, Double) -> Bool) {
            for row in Int(y - reach)...Int(y + reach) {
                for column in Int(x - reach)...Int(x + reach) {
                    if isInside(abs(Double(column) + 0.5 - x), abs(Double(row) + 0.5 - y)) {
                        matrix[column, row] = true
                    }
                }
            }
        }
        let side = pitch / 2 * 0.92
        for row in 0..<MaxiCodeGeometry.rows {
            for column in 0..<MaxiCodeGeometry.columns where czint_module(zint, Int32(row), Int32(column)) == 1 {
                // Every other row is half a module further right.
                let x = pitch * (Double(column) + (row.isMultiple(of: 2) ? 0.5 : 1))
                paint(x: x, y: geometry.middle(ofRow: row), reach: pitch) { across, down in
                    across <= side && across / 2 + down * 0.866 <= side
                }
            }
        }
        // The radii are multiples of 0.67 mm from 0.51 mm on, and a module has 0.88 mm.
        let unit = pitch / 0.88
        paint(x: pitch * 14.5, y: geometry.middle(ofRow: 16), reach: 3.87 * unit) { across, down in
            let radius = (across * across + down * down).squareRoot() / unit
            return (0.51...1.18).contains(radius) || (1.86...2.53).contains(radius) || (3.20...3.87).contains(radius)
        }
        return matrix
    }
}

extension Symbology {
    /// The width of each module of a row, in dots. Wide bars of two-width symbologies are as wide as in the layout
    /// (`CheckedCode.wideBar`).
    fileprivate func columns(_ zint: UnsafeMutablePointer<zint_symbol>, scale: Int) -> [Int] {
        let width = zint.pointee.width
        guard [.code39, .itf, .codabar].contains(self) else { return [Int](repeating: scale, count: Int(width)) }
        var columns: [Int] = []
        var start: Int32 = 0
        while start < width {
            var end = start + 1
            while end < width, czint_module(zint, 0, end) == czint_module(zint, 0, start) { end += 1 }
            // The first module of a bar or space gets its whole width.
            columns.append(end - start > 1 ? CheckedCode.wideBar(module: scale) : scale)
            columns += [Int](repeating: 0, count: Int(end - start - 1))
            start = end
        }
        // zint adds a space after the last bar of Codabar.
        if czint_module(zint, 0, width - 1) == 0 {
            while columns.last == 0 { columns.removeLast() }
            columns.removeLast()
        }
        return columns
    }

    /// The height of a row in dots.
    fileprivate func rowHeight(
        _ row: Int, _ zint: UnsafeMutablePointer<zint_symbol>, scale: Int, height: Int
    ) -> Int {
        if isStacked { return Int(czint_row_height(zint, Int32(row)).rounded()) * scale }
        return switch self {
        case .qrcode, .datamatrix, .aztec: scale
        case .pdf417: scale * CheckedCode.pdf417RowHeight
        default: height
        }
    }
}
