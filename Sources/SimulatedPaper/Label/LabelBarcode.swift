/// A barcode field, as its command defines it.
struct LabelBarcode {
    enum Symbology: String {
        case code128 = "Code 128", code39 = "Code 39", code93 = "Code 93", codabar = "Codabar", itf = "ITF"
        case ean13 = "EAN-13", ean8 = "EAN-8", upcA = "UPC-A", upcE = "UPC-E"
        case qr = "QR", pdf417 = "PDF417", dataMatrix = "Data Matrix", aztec = "Aztec", maxiCode = "MaxiCode"
        case dataBar = "GS1 DataBar", extra = "UPC/EAN extension"
    }

    let symbology: Symbology
    let orientation: LabelOrientation
    /// The height of the bars or of PDF417's rows, and the width of a module, in dots.
    private var height: Int
    private var module: Int
    private let ratio: Double
    private var hasText = false
    private var isTextAbove = false
    /// The mode of `^BC`: N, U, A or D.
    private var mode: Character = "N"
    /// A check digit is computed and added: `^B3`, `^B2`, `^BC`.
    private var addsCheckDigit = false
    /// PDF417's level and columns, Aztec's error control, the kind of GS1 DataBar, MaxiCode's mode.
    private var level = 0
    private var columns = 0
    private var isTruncated = false
    /// What is drawn otherwise than it was asked for.
    private(set) var remarks: [String] = []

    /// The symbology of each command, and the index of the height among its parameters; the text and its position
    /// follow.
    private static let commands: [String: (symbology: Symbology, heightIndex: Int)] = [
        "^BC": (.code128, 1), "^B3": (.code39, 2), "^BE": (.ean13, 1), "^B8": (.ean8, 1), "^BU": (.upcA, 1),
        "^B9": (.upcE, 1), "^B2": (.itf, 1),
        "^BA": (.code93, 1), "^BK": (.codabar, 2), "^BQ": (.qr, 0), "^B7": (.pdf417, 0), "^BX": (.dataMatrix, 0),
        "^BO": (.aztec, 0), "^B0": (.aztec, 0), "^BD": (.maxiCode, 0), "^BR": (.dataBar, 0), "^BS": (.extra, 1),
    ]

    /// Reads a barcode command; nil for other commands.
    init?(_ command: String, _ parameters: ZPLParameters, _ settings: LabelSettings) {
        guard let form = Self.commands[command] else { return nil }
        symbology = form.symbology
        orientation = parameters.letter(0).flatMap(LabelOrientation.init) ?? settings.orientation
        height = settings.barHeight
        module = settings.module
        ratio = settings.ratio
        switch form.symbology {
        case .qr:
            module = min(max(1, parameters.number(2) ?? 2), 40)
            if parameters.number(1) == 1 { remarks.append("model 1 is drawn as model 2") }
        case .dataMatrix:
            module = min(max(1, parameters.number(1) ?? settings.barHeight / 8), 40)
            let quality = parameters.number(2) ?? 0
            if quality != 200 { remarks.append("quality \(quality) is drawn as 200") }
            columns = parameters.number(3) ?? 0
        case .aztec:
            module = min(max(1, parameters.number(1) ?? 2), 40)
            level = parameters.number(3) ?? 0
            if parameters.letter(2) == "Y" { remarks.append("escape sequences of ECI are drawn as data") }
            if parameters.letter(4) == "Y" { remarks.append("not drawn as a menu symbol") }
            if (parameters.number(5) ?? 1) > 1 { remarks.append("not drawn as one of several symbols") }
            if (51...99).contains(level) { remarks.append("error correction of \(level) percent is drawn as 50") }
            if level != 0, !(1...99).contains(level), !(101...104).contains(level), !(201...232).contains(level) {
                remarks.append("error control \(level) is drawn as 0")
                level = 0
            }
        case .pdf417:
            height = parameters.number(1) ?? max(1, settings.barHeight / 8)
            level = min(max(0, parameters.number(2) ?? 0), 8)
            columns = min(max(0, parameters.number(3) ?? 0), 30)
            if parameters.number(4) != nil { remarks.append("the number of rows follows from the data") }
            isTruncated = parameters.letter(5) == "Y"
        case .maxiCode:
            level = parameters.number(0) ?? 2
            if (parameters.number(2) ?? 1) > 1 { remarks.append("not drawn as one of several symbols") }
        case .dataBar:
            level = parameters.number(1) ?? 1
            module = min(max(1, parameters.number(2) ?? 2), 10)
            columns = parameters.number(5) ?? 22
            if (parameters.number(3) ?? 1) != 1 { remarks.append("the separators are one module high") }
        default:
            let first = form.heightIndex
            height = parameters.number(first) ?? height
            hasText = parameters.letter(first + 1) != "N"
            isTextAbove = parameters.letter(first + 2).map { $0 == "Y" } ?? (symbology == .extra)
            switch form.symbology {
            case .code128:
                addsCheckDigit = parameters.letter(3 + first) == "Y"
                mode = parameters.letter(first + 4) ?? "N"
            case .code39: addsCheckDigit = parameters.letter(1) == "Y"
            case .itf: addsCheckDigit = parameters.letter(4) == "Y"
            default: break
            }
        }
        height = min(max(1, height), ZPLPrinter.maximumHeight)
    }

