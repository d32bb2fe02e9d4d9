/// `GS k` and what it is drawn with.
extension ReceiptPrinter {
    static let barcodeCommands: [ReceiptCommand] = [
        ReceiptCommand("GS w", .fixed(1)) { printer, arguments in
            guard (1...6).contains(arguments[0]) else { return .refused("no such width") }
            printer.state.barcode.module = arguments[0]
            return "barcodes' modules \(arguments[0]) dots wide"
        },
        ReceiptCommand("GS h", .fixed(1)) { printer, arguments in
            guard arguments[0] > 0 else { return .refused("no such height") }
            printer.state.barcode.height = arguments[0]
            return "barcodes \(arguments[0]) dots high"
        },
        ReceiptCommand("GS H", .fixed(1)) { printer, arguments in
            guard let text = HumanReadableText(rawValue: arguments.choice(0)) else { return .refused("no such place") }
            printer.state.barcode.text = text
            return "barcodes' text: \(text)"
        },
        ReceiptCommand("GS f", .fixed(1)) { printer, arguments in
            guard let font = PrinterFont.numbered(arguments[0]) else { return .refused("no such font") }
            printer.state.barcode.font = font
            return "barcodes' text in font \(font.name)"
        },
        ReceiptCommand("GS k", .read(barcodeParameters)) { $0.printBarcode($1) },
    ]

    /// Form A: m from 0 to 6, ended by a NUL; form B: m from 65 on, then the data's length.
    @Sendable private static func barcodeParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let symbology = reader.next() else { return nil }
        if symbology <= 6 { return reader.take(until: 0).map { [symbology] + $0 } }
        guard symbology >= 65 else { return [symbology] }
        guard let length = reader.next() else { return nil }
        return reader.take(Int(length)).map { [symbology, length] + $0 }
    }

    private mutating func printBarcode(_ arguments: CommandArguments) -> CommandOutcome {
        let isFormA = arguments[0] <= 6
        guard let symbology = BarSymbology(rawValue: isFormA ? arguments[0] : arguments[0] - 65) else {
            return .refused("no such barcode")
        }
        let data = Array(arguments.from(isFormA ? 1 : 2))
        let what = "\(symbology.name) \(PaperEvent.quoted(String(decoding: data, as: UTF8.self)))"
        guard takesPicture else { return .refused("\(what): amid a line, not printed") }
        do {
            let (bars, text) = try draw(symbology, data)
            guard bars.width <= areaWidth else {
                return .refused("\(what): \(bars.width) dots wide, which the print area is not; not printed")
            }
            printPicture(withText(bars, text))
            return "\(what), \(bars.width)×\(bars.height) dots"
        } catch {
            return .refused("\(what): \(error.reason)")
        }
    }

    private func draw(_ symbology: BarSymbology, _ data: [UInt8]) throws(SymbolError) -> (Bitmap, text: String) {
        let symbol: BarSymbol
        switch symbology {
        case .upcA: symbol = try EANSymbol.upcA(data)
        case .upcE: symbol = try EANSymbol.upcE(data)
        case .ean13: symbol = try EANSymbol.ean13(data)
        case .ean8: symbol = try EANSymbol.ean8(data)
        case .code39: symbol = try TwoLevelSymbol.code39(data)
        case .itf: symbol = try TwoLevelSymbol.itf(data)
        case .codabar: symbol = try TwoLevelSymbol.codabar(data)
        case .code93: symbol = try Code93Symbol.symbol(data)
        case .code128: symbol = try Code128Symbol.symbol(data)
        case .code128Auto: symbol = try Code128Symbol.automatic(data, text: String(decoding: data, as: UTF8.self))
        case .gs1_128:
            let content = try GS1Text(data)
            symbol = try Code128Symbol.automatic(content.bytes, text: content.text)
        case .dataBarOmni: return try dataBar(.dataBarOmni, data, heightLimit: nil)
        case .dataBarTruncated: return try dataBar(.dataBarOmni, data, heightLimit: 13)
        case .dataBarLimited: return try dataBar(.dataBarLimited, data, heightLimit: nil)
        case .dataBarExpanded: return try dataBar(.dataBarExpanded, data, heightLimit: nil)
        }
        return (symbol.picture(module: state.barcode.module, height: state.barcode.height), symbol.text)
    }

    /// A truncated symbol is 13 modules high.
    private func dataBar(
        _ kind: MatrixSymbol.Kind, _ data: [UInt8], heightLimit: Int?
    ) throws(SymbolError) -> (Bitmap, text: String) {
        guard let row = symbols.modules(MatrixSymbol(kind, data)) else { throw SymbolError("the data does not fit it") }
        let height = heightLimit.map { $0 * state.barcode.module } ?? state.barcode.height
        return (
            row.cropped(width: row.width, height: 1).scaled(state.barcode.module, height),
            String(decoding: data, as: UTF8.self)
        )
    }

    /// The bars with their text centred above or below them.
    mutating func withText(_ bars: Bitmap, _ text: String) -> Bitmap {
        let place = state.barcode.text
        guard place != .none else { return bars }
        let font = state.barcode.font
        var style = TextStyle()
        style.font = font
        let scalars = Array(text.unicodeScalars.prefix(areaWidth / font.width))
        let width = max(bars.width, scalars.count * font.width)
        let rows = font.height + 2
        var picture = Bitmap(
            width: width, height: bars.height + (place.isAbove ? rows : 0) + (place.isBelow ? rows : 0))
        picture.draw(bars, x: (width - bars.width) / 2, y: place.isAbove ? rows : 0)
        for (index, scalar) in scalars.enumerated() {
            let cell = painter.cell(scalar, style, cell: font)
            let x = (width - scalars.count * font.width) / 2 + index * font.width
            if place.isAbove { picture.draw(cell, x: x, y: 0) }
            if place.isBelow { picture.draw(cell, x: x, y: picture.height - font.height) }
        }
        return picture
    }
}
