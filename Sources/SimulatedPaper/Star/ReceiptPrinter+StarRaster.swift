/// Star's raster mode: the page comes as rows of dots, and nothing else is text.
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
        ReceiptCommand("ESC * r K", .untilNUL) { _, _ in "colour" },
        ReceiptCommand("ESC * r D", .untilNUL) { _, _ in "drawer" },
        ReceiptCommand("ESC * r V", .untilNUL) { _, _ in "sound" },
        ReceiptCommand("ESC * r m l", .untilNUL) { printer, arguments in
            let left = min(printer.model.width, arguments.decimal * PrinterFont.a.width)
            printer.state.raster?.left = left
            return "left margin \(arguments.decimal) characters"
        },
        ReceiptCommand("ESC * r m r", .untilNUL) { _, arguments in "right margin \(arguments.decimal) characters" },
        ReceiptCommand("ESC * r Y", .untilNUL) { printer, arguments in
            printer.roll.feed(arguments.decimal)
            return "feed \(arguments.decimal) rows"
        },
    ]

    /// Only while raster mode lasts.
    static let starRasterRows: [ReceiptCommand] = [
        ReceiptCommand("b", .block) { $0.printRow($1, feeds: true) },
        ReceiptCommand("k", .block) { $0.printRow($1, feeds: false) },
        ReceiptCommand("ESC FF NUL", .fixed(0)) { printer, _ in
            printer.act(printer.state.raster?.formFeed ?? 0)
            return "end of the page\(printer.rasterMeaning(printer.state.raster?.formFeed))"
        },
        ReceiptCommand("ESC FF EOT", .fixed(0)) { printer, _ in
            CommandOutcome("end of the document\(printer.endRasterPage())")
        },
    ]

    private mutating func printRow(_ arguments: CommandArguments, feeds: Bool) -> CommandOutcome {
        let row = Bitmap(width: arguments.count * 8, height: 1, rows: arguments.bytes)
        roll.draw(row.cropped(width: model.width, height: 1), x: state.raster?.left ?? 0)
        if feeds { roll.feed(1) }
        state.raster?.hasRows = true
        return ""
    }

    private mutating func endRasterPage() -> String {
        guard let raster = state.raster, raster.hasRows else { return "" }
        state.raster?.hasRows = false
        act(raster.end)
        return rasterMeaning(raster.end)
    }

    private func rasterMeaning(_ mode: Int?) -> String { mode.map { ": \(RasterMode.meaning($0))" } ?? "" }

    private mutating func act(_ mode: Int) {
        switch mode {
        case 2, 3: roll.feed(model.cutterDistance)
        case 8, 12: _ = cutHere(isPartial: mode == 12)
        case 9, 13: _ = cut(after: 0, isPartial: mode == 13)
        default: break
        }
    }
}

/// What raster mode has set.
struct RasterMode {
    /// What happens at the end of the document and of a page, by Star's numbers.
    var end = 0
    var formFeed = 0
    var left = 0
    var hasRows = false

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

extension CommandArguments {
    /// Digits as people write them; 0 where they are none.
    var decimal: Int { bytes.count > 6 ? 0 : Int(String(decoding: bytes, as: UTF8.self)) ?? 0 }
}
