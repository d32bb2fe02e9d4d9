/// The ESC/POS commands for barcodes (`GS k`) and two-dimensional symbols (`GS ( k`).
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
        let description = "\(symbology.name) \(PaperEvent.quoted(String(decoding: data, as: UTF8.self)))"
        guard acceptsPicture else { return .refused("\(description): amid a line, not printed") }
        do {
            let (bars, text) = try picture(symbology, data)
            guard bars.width <= areaWidth else {
                return .refused("\(description): \(bars.width) dots wide, which the print area is not; not printed")
            }
            printPicture(withText(bars, text))
            return "\(description), \(bars.width)×\(bars.height) dots"
        } catch {
            return .refused("\(description): \(error.reason)")
        }
    }

    private func picture(_ symbology: BarSymbology, _ data: [UInt8]) throws(SymbolError) -> (Bitmap, text: String) {
        let symbol: BarSymbol
        switch symbology {
        case .upcA: symbol = try EANSymbol.upcA(data)
        case .upcE: symbol = try EANSymbol.upcE(data)
        case .ean13: symbol = try EANSymbol.ean13(data)
        case .ean8: symbol = try EANSymbol.ean8(data)
        case .code39: symbol = try TwoWidthSymbol.code39(data)
        case .itf: symbol = try TwoWidthSymbol.itf(data)
        case .codabar: symbol = try TwoWidthSymbol.codabar(data)
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

    /// Draws GS1 DataBar. A truncated symbol is 13 modules high.
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
        let position = state.barcode.text
        guard position != .none else { return bars }
        let font = state.barcode.font
        var style = TextStyle()
        style.font = font
        let scalars = Array(text.unicodeScalars.prefix(areaWidth / font.width))
        let width = max(bars.width, scalars.count * font.width)
        let rows = font.height + 2
        var picture = Bitmap(
            width: width, height: bars.height + (position.isAbove ? rows : 0) + (position.isBelow ? rows : 0))
        picture.draw(bars, x: (width - bars.width) / 2, y: position.isAbove ? rows : 0)
        for (index, scalar) in scalars.enumerated() {
            let cell = cell(scalar, style, font: font)
            let x = (width - scalars.count * font.width) / 2 + index * font.width
            if position.isAbove { picture.draw(cell, x: x, y: 0) }
            if position.isBelow { picture.draw(cell, x: x, y: picture.height - font.height) }
        }
        return picture
    }
}

// MARK: - Two-dimensional symbols

extension ReceiptPrinter {
    static let symbolCommands: [ReceiptCommand] = [
        ReceiptCommand("GS ( k", .block) { $0.symbol($1) }
    ]

    /// The functions of `GS ( k`: each value of cn is a symbology.
    mutating func symbol(_ arguments: CommandArguments) -> CommandOutcome {
        switch arguments[0] {
        case 48: pdf417(arguments)
        case 49: qr(arguments)
        case 50: maxiCode(arguments)
        case 51: dataBar(arguments)
        case 53: aztec(arguments)
        case 54: dataMatrix(arguments)
        default: .refused("no such symbology")
        }
    }

    private mutating func qr(_ arguments: CommandArguments) -> CommandOutcome {
        switch arguments[1] {
        case 65:
            guard (49...51).contains(arguments[2]) else { return .refused("no such model") }
            state.symbolStyle.qr.isMicro = arguments[2] == 51
            return arguments[2] == 49
                ? .refused("QR model 1: drawn as model 2") : "QR \(arguments[2] == 51 ? "Micro" : "model 2")"
        case 67:
            guard (1...16).contains(arguments[2]) else { return .refused("no such size") }
            state.symbolStyle.qr.module = arguments[2]
            return "QR modules of \(arguments[2]) dots"
        case 69:
            guard (48...51).contains(arguments[2]) else { return .refused("no such level") }
            state.symbolStyle.qr.level = arguments[2] - 47
            return "QR error correction \(["L", "M", "Q", "H"][arguments[2] - 48])"
        case 80:
            state.symbolStyle.qr.data = Array(arguments.from(3))
            return dataOutcome(arguments, "QR")
        case 81:
            let style = state.symbolStyle.qr
            return printSymbol(
                style.isMicro ? .microQR(level: style.level) : .qr(level: style.level), style.data, "QR", style.module,
                style.module)
        case 82: return "asks for the QR's size"
        default: return .refused("no such function")
        }
    }

