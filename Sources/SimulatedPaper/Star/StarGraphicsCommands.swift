/// Star Line Mode and StarPRNT: pictures and raster mode.
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
        ReceiptCommand("ESC FS q", .read(logoParameters)) { $0.storeLogos($1) },
        ReceiptCommand("ESC FS p", .fixed(2)) { $0.printLogo($1) },
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

    private mutating func addStarColumns(
        _ arguments: CommandArguments, bytesPerColumn: Int, across: Int, down: Int
    ) -> CommandOutcome {
        let picture = Bitmap(columns: arguments.from(2), bytesPerColumn: bytesPerColumn)
        let visible = picture.cropped(width: areaWidth, height: picture.height).scaled(across, down)
        add(visible, descent: PrinterFont.a.descent)
        return "\(picture.width) columns of \(picture.height) dots, each dot \(across)×\(down)"
    }
}

// MARK: - Raster mode

/// Raster mode: the page is sent as rows of dots, and no byte is text.
extension ReceiptPrinter {
    static let starRasterCommands: [ReceiptCommand] = [
        ReceiptCommand("ESC * r A", .fixed(0)) { printer, _ in
            if !printer.isAtLineStart { printer.printLine(feeding: printer.state.lineSpacing) }
            printer.state.raster = RasterMode()
            return "raster mode"
        },
        ReceiptCommand("ESC * r R", .fixed(0)) { printer, _ in
            if printer.state.raster != nil { printer.state.raster = RasterMode() }
            return "raster mode as at first"
        },
        ReceiptCommand("ESC * r B", .fixed(0)) { printer, _ in
            let outcome = printer.endRasterPage()
            printer.state.raster = nil
            return CommandOutcome("line mode\(outcome)")
        },
        ReceiptCommand("ESC * r C", .fixed(0)) { _, _ in "clear the raster buffer" },
        ReceiptCommand("ESC * r E", .untilNUL) { printer, arguments in
            printer.state.raster?.end = arguments.decimal
            return "at the document's end: \(RasterMode.meaning(arguments.decimal))"
        },
        ReceiptCommand("ESC * r F", .untilNUL) { printer, arguments in
            printer.state.raster?.formFeed = arguments.decimal
            return "at a page's end: \(RasterMode.meaning(arguments.decimal))"
        },
        ReceiptCommand("ESC * r P", .untilNUL) { _, arguments in "page of \(arguments.decimal) rows" },
        ReceiptCommand("ESC * r Q", .untilNUL) { _, arguments in "quality \(arguments.decimal)" },
        ReceiptCommand("ESC * r T", .untilNUL) { _, _ in "top margin" },
        ReceiptCommand("ESC * r K", .untilNUL) { printer, arguments in
            guard printer.state.isTwoColour || arguments.decimal == 0 else {
                return .refused("not in the mode of two colours")
            }
            printer.state.raster?.isRed = arguments.decimal != 0
            return arguments.decimal == 0 ? "black" : "the second colour, red"
        },
        ReceiptCommand("ESC * r D", .untilNUL) { _, _ in "drawer" },
        ReceiptCommand("ESC * r V", .untilNUL) { _, arguments in
            CommandOutcome("sound buzzer \(PaperEvent.quoted(String(decoding: arguments.bytes, as: UTF8.self)))")
        },
        ReceiptCommand("ESC * r m l", .untilNUL) { printer, arguments in
            let left = min(printer.model.width, arguments.decimal * PrinterFont.a.width)
            printer.state.raster?.left = left
            return "left margin \(arguments.decimal) characters"
        },
        ReceiptCommand("ESC * r m r", .untilNUL) { _, arguments in "right margin \(arguments.decimal) characters" },
        ReceiptCommand("ESC * r Y", .untilNUL) { printer, arguments in
            printer.feed(arguments.decimal)
            return "feed \(arguments.decimal) rows"
        },
    ]

    /// The commands that exist in raster mode only.
    static let starRasterRows: [ReceiptCommand] = [
        ReceiptCommand("b", .block) { $0.printRow($1, feeds: true) },
        ReceiptCommand("k", .block) { $0.printRow($1, feeds: false) },
        ReceiptCommand("ESC FF NUL", .fixed(0)) { printer, _ in
            printer.performEnd(printer.state.raster?.formFeed ?? 0)
            return "end of the page\(printer.rasterMeaning(printer.state.raster?.formFeed))"
        },
        ReceiptCommand("ESC FF EOT", .fixed(0)) { printer, _ in
            CommandOutcome("end of the document\(printer.endRasterPage())")
        },
    ]

    private mutating func printRow(_ arguments: CommandArguments, feeds: Bool) -> CommandOutcome {
        let row = Bitmap(width: arguments.count * 8, height: 1, rows: arguments.bytes)
        drawRow(row.cropped(width: model.width, height: 1), x: state.raster?.left ?? 0)
        if feeds { feed(1) }
        state.raster?.hasRows = true
        return ""
    }

    private mutating func endRasterPage() -> String {
        guard let raster = state.raster, raster.hasRows else { return "" }
        state.raster?.hasRows = false
        performEnd(raster.end)
        return rasterMeaning(raster.end)
    }

    private func rasterMeaning(_ mode: Int?) -> String { mode.map { ": \(RasterMode.meaning($0))" } ?? "" }

    /// Feeds or cuts at the end of a page or document, by Star's numbers.
    private mutating func performEnd(_ mode: Int) {
        switch mode {
        case 2, 3: feed(model.cutterDistance)
        case 8, 12: _ = cutHere(isPartial: mode == 12)
        case 9, 13: _ = cut(after: 0, isPartial: mode == 13)
        default: break
        }
    }
}

/// The settings of raster mode.
struct RasterMode {
    /// The action at the end of the document and of a page, by Star's numbers.
    var end = 0
    var formFeed = 0
    var left = 0
    var hasRows = false
    var isRed = false

    static func meaning(_ mode: Int) -> String {
        switch mode {
        case 2, 3: "feed past the blade"
        case 8: "full cut"
        case 9: "feed past the blade, full cut"
        case 12: "partial cut"
        case 13: "feed past the blade, partial cut"
        default: "nothing"
        }
    }
}
