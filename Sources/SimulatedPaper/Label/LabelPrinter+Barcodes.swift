/// Barcodes and symbols of ZPL.
extension LabelPrinter {
    /// Commands that make the field a barcode; nil for others.
    mutating func barcode(_ name: String, _ parameters: ZPLParameters) -> CommandOutcome? {
        guard let form = Self.forms[name] else { return nil }
        let orientation = parameters.letter(0).flatMap(LabelOrientation.init) ?? settings.orientation
        var barcode = LabelBarcode(
            symbology: form.symbology, orientation: orientation, height: settings.barHeight, module: settings.module,
            ratio: settings.ratio)
        switch form.symbology {
        case .qr, .dataMatrix, .aztec:
            let size = form.symbology == .qr ? 2 : 1
            barcode.module = min(
                max(1, parameters.number(size) ?? (form.symbology == .qr ? 2 : settings.barHeight / 8)), 40)
        case .pdf417:
            barcode.height = parameters.number(1) ?? max(1, settings.barHeight / 8)
            barcode.level = min(max(0, parameters.number(2) ?? 0), 8)
            barcode.columns = min(max(0, parameters.number(3) ?? 0), 30)
        default:
            let first = form.heightIndex
            barcode.height = parameters.number(first) ?? barcode.height
            barcode.hasText = parameters.letter(first + 1) != "N"
            barcode.isTextAbove = parameters.letter(first + 2) == "Y"
            barcode.mode = parameters.letter(first + 4) ?? "N"
        }
        barcode.height = min(max(1, barcode.height), Self.tallest)
        field.kind = .barcode(barcode)
        return "\(form.symbology.rawValue), \(orientation)"
    }

    /// The symbology, and where the height stands among the parameters; the text and its place follow.
    private static let forms: [String: (symbology: LabelBarcode.Symbology, heightIndex: Int)] = [
        "^BC": (.code128, 1), "^B3": (.code39, 2), "^BE": (.ean13, 1), "^B8": (.ean8, 1), "^BU": (.upcA, 1),
        "^B9": (.upcE, 1), "^B2": (.itf, 1),
        "^BA": (.code93, 1), "^BK": (.codabar, 2), "^BQ": (.qr, 0), "^B7": (.pdf417, 0), "^BX": (.dataMatrix, 0),
        "^BO": (.aztec, 0),
        "^B0": (.aztec, 0),
    ]

    mutating func draw(_ barcode: LabelBarcode, _ data: [UInt8]) -> CommandOutcome {
        let what = "\(barcode.symbology.rawValue) \(PaperEvent.quoted(String(decoding: data, as: UTF8.self)))"
        do {
            let (picture, ascent) = try picture(barcode, data)
            guard picture.width <= Self.widest, picture.height <= Self.tallest else {
                return .refused("\(what): too large")
            }
            placeTurned(picture, barcode.orientation, ascent: ascent)
            return "\(what), \(picture.width)×\(picture.height) dots"
        } catch {
            return .refused("\(what): \(error.reason)")
        }
    }

    /// With its rows above the baseline: the bars stand on it, the text hangs below.
    private func picture(_ barcode: LabelBarcode, _ data: [UInt8]) throws(SymbolError) -> (Bitmap, ascent: Int) {
        switch barcode.symbology {
        case .qr:
            let (level, content) = try qrContent(data)
            return try matrix(.qr(level: level), content, barcode.module, barcode.module)
        case .pdf417:
            return try matrix(
                .pdf417(columns: barcode.columns, level: max(1, barcode.level), isTruncated: false), data,
                barcode.module, barcode.height)
        case .dataMatrix: return try matrix(.dataMatrix(isSquare: true), data, barcode.module, barcode.module)
        case .aztec: return try matrix(.aztec, data, barcode.module, barcode.module)
        default:
            let symbol = try symbol(barcode, data)
            let wide = Int((Double(barcode.module) * barcode.ratio).rounded())
            let bars = symbol.picture(module: barcode.module, wide: wide, height: barcode.height)
            return withText(bars, symbol.text, barcode)
        }
    }

