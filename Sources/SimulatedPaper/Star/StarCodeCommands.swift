/// Star Line Mode and StarPRNT: barcodes (`ESC b`), QR and PDF417.
extension ReceiptPrinter {
    static let starCodeCommands: [ReceiptCommand] = [
        ReceiptCommand("ESC b", .read(starBarcodeParameters)) { $0.printStarBarcode($1) },
        ReceiptCommand("ESC GS y S 0", .fixed(1)) { printer, arguments in
            arguments.choice(0) == 1 ? .refused("QR model 1: drawn as model 2") : "QR model 2"
        },
        ReceiptCommand("ESC GS y S 1", .fixed(1)) { printer, arguments in
            guard arguments.choice(0) <= 3 else { return .refused("no such level") }
            printer.state.symbolStyle.qr.level = arguments.choice(0) + 1
            return "QR error correction \(["L", "M", "Q", "H"][arguments.choice(0)])"
        },
        ReceiptCommand("ESC GS y S 2", .fixed(1)) { printer, arguments in
            guard (1...8).contains(arguments[0]) else { return .refused("no such size") }
            printer.state.symbolStyle.qr.module = arguments[0]
            return "QR modules of \(arguments[0]) dots"
        },
        ReceiptCommand("ESC GS y D 1", .read(qrParameters)) { printer, arguments in
            printer.state.symbolStyle.qr.data = Array(arguments.from(1))
            return "QR data \(PaperEvent.quoted(String(decoding: arguments.from(1), as: UTF8.self)))"
        },
        ReceiptCommand("ESC GS y P", .fixed(0)) { printer, _ in
            let style = printer.state.symbolStyle.qr
            return printer.printStarSymbol(.qr(level: style.level), style.data, "QR", style.module, style.module)
        },
        ReceiptCommand("ESC GS y I", .fixed(0)) { _, _ in "asks for the QR's size" },
        ReceiptCommand("ESC GS x S 0", .fixed(3)) { printer, arguments in
            printer.state.symbolStyle.pdf417.columns = arguments.choice(0) == 1 ? min(30, arguments[2]) : 0
            return arguments.choice(0) == 1
                ? "PDF417 of \(arguments[1]) rows and \(arguments[2]) columns"
                : "PDF417 of the ratio \(arguments[1]):\(arguments[2])"
        },
        ReceiptCommand("ESC GS x S 1", .fixed(1)) { printer, arguments in
            guard arguments.choice(0) <= 8 else { return .refused("no such level") }
            printer.state.symbolStyle.pdf417.level = .fixed(arguments.choice(0))
            return "PDF417 error correction level \(arguments.choice(0))"
        },
        ReceiptCommand("ESC GS x S 2", .fixed(1)) { printer, arguments in
            guard (1...10).contains(arguments[0]) else { return .refused("no such width") }
            printer.state.symbolStyle.pdf417.module = arguments[0]
            return "PDF417 modules \(arguments[0]) dots wide"
        },
        ReceiptCommand("ESC GS x S 3", .fixed(1)) { printer, arguments in
            guard (1...10).contains(arguments[0]) else { return .refused("no such height") }
            printer.state.symbolStyle.pdf417.rowHeight = arguments[0]
            return "PDF417 rows \(arguments[0]) modules high"
        },
        ReceiptCommand("ESC GS x D", .block) { printer, arguments in
            printer.state.symbolStyle.pdf417.data = Array(arguments.bytes)
            return "PDF417 data \(PaperEvent.quoted(String(decoding: arguments.bytes, as: UTF8.self)))"
        },
        ReceiptCommand("ESC GS x P", .fixed(0)) { printer, _ in
            let style = printer.state.symbolStyle.pdf417
            let level = style.levelNumber(dataCount: style.data?.count ?? 0)
            return printer.printStarSymbol(
                .pdf417(columns: style.columns, level: level, isTruncated: false), style.data, "PDF417", style.module,
                style.module * style.rowHeight)
        },
        ReceiptCommand("ESC GS x I", .fixed(0)) { _, _ in "asks for the PDF417's size" },
        // StarPRNT: 51 is stacked GS1 DataBar.
        ReceiptCommand("ESC GS ( k", .block) { printer, arguments in
            arguments[0] == 51 ? printer.symbol(arguments) : .refused("no such symbology")
        },
    ]