    /// The picture, its rows above the baseline, and what of the data was left out. The bars stand on the baseline, the
    /// text hangs below.
    func picture(
        _ data: [UInt8], _ symbols: any SymbolSource, _ glyphs: any GlyphSource, dotsPerInch: Int
    ) throws(SymbolError) -> (picture: Bitmap, ascent: Int, remark: String?) {
        let drawn: (Bitmap, ascent: Int)
        switch symbology {
        case .qr:
            let (level, content) = try qrContent(data)
            drawn = try matrix(.qr(level: level), content, width: module, height: module, symbols)
        case .pdf417:
            let kind = MatrixSymbol.Kind.pdf417(columns: columns, level: max(1, level), isTruncated: isTruncated)
            drawn = try matrix(kind, data, width: module, height: height, symbols)
        case .dataMatrix:
            drawn = try matrix(.dataMatrix(isSquare: true), data, width: module, height: module, symbols)
            if columns != 0, drawn.0.width != columns * module {
                return (drawn.0, drawn.ascent, "\(drawn.0.width / module) columns, not \(columns)")
            }
        case .aztec:
            drawn = try matrix(.aztec(MatrixSymbol.AztecSize(zpl: level)), data, width: module, height: module, symbols)
        case .maxiCode:
            let message = try MaxiCodeMessage(zpl: data, mode: level)
            let kind = MatrixSymbol.Kind.maxiCode(message.header, dotsPerInch: dotsPerInch)
            drawn = try matrix(kind, message.data, width: 1, height: 1, symbols)
        case .dataBar: drawn = try dataBar(data, symbols)
        default:
            let symbol = try symbol(data)
            let wide = Int((Double(module) * ratio).rounded())
            let bars = symbol.picture(module: module, wide: wide, height: height)
            drawn = addText(symbol.text, to: bars, glyphs)
            return (drawn.0, drawn.ascent, symbol.remark)
        }
        return (drawn.0, drawn.ascent, nil)
    }

    /// GS1 DataBar of `^BR`: 1 to 6 are its kinds. What follows a bar is a composite component, which is not drawn.
    private func dataBar(_ data: [UInt8], _ symbols: any SymbolSource) throws(SymbolError) -> (Bitmap, ascent: Int) {
        guard !data.contains(UInt8(ascii: "|")) else { throw SymbolError("no composite codes are drawn") }
        let heights: [Int: (kind: MatrixSymbol.Kind, height: Int)] = [
            1: (.dataBarOmni, 33), 2: (.dataBarOmni, 13), 3: (.dataBarStacked, 0), 4: (.dataBarStackedOmni, 0),
            5: (.dataBarLimited, 10), 6: (.dataBarExpanded, 34),
        ]
        guard let form = heights[level] else { throw SymbolError("of this kind it isn't drawn") }
        guard form.height > 0 else {
            return try matrix(form.kind, data, width: module, height: module, symbols)
        }
        guard form.kind != .dataBarExpanded || columns >= 22 else {
            throw SymbolError("in several rows it isn't drawn")
        }
        let row = try matrix(form.kind, data, width: 1, height: 1, symbols).0
        let bars = row.cropped(width: row.width, height: 1).scaled(module, form.height * module)
        return (bars, bars.height)
    }