    private func matrix(
        _ kind: MatrixSymbol.Kind, _ data: [UInt8], _ width: Int, _ height: Int
    ) throws(SymbolError) -> (Bitmap, ascent: Int) {
        guard let modules = symbols.modules(MatrixSymbol(kind, data)) else {
            throw SymbolError("the data does not fit it")
        }
        guard modules.width * width <= Self.widest, modules.height * height <= Self.tallest else {
            throw SymbolError("too large")
        }
        return (modules.scaled(width, height), modules.height * height)
    }

    private func symbol(_ barcode: LabelBarcode, _ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        switch barcode.symbology {
        case .code39: return try TwoLevelSymbol.code39(data)
        case .ean13: return try EANSymbol.ean13(data)
        case .ean8: return try EANSymbol.ean8(data)
        case .upcA: return try EANSymbol.upcA(data)
        case .upcE: return try EANSymbol.upcE(data)
        case .itf: return try TwoLevelSymbol.itf(data)
        case .code93: return try Code93Symbol.symbol(data)
        case .codabar: return try TwoLevelSymbol.codabar(data)
        default:
            switch barcode.mode {
            case "A": return try Code128Symbol.automatic(data, text: String(decoding: data, as: UTF8.self))
            case "D":
                let content = try GS1Text(data)
                return try Code128Symbol.automatic(content.bytes, text: content.text)
            case "N": return try Code128Symbol.zpl(data)
            default: throw SymbolError("no such mode")
            }
        }
    }

    /// Level, input mode and a comma, then the data: `QA,…`; in manual mode (M) another letter says what the data is.
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

    private func withText(_ bars: Bitmap, _ text: String, _ barcode: LabelBarcode) -> (Bitmap, ascent: Int) {
        guard barcode.hasText else { return (bars, bars.height) }
        // Font A, twice as large where modules are.
        let scale = max(1, min(4, barcode.module))
        let font = LabelFont("A", .normal, height: 9 * scale, width: 6 * scale)
        let scalars = Array(text.unicodeScalars.prefix(200))
        let width = max(bars.width, scalars.count * font.width)
        let rows = font.height + 3
        var picture = Bitmap(width: width, height: bars.height + rows)
        picture.draw(bars, x: (width - bars.width) / 2, y: barcode.isTextAbove ? rows : 0)
        for (index, scalar) in scalars.enumerated() {
            let x = (width - scalars.count * font.width) / 2 + index * font.width
            picture.draw(glyph(scalar, font), x: x, y: barcode.isTextAbove ? 0 : bars.height + 3)
        }
        return (picture, barcode.isTextAbove ? picture.height : bars.height)
    }
}

extension Code128Symbol {
    /// Set B, unless `>;` (C), `>:` (B) or `>9` (A) begins; `>5`, `>6` and `>7` change over to C, B and A; `>8` is
    /// FNC1, `>0` a `>`.
    static func zpl(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        let sets: [UInt8: UInt8] = [0x3B: 0x43, 0x3A: 0x42, 0x39: 0x41, 0x35: 0x43, 0x36: 0x42, 0x37: 0x41]
        let brace = UInt8(ascii: "{")
        var rest = data[...]
        var bytes: [UInt8] = []
        var set = UInt8(ascii: "B")
        if rest.first != UInt8(ascii: ">") || rest.dropFirst().first.map({ sets[$0] == nil }) ?? true {
            bytes = [brace, set]
        }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: ">") {
                guard let code = rest.popFirst() else { throw SymbolError("a > at the end") }
                if let next = sets[code] {
                    set = next
                    bytes += [brace, set]
                } else if code == UInt8(ascii: "8") {
                    bytes += [brace, UInt8(ascii: "1")]
                } else if code == UInt8(ascii: "0") {
                    bytes.append(byte)
                } else {
                    throw SymbolError("no such code after a >")
                }
            } else if set == UInt8(ascii: "C") {
                guard let second = rest.popFirst(), let pair = UInt8(String(decoding: [byte, second], as: UTF8.self)),
                    pair < 100
                else {
                    throw SymbolError("set C has pairs of digits")
                }
                bytes.append(pair)
                // A brace is the beginning of a code.
                if pair == brace { bytes.append(brace) }
            } else {
                bytes += byte == brace ? [brace, brace] : [byte]
            }
        }
        return try symbol(bytes)
    }
}