    /// m nL nH, then the data. Returns m and the data, without the length.
    @Sendable private static func qrParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(3) else { return nil }
        return reader.take(CommandArguments(head[...]).word(1)).map { [head[0]] + $0 }
    }

    private mutating func printStarSymbol(
        _ kind: MatrixSymbol.Kind, _ data: [UInt8]?, _ name: String, _ width: Int, _ height: Int
    ) -> CommandOutcome {
        // Star printers print the current line first.
        if !isAtLineStart { printLine(feeding: state.lineSpacing) }
        return printSymbol(kind, data, name, width, height)
    }

    // MARK: - Barcodes

    private static let starSymbologies: [BarSymbology] = [
        .upcE, .upcA, .ean8, .ean13, .code39, .itf, .code128Auto, .code93, .codabar, .gs1_128, .dataBarOmni,
        .dataBarTruncated, .dataBarLimited, .dataBarExpanded,
    ]

    /// The widths of narrow and wide elements, for the modes from 1 on.
    private static let code39Widths = [(2, 6), (3, 9), (4, 12), (2, 5), (3, 8), (4, 10), (2, 4), (3, 6), (4, 8)]
    private static let itfWidths = [(2, 5), (4, 10), (6, 15), (2, 4), (4, 8), (6, 12), (2, 6), (3, 9), (4, 12)]

    /// n1 n2 n3 n4, then the data up to RS.
    @Sendable private static func starBarcodeParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(4) else { return nil }
        return reader.take(until: 0x1E).map { head + $0 }
    }

    private mutating func printStarBarcode(_ arguments: CommandArguments) -> CommandOutcome {
        // From 10 on, ASCII goes on after "9" with a colon.
        let number = (0x30...0x3F).contains(arguments[0]) ? arguments[0] - 0x30 : arguments[0]
        guard number < Self.starSymbologies.count else { return .refused("no such barcode") }
        let symbology = Self.starSymbologies[number]
        let data = Array(arguments.from(4))
        let description = "\(symbology.name) \(PaperEvent.quoted(String(decoding: data, as: UTF8.self)))"
        let (option, mode) = (arguments.choice(1), arguments.choice(2))
        guard (1...4).contains(option) else { return .refused("\(description): no such choice of text and feed") }
        guard let widths = widths(symbology, mode) else { return .refused("\(description): no such width") }
        do {
            var (bars, text) = try starPicture(symbology, data, widths, height: max(1, arguments[3]))
            guard bars.width <= areaWidth else {
                return .refused("\(description): \(bars.width) dots wide, which the print area is not; not printed")
            }
            state.barcode.text = option % 2 == 0 ? .below : .none
            state.barcode.font = .a
            bars = withText(bars, text)
            if !isAtLineStart { printLine(feeding: state.lineSpacing) }
            printPicture(bars)
            // Options 1 and 2 feed a line as well.
            if option <= 2 { feed(state.lineSpacing) }
            return "\(description), \(bars.width)×\(bars.height) dots"
        } catch {
            return .refused("\(description): \(error.reason)")
        }
    }

    private func widths(_ symbology: BarSymbology, _ mode: Int) -> (narrow: Int, wide: Int?)? {
        switch symbology {
        case .code39, .codabar: Self.code39Widths.dropFirst(max(0, mode - 1)).first.map { ($0.0, $0.1) }
        case .gs1_128, .dataBarOmni, .dataBarTruncated, .dataBarLimited, .dataBarExpanded:
            (1...6).contains(mode) ? (mode, nil) : nil
        case .itf: Self.itfWidths.dropFirst(max(0, mode - 1)).first.map { ($0.0, $0.1) }
        default: (1...3).contains(mode) ? (mode + 1, nil) : nil
        }
    }

    /// The bars and their text. GS1 DataBar is at least as high as its kind needs.
    private func starPicture(
        _ symbology: BarSymbology, _ data: [UInt8], _ widths: (narrow: Int, wide: Int?), height: Int
    ) throws(SymbolError) -> (Bitmap, text: String) {
        let kinds: [BarSymbology: (MatrixSymbol.Kind, modules: Int)] = [
            .dataBarOmni: (.dataBarOmni, 33), .dataBarTruncated: (.dataBarOmni, 13),
            .dataBarLimited: (.dataBarLimited, 10),
            .dataBarExpanded: (.dataBarExpanded, 34),
        ]
        guard let (kind, modules) = kinds[symbology] else {
            let symbol = try starSymbol(symbology, data)
            return (symbol.picture(module: widths.narrow, wide: widths.wide, height: height), symbol.text)
        }
        guard let row = symbols.modules(MatrixSymbol(kind, data)) else { throw SymbolError("the data does not fit it") }
        let text = String(decoding: data, as: UTF8.self)
        let bars = row.cropped(width: row.width, height: 1).scaled(
            widths.narrow, max(height, modules * widths.narrow))
        return (
            bars,
            kind == .dataBarExpanded
                ? text : "(01)" + text + String(decoding: EANSymbol.checkDigit(data), as: UTF8.self)
        )
    }

    private func starSymbol(_ symbology: BarSymbology, _ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        switch symbology {
        case .upcE: try EANSymbol.upcE(data)
        case .upcA: try EANSymbol.upcA(data)
        case .ean8: try EANSymbol.ean8(data)
        case .ean13: try EANSymbol.ean13(data)
        case .code39: try TwoWidthSymbol.code39(data)
        case .itf: try TwoWidthSymbol.itf(data)
        case .code93: try Code93Symbol.symbol(data)
        case .codabar: try TwoWidthSymbol.codabar(data)
        case .gs1_128:
            try GS1Text(data).symbol()
        default: try Code128Symbol.star(data)
        }
    }
}