    /// Draws a two-dimensional symbol with modules of so many dots.
    private func matrix(
        _ kind: MatrixSymbol.Kind, _ data: [UInt8], width: Int, height: Int, _ symbols: any SymbolSource
    ) throws(SymbolError) -> (Bitmap, ascent: Int) {
        guard let modules = symbols.modules(MatrixSymbol(kind, data)) else {
            throw SymbolError("the data does not fit it")
        }
        guard modules.width * width <= ZPLPrinter.maximumWidth, modules.height * height <= ZPLPrinter.maximumHeight
        else {
            throw SymbolError("too large")
        }
        return (modules.scaled(width, height), modules.height * height)
    }

    private func symbol(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        switch symbology {
        case .code39: return try TwoWidthSymbol.code39(data, addsCheckDigit: addsCheckDigit)
        case .extra: return try EANSymbol.extra(data)
        case .ean13: return try EANSymbol.ean13(data)
        case .ean8: return try EANSymbol.ean8(data)
        case .upcA: return try EANSymbol.upcA(data)
        case .upcE: return try EANSymbol.upcE(data)
        case .itf: return try TwoWidthSymbol.itf(addsCheckDigit ? data + EANSymbol.checkDigit(data) : data)
        case .code93: return try Code93Symbol.symbol(data)
        case .codabar: return try TwoWidthSymbol.codabar(data)
        default:
            switch mode {
            case "A": return try Code128Symbol.automatic(data, text: String(decoding: data, as: UTF8.self))
            case "D":
                let content = try GS1Text(zpl: data)
                return try Code128Symbol.automatic(content.bytes, text: content.text)
            case "N": return try Code128Symbol.zpl(data, addsCheckDigit: addsCheckDigit)
            case "U": return try Code128Symbol.shippingCase(data)
            default: throw SymbolError("no such mode")
            }
        }
    }

    /// The level and the content of QR data: level, input mode and a comma come first (`QA,…`); in manual mode (M)
    /// another letter tells the kind of the data.
    private func qrContent(_ data: [UInt8]) throws(SymbolError) -> (level: Int, content: [UInt8]) {
        guard data.count > 3, data[2] == UInt8(ascii: ","), let level = Array("LMQH".utf8).firstIndex(of: data[0])
        else {
            throw SymbolError("the data begins with its level and mode, such as QA,")
        }
        switch data[1] {
        case UInt8(ascii: "A"): return (level + 1, Array(data.dropFirst(3)))
        case UInt8(ascii: "M"):
            // B is followed by four digits that count its bytes.
            let isBinary = data[3] == UInt8(ascii: "B")
            return (level + 1, Array(data.dropFirst(isBinary ? 8 : 4)))
        default: throw SymbolError("no such mode")
        }
    }

    /// The bars with their text above or below them.
    private func addText(
        _ text: String, to bars: Bitmap, _ glyphs: any GlyphSource
    ) -> (Bitmap, ascent: Int) {
        guard hasText else { return (bars, bars.height) }
        // Font A, as many times its size as a module has dots.
        let scale = max(1, min(4, module))
        let font = LabelFont("A", .normal, height: 9 * scale, width: 6 * scale)
        let scalars = Array(text.unicodeScalars.prefix(200))
        let width = max(bars.width, scalars.count * font.width)
        let rows = font.height + 3
        var picture = Bitmap(width: width, height: bars.height + rows)
        picture.draw(bars, x: (width - bars.width) / 2, y: isTextAbove ? rows : 0)
        for (index, scalar) in scalars.enumerated() {
            let x = (width - scalars.count * font.width) / 2 + index * font.width
            guard let glyph = font.glyph(scalar, glyphs) else { continue }
            picture.draw(glyph, x: x, y: isTextAbove ? 0 : bars.height + 3)
        }
        return (picture, isTextAbove ? picture.height : bars.height)
    }
}
