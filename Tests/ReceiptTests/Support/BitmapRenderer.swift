import KioskPaperPictures
import KioskTestSupport

@testable import KioskReceipts
@testable import KioskSimulatedPaper

/// Renders with the bitmap fonts and bars of the simulated printer, which are the same everywhere: letters one by one,
/// and a pattern in place of each picture.
struct BitmapRenderer {
    private let fonts: PrinterFonts

    static let shared = Result { BitmapRenderer(fonts: try PrinterFonts()) }

    /// Renders the drawings of a receipt.
    static func drawn(_ drawings: some Collection<Drawing>) throws -> RenderedDrawings {
        let renderer = try shared.get()
        return RenderedDrawings(
            Dictionary(uniqueKeysWithValues: try drawings.map { ($0, try renderer.matrix($0)) }))
    }

    func matrix(_ drawing: Drawing) throws -> DotMatrix {
        var bitmap = Bitmap(width: drawing.width, height: drawing.height)
        switch drawing.content {
        case .text(let text): draw(text, onto: &bitmap)
        case .picture:
            // A frame with its diagonals.
            for x in 0..<drawing.width {
                for y in 0..<drawing.height {
                    let isEdge = x < 2 || y < 2 || x >= drawing.width - 2 || y >= drawing.height - 2
                    let (down, across) = (x * drawing.height, y * drawing.width)
                    let isDiagonal =
                        min(abs(down - across), abs(down + across - drawing.width * drawing.height)) < 2
                        * max(drawing.width, drawing.height)
                    if isEdge || isDiagonal { bitmap[x, y] = true }
                }
            }
        case .code(let code):
            // Its hexagons are the drawing program's own.
            if [.maxicode, .maxicodeCarrier].contains(code.symbology) {
                let file = DrawnPicture([])
                return try matrix(Drawing(width: drawing.width, height: drawing.height, .picture(file)))
            }
            let symbol = try picture(of: code, height: drawing.height)
            // A two-dimensional code may need less space than the layout reserves for it.
            bitmap.draw(symbol, x: (drawing.width - symbol.width) / 2, y: (drawing.height - symbol.height) / 2)
        }
        guard let matrix = DotMatrix(width: bitmap.width, height: bitmap.height, bytes: bitmap.bytes) else {
            throw TestSupportError("\(drawing.width)×\(drawing.height)")
        }
        return matrix
    }

    private func draw(_ text: DrawnText, onto bitmap: inout Bitmap) {
        var x = 0
        let characters = text.isRightToLeft ? Array(text.text.reversed()) : Array(text.text)
        for character in characters {
            let cells = TextCluster.cells(of: character)
            for scalar in character.unicodeScalars {
                guard let glyph = fonts.glyph(scalar, width: max(cells, 1) * text.cellWidth, height: text.cellHeight)
                else { continue }
                let inked = text.emphasis ? glyph.emboldened : glyph
                bitmap.draw(inked.scaled(text.scaleWidth, text.scaleHeight), x: x, y: 0)
            }
            x += cells * text.cellWidth * text.scaleWidth
        }
    }

    private func picture(of code: DrawnCode, height: Int) throws -> Bitmap {
        let data = Array(code.text.utf8)
        let level = Int(ReceiptCode.CorrectionLevel.allCases.firstIndex(of: code.level) ?? 0) + 1
        let matrix: MatrixSymbol.Kind? =
            switch code.symbology {
            case .qrcode: .qr(level: level)
            case .pdf417: .pdf417(columns: code.columns, level: try pdf417Level(code.text), isTruncated: false)
            case .datamatrix: .dataMatrix(isSquare: true)
            case .aztec:
                .aztec(code.columns <= 4 ? .compact(layers: code.columns) : .fullRange(layers: code.columns - 4))
            case .databar: .dataBarOmni
            case .databarExpanded: .dataBarExpanded
            case .databarStacked: .dataBarStacked
            case .databarStackedOmnidirectional: .dataBarStackedOmni
            case .databarExpandedStacked: .dataBarExpandedStacked(columns: code.columns)
            default: nil
            }
        if let matrix {
            guard let modules = ZintSymbols().modules(MatrixSymbol(matrix, data)) else {
                throw TestSupportError("zint: \(code)")
            }
            let rowHeight = code.symbology == .pdf417 ? 3 * code.scale : code.scale
            return modules.scaled(code.scale, code.symbology.isTwoDimensional ? rowHeight : height)
        }
        return try bars(code, data).picture(
            module: code.scale, wide: code.scale == 3 ? 8 : code.scale * 5 / 2, height: height)
    }

    private func pdf417Level(_ data: String) throws -> Int {
        guard case .pdf417(_, let level) = try PDF417Capacity.kind(for: data) else { return 2 }
        return level
    }

    private func bars(_ code: DrawnCode, _ data: [UInt8]) throws -> BarSymbol {
        switch code.symbology {
        case .upc: try data.count == 12 ? EANSymbol.upcA(data) : EANSymbol.upcE(data)
        case .ean: try data.count == 13 ? EANSymbol.ean13(data) : EANSymbol.ean8(data)
        case .code39: try TwoWidthSymbol.code39(data)
        case .itf: try TwoWidthSymbol.itf(data)
        case .codabar: try TwoWidthSymbol.codabar(data)
        case .code93: try Code93Symbol.symbol(data)
        case .gs1128:
            try Code128Symbol.symbol(Code128.escPos(Code128.gs1Codewords(try GS1Elements(code.text).parts)))
        default: try Code128Symbol.automatic(data, text: code.text)
        }
    }
}
