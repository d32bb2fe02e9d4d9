/// Star Line Mode and StarPRNT: pictures, barcodes and symbols.
extension ReceiptPrinter {
    static let starPictureCommands: [ReceiptCommand] = [
        ReceiptCommand("ESC K", .read(columnParameters(1))) { printer, arguments in
            printer.addStarColumns(arguments, bytesPerColumn: 1, across: 2, down: 3)
        },
        ReceiptCommand("ESC L", .read(columnParameters(1))) { printer, arguments in
            printer.addStarColumns(arguments, bytesPerColumn: 1, across: 1, down: 3)
        },
        ReceiptCommand("ESC X", .read(columnParameters(3))) { printer, arguments in
            printer.addStarColumns(arguments, bytesPerColumn: 3, across: 1, down: 1)
        },
        ReceiptCommand("ESC k", .read(fineParameters)) { printer, arguments in
            let picture = Bitmap(width: arguments.word(0) * 8, height: 24, rows: arguments.from(2))
            printer.add(picture, descent: PrinterFont.a.descent)
            return "\(picture.width)×24 dots"
        },
        ReceiptCommand("ESC GS S", .read(rasterParameters)) { printer, arguments in
            guard arguments.choice(0) == 1 else { return .refused("no such tone") }
            let picture = Bitmap(width: arguments.word(1) * 8, height: arguments.word(3), rows: arguments.from(6))
            if !printer.isAtLineStart { printer.printLine(feeding: printer.state.lineSpacing) }
            printer.printPicture(picture)
            return
                "\(picture.width)×\(picture.height) dots\(picture.width > printer.areaWidth ? ", cut off at \(printer.areaWidth)" : "")"
        },
        ReceiptCommand("ESC FS q", .read(logoParameters)) { $0.keepLogos($1) },
        ReceiptCommand("ESC FS p", .fixed(2)) { printer, arguments in
            guard printer.memory.logos.indices.contains(arguments[0] - 1) else {
                return .refused("no logo \(arguments[0]) was kept")
            }
            return printer.print(printer.memory.logos[arguments[0] - 1], mode: arguments[1])
        },
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
    ]

    /// n1 n2, then so many columns.
    private static func columnParameters(_ bytesPerColumn: Int) -> @Sendable (inout ByteReader) -> [UInt8]? {
        { reader in
            guard let head = reader.take(2) else { return nil }
            return reader.take(CommandArguments(head[...]).word(0) * bytesPerColumn).map { head + $0 }
        }
    }

    /// n1 n2, then 24 rows of so many bytes.
    @Sendable private static func fineParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(2) else { return nil }
        return reader.take(CommandArguments(head[...]).word(0) * 24).map { head + $0 }
    }

    /// m xL xH yL yH n, then x times y bytes.
    @Sendable private static func rasterParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(6) else { return nil }
        let arguments = CommandArguments(head[...])
        return reader.take(arguments.word(1) * arguments.word(3)).map { head + $0 }
    }

    /// m nL nH, then the data: the length is left out of what is returned.
    @Sendable private static func qrParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(3) else { return nil }
        return reader.take(CommandArguments(head[...]).word(1)).map { [head[0]] + $0 }
    }

    private mutating func addStarColumns(
        _ arguments: CommandArguments, bytesPerColumn: Int, across: Int, down: Int
    ) -> CommandOutcome {
        let picture = Bitmap(columns: arguments.from(2), bytesPerColumn: bytesPerColumn)
        let visible = picture.cropped(width: areaWidth, height: picture.height).scaled(across, down)
        add(visible, descent: PrinterFont.a.descent)
        return "\(picture.width) columns of \(picture.height) dots, each dot \(across)×\(down)"
    }

    private mutating func printStarSymbol(
        _ kind: MatrixSymbol.Kind, _ data: [UInt8]?, _ name: String, _ width: Int, _ height: Int
    ) -> CommandOutcome {
        // Star prints what is on the line first.
        if !isAtLineStart { printLine(feeding: state.lineSpacing) }
        return print(kind, data, name, width, height)
    }
}