    private mutating func pdf417(_ arguments: CommandArguments) -> CommandOutcome {
        let value = arguments[2]
        switch arguments[1] {
        case 65:
            guard value <= 30 else { return .refused("no such number of columns") }
            state.symbolStyle.pdf417.columns = value
            return "PDF417 of \(value == 0 ? "as many columns as needed" : "\(value) columns")"
        case 66:
            return value == 0
                ? "PDF417 of as many rows as needed"
                : .refused("PDF417 of \(value) rows: drawn with as many as needed")
        case 67:
            guard (2...8).contains(value) else { return .refused("no such width") }
            state.symbolStyle.pdf417.module = value
            return "PDF417 modules \(value) dots wide"
        case 68:
            guard (2...8).contains(value) else { return .refused("no such height") }
            state.symbolStyle.pdf417.rowHeight = value
            return "PDF417 rows \(value) modules high"
        case 69:
            switch (value, arguments[3]) {
            case (48, 48...56): state.symbolStyle.pdf417.level = .fixed(arguments[3] - 48)
            case (49, 1...40): state.symbolStyle.pdf417.level = .share(arguments[3])
            default: return .refused("no such level")
            }
            return
                "PDF417 error correction \(value == 48 ? "level \(arguments[3] - 48)" : "of \(arguments[3] * 10) percent")"
        case 70:
            state.symbolStyle.pdf417.isTruncated = value & 1 == 1
            return "PDF417 \(value & 1 == 1 ? "truncated" : "whole")"
        case 80:
            state.symbolStyle.pdf417.data = Array(arguments.from(3))
            return dataOutcome(arguments, "PDF417")
        case 81:
            let style = state.symbolStyle.pdf417
            let level = style.levelNumber(dataCount: style.data?.count ?? 0)
            return printSymbol(
                .pdf417(columns: style.columns, level: level, isTruncated: style.isTruncated), style.data, "PDF417",
                style.module,
                style.module * style.rowHeight)
        case 82: return "asks for the PDF417's size"
        default: return .refused("no such function")
        }
    }

    private mutating func dataMatrix(_ arguments: CommandArguments) -> CommandOutcome {
        switch arguments[1] {
        case 66:
            state.symbolStyle.dataMatrix.isSquare = arguments[2] == 48
            return "Data Matrix \(arguments[2] == 48 ? "square" : "rectangular")"
        case 67:
            guard (2...16).contains(arguments[2]) else { return .refused("no such size") }
            state.symbolStyle.dataMatrix.module = arguments[2]
            return "Data Matrix modules of \(arguments[2]) dots"
        case 80:
            state.symbolStyle.dataMatrix.data = Array(arguments.from(3))
            return dataOutcome(arguments, "Data Matrix")
        case 81:
            let style = state.symbolStyle.dataMatrix
            return printSymbol(
                .dataMatrix(isSquare: style.isSquare), style.data, "Data Matrix", style.module, style.module)
        case 82: return "asks for the Data Matrix's size"
        default: return .refused("no such function")
        }
    }

    private mutating func aztec(_ arguments: CommandArguments) -> CommandOutcome {
        switch arguments[1] {
        case 66:
            let (isCompact, layers) = (arguments.choice(2) == 1, arguments[3])
            guard arguments.choice(2) <= 1, layers <= (isCompact ? 4 : 32) else { return .refused("no such layers") }
            (state.symbolStyle.aztec.isCompact, state.symbolStyle.aztec.layers) = (isCompact, layers)
            return layers == 0
                ? "Aztec of as many layers as needed"
                : "Aztec of \(layers) \(isCompact ? "compact" : "full-range") layers"
        case 67:
            guard (2...16).contains(arguments[2]) else { return .refused("no such size") }
            state.symbolStyle.aztec.module = arguments[2]
            return "Aztec modules of \(arguments[2]) dots"
        case 69:
            guard (5...95).contains(arguments[2]) else { return .refused("no such error correction") }
            state.symbolStyle.aztec.percent = arguments[2]
            return arguments[2] <= 50
                ? "Aztec error correction of \(arguments[2]) percent"
                : .refused("Aztec error correction of \(arguments[2]) percent: drawn with 50")
        case 80:
            state.symbolStyle.aztec.data = Array(arguments.from(3))
            return dataOutcome(arguments, "Aztec")
        case 81:
            return printSymbol(
                .aztec(state.symbolStyle.aztec.size), state.symbolStyle.aztec.data, "Aztec",
                state.symbolStyle.aztec.module,
                state.symbolStyle.aztec.module)
        case 82: return "asks for the Aztec's size"
        default: return .refused("no such function")
        }
    }

    private mutating func maxiCode(_ arguments: CommandArguments) -> CommandOutcome {
        switch arguments[1] {
        case 65:
            guard (50...54).contains(arguments[2]) else { return .refused("no such mode") }
            state.symbolStyle.maxiCode.mode = arguments[2] - 48
            return "MaxiCode mode \(arguments[2] - 48)"
        case 80:
            state.symbolStyle.maxiCode.data = Array(arguments.from(3))
            return dataOutcome(arguments, "MaxiCode")
        case 81:
            let style = state.symbolStyle.maxiCode
            guard let data = style.data, !data.isEmpty else { return .refused("no data for MaxiCode") }
            do {
                let message = try MaxiCodeMessage(escPOS: data, mode: style.mode)
                let kind = MatrixSymbol.Kind.maxiCode(message.header, dotsPerInch: model.dotsPerInch)
                return printSymbol(kind, message.data, "MaxiCode", 1, 1)
            } catch {
                return .refused("MaxiCode: \(error.reason)")
            }
        case 82: return "asks for the MaxiCode's size"
        default: return .refused("no such function")
        }
    }

    private mutating func dataBar(_ arguments: CommandArguments) -> CommandOutcome {
        switch arguments[1] {
        case 67:
            guard (2...8).contains(arguments[2]) else { return .refused("no such width") }
            state.symbolStyle.dataBar.module = arguments[2]
            return "GS1 DataBar modules of \(arguments[2]) dots"
        case 71:
            guard (106...3952).contains(arguments.word(2)) else { return .refused("no such width") }
            state.symbolStyle.dataBar.maximumWidth = arguments.word(2)
            return "GS1 DataBar Expanded Stacked at most \(arguments.word(2)) dots wide"
        case 80:
            let kinds: [Int: MatrixSymbol.Kind] = [
                72: .dataBarStacked, 73: .dataBarStackedOmni, 76: .dataBarExpandedStacked(columns: 0),
            ]
            guard let kind = kinds[arguments[3]] else { return .refused("no such kind") }
            state.symbolStyle.dataBar.kind = kind
            state.symbolStyle.dataBar.data = Array(arguments.from(4))
            return "keep \(arguments.count - 4) bytes for GS1 DataBar"
        case 81:
            let style = state.symbolStyle.dataBar
            guard var kind = style.kind else { return .refused("no data for GS1 DataBar") }
            if case .dataBarExpandedStacked = kind {
                // Guards of 4 modules, and 49 for each pair of segments.
                kind = .dataBarExpandedStacked(columns: max(1, (style.maximumWidth / style.module - 4) / 49))
            }
            return printSymbol(kind, style.data, "GS1 DataBar", style.module, style.module)
        case 82: return "asks for the GS1 DataBar's size"
        default: return .refused("no such function")
        }
    }

    /// The outcome of a function that stores data.
    private func dataOutcome(_ arguments: CommandArguments, _ name: String) -> CommandOutcome {
        "\(name) data \(PaperEvent.quoted(String(decoding: arguments.from(3), as: UTF8.self)))"
    }

    /// Prints a two-dimensional symbol with modules of so many dots.
    mutating func printSymbol(
        _ kind: MatrixSymbol.Kind, _ data: [UInt8]?, _ name: String, _ width: Int, _ height: Int
    ) -> CommandOutcome {
        guard let data, !data.isEmpty else { return .refused("no data for \(name)") }
        guard acceptsPicture else { return .refused("\(name): amid a line, not printed") }
        guard let modules = symbols.modules(MatrixSymbol(kind, data)) else {
            return .refused("\(name): the data does not fit it")
        }
        guard modules.width * width <= areaWidth else {
            return .refused("\(name): \(modules.width * width) dots wide, which the print area is not; not printed")
        }
        printPicture(modules.scaled(width, height))
        return
            "print \(name), \(modules.width)×\(modules.height) modules, \(modules.width * width)×\(modules.height * height) dots"
    }
}
