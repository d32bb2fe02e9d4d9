/// The ESC/POS commands for lines, feeds, cuts, positions and page mode.
extension ReceiptPrinter {
    static let lineCommands: [ReceiptCommand] = [
        ReceiptCommand("LF", .fixed(0)) { printer, _ in
            printer.printLine(feeding: printer.state.lineSpacing)
            return ""
        },
        ReceiptCommand("CR", .fixed(0)) { _, _ in "ignored: lines end with LF" },
        ReceiptCommand("ESC J", .fixed(1)) { printer, arguments in
            let rows = printer.down(arguments[0])
            printer.printLine(feeding: rows)
            return "print and feed \(rows) dots"
        },
        ReceiptCommand("ESC d", .fixed(1)) { printer, arguments in
            printer.printLine(feeding: arguments[0] * printer.state.lineSpacing)
            return "print and feed \(arguments[0]) lines"
        },
        ReceiptCommand("ESC K", .fixed(1)) { printer, arguments in
            printer.printLine(feeding: 0)
            printer.feedBack(printer.down(arguments[0]))
            return "print and feed back \(printer.down(arguments[0])) dots"
        },
        ReceiptCommand("ESC e", .fixed(1)) { printer, arguments in
            printer.printLine(feeding: 0)
            printer.feedBack(arguments[0] * printer.state.lineSpacing)
            return "print and feed back \(arguments[0]) lines"
        },
        ReceiptCommand("ESC 2", .fixed(0)) { printer, _ in
            printer.state.lineSpacing = printer.model.lineSpacing
            return "line spacing as usual, \(printer.model.lineSpacing) dots"
        },
        ReceiptCommand("ESC 3", .fixed(1)) { printer, arguments in
            printer.state.lineSpacing = printer.down(arguments[0])
            return "line spacing \(printer.state.lineSpacing) dots"
        },
        ReceiptCommand("GS V", .read(cutParameters)) { $0.cut($1) },
        ReceiptCommand("ESC i", .fixed(0)) { printer, _ in printer.cutHere(isPartial: true) },
        ReceiptCommand("ESC m", .fixed(0)) { printer, _ in printer.cutHere(isPartial: true) },
    ]

    /// Function A has one parameter, B, C and D have two.
    @Sendable private static func cutParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let mode = reader.peek() else { return nil }
        return reader.take([0, 1, 48, 49].contains(mode) ? 1 : 2)
    }

    private mutating func cut(_ arguments: CommandArguments) -> CommandOutcome {
        switch arguments[0] {
        case 0, 48: return cutHere(isPartial: false)
        case 1, 49: return cutHere(isPartial: true)
        case 65, 66:
            return cut(after: down(arguments[1]), isPartial: arguments[0] == 66)
        case 97, 98:
            _ = cut(after: down(arguments[1]), isPartial: arguments[0] == 98)
            return
                "set where to cut: \(arguments[0] == 98 ? "partially" : "fully"), once \(down(arguments[1])) dots are past the blade"
        case 103, 104:
            let outcome = cut(after: down(arguments[1]), isPartial: arguments[0] == 104)
            feedBack(model.cutterDistance)
            return CommandOutcome(outcome.meaning + "; then back to the start of the paper", isFault: outcome.isFault)
        default: return .refused("no such cut")
        }
    }

    // MARK: - Margins, justification and positions

    static let positionCommands: [ReceiptCommand] = [
        ReceiptCommand("HT", .fixed(0)) { printer, _ in printer.moveToTabStop() },
        ReceiptCommand("ESC D", .read(tabParameters)) { printer, arguments in
            let step = printer.state.style.font.width * printer.state.style.widthScale + printer.state.style.spacing
            printer.state.tabs = arguments.bytes.map { Int($0) * step }
            return arguments.count == 0
                ? "no tab stops" : "tab stops at \(printer.state.tabs.map(String.init).joined(separator: ", ")) dots"
        },
        ReceiptCommand("ESC $", .fixed(2)) { printer, arguments in
            printer.move(to: printer.across(arguments.word(0)), "")
        },
        ReceiptCommand("ESC \\", .fixed(2)) { printer, arguments in
            printer.move(
                to: printer.column + printer.across(arguments.signedWord(0)),
                "by \(printer.across(arguments.signedWord(0))) dots, ")
        },
        ReceiptCommand("ESC a", .fixed(1)) { printer, arguments in
            guard let justification = Justification(rawValue: arguments.choice(0)) else {
                return .refused("no such justification")
            }
            // A page keeps it for later.
            guard printer.isAtLineStart || printer.isInPageMode else { return .refused("amid a line: ignored") }
            printer.state.justification = justification
            return "justify \(justification)\(printer.isInPageMode ? ", once back in standard mode" : "")"
        },
        ReceiptCommand("GS L", .fixed(2)) { printer, arguments in
            guard printer.isAtLineStart else { return .refused("amid a line: ignored") }
            printer.state.leftMargin = min(printer.model.width, printer.across(arguments.word(0)))
            return "left margin \(printer.state.leftMargin) dots"
        },
        ReceiptCommand("GS W", .fixed(2)) { printer, arguments in
            guard printer.isAtLineStart else { return .refused("amid a line: ignored") }
            printer.state.areaWidth = printer.across(arguments.word(0))
            return "print \(printer.areaWidth) dots wide"
        },
        ReceiptCommand("GS P", .fixed(2)) { printer, arguments in
            printer.state.horizontalUnits = arguments[0] == 0 ? printer.model.horizontalUnits : arguments[0]
            printer.state.verticalUnits = arguments[1] == 0 ? printer.model.verticalUnits : arguments[1]
            return "motion units 1/\(printer.state.horizontalUnits) and 1/\(printer.state.verticalUnits) inch"
        },
        ReceiptCommand("GS T", .fixed(1)) { printer, arguments in
            switch arguments.choice(0) {
            case 0: printer.clearLine()
            case 1: if !printer.isAtLineStart { printer.printLine(feeding: printer.state.lineSpacing) }
            default: return .refused("no such choice")
            }
            return arguments.choice(0) == 0
                ? "to the start of the line; what stands there is dropped" : "print the line and begin another"
        },
        ReceiptCommand("ESC <", .fixed(0)) { _, _ in "head to its home" },
        ReceiptCommand("ESC U", .fixed(1)) { _, arguments in
            arguments[0] & 1 == 1 ? "print in one direction" : "print in both directions"
        },
    ]

    /// Up to 32 columns in ascending order, ended by a NUL or by the first byte that is not greater. Only the NUL is
    /// consumed.
    @Sendable private static func tabParameters(_ reader: inout ByteReader) -> [UInt8]? {
        var stops: [UInt8] = []
        while stops.count < 32, let stop = reader.peek(), stop > stops.last ?? 0 {
            stops.append(stop)
            reader.skip(1)
        }
        guard let end = reader.peek() else { return nil }
        if end == 0 { reader.skip(1) }
        return stops
    }

    // MARK: - Page mode

    static let pageCommands: [ReceiptCommand] = [
        ReceiptCommand("ESC L", .fixed(0)) { printer, _ in
            guard !printer.isInPageMode else { return .refused("in page mode already") }
            guard printer.isAtLineStart else { return .refused("amid a line: ignored") }
            printer.beginPage()
            printer.turnPage(to: printer.state.pageDirection)
            return "page mode"
        },
        ReceiptCommand("ESC S", .fixed(0)) { printer, _ in
            printer.endPage()
            printer.clearLine()
            return "standard mode; what wasn't printed of the page is dropped"
        },
        ReceiptCommand("FF", .fixed(0)) { printer, _ in
            guard printer.isInPageMode else { return "to the next label" }
            printer.printPage()
            printer.endPage()
            return "print the page, back to standard mode"
        },
        ReceiptCommand("ESC FF", .fixed(0)) { printer, _ in
            guard printer.isInPageMode else { return .refused("not in page mode") }
            printer.printPage()
            return "print the page"
        },
        ReceiptCommand("CAN", .fixed(0)) { printer, _ in
            guard printer.isInPageMode else { return .refused("not in page mode") }
            printer.clearPage()
            return "clear the page"
        },
        ReceiptCommand("ESC T", .fixed(1)) { printer, arguments in
            guard let direction = PageCanvas.Direction(rawValue: arguments.choice(0)) else {
                return .refused("no such direction")
            }
            // It lasts from page to page.
            printer.state.pageDirection = direction
            guard printer.isInPageMode else { return "the next page starts at \(direction)" }
            printer.turnPage(to: direction)
            return "start at \(direction)"
        },
        ReceiptCommand("ESC W", .fixed(8)) { $0.setPageArea($1) },
        ReceiptCommand("GS $", .fixed(2)) { printer, arguments in
            let position = printer.down(arguments.word(0))
            return printer.movePageBaseline(to: { _ in position })
        },
        ReceiptCommand("GS \\", .fixed(2)) { printer, arguments in
            let distance = printer.down(arguments.signedWord(0))
            return printer.movePageBaseline(to: { $0 + distance })
        },
        ReceiptCommand("GS ( P", .block) { _, _ in "size of the page" },
        ReceiptCommand("GS ( Q", .block) { $0.drawLines($1) },
    ]

    /// Draws a line (48) or a rectangle (49): two corners, the colour, and the kind of line, which is 1 to 3 dots thick.
    private mutating func drawLines(_ arguments: CommandArguments) -> CommandOutcome {
        let isLine = arguments[0] == 48
        guard isInPageMode else { return .refused("not in page mode") }
        guard isLine || arguments[0] == 49, arguments.count == (isLine ? 12 : 14) else {
            return .refused("no such function")
        }
        guard arguments[9] == 1, (1...3).contains(arguments[10]) else { return .refused("no such colour or line") }
        let (start, end) = (
            (x: across(arguments.word(1)), y: down(arguments.word(3))),
            (x: across(arguments.word(5)), y: down(arguments.word(7)))
        )
        guard !isLine || start.x == end.x || start.y == end.y else { return .refused("an oblique line") }
        let (right, below) = ((x: end.x, y: start.y), (x: start.x, y: end.y))
        let lines =
            isLine ? [(start, end)] : [(start, right), (below, end), (start, below), (right, end)]
        for (from, to) in lines where !drawPageLine(from: from, to: to, thickness: arguments[10]) {
            return .refused("outside the area")
        }
        return "draw a \(isLine ? "line" : "rectangle") from \(start.x), \(start.y) to \(end.x), \(end.y)"
    }

    private mutating func setPageArea(_ arguments: CommandArguments) -> CommandOutcome {
        guard isInPageMode else { return .refused("not in page mode") }
        let position = (x: across(arguments.word(0)), y: down(arguments.word(2)))
        let size = (width: across(arguments.word(4)), height: down(arguments.word(6)))
        guard setPageArea(x: position.x, y: position.y, width: size.width, height: size.height) else {
            return .refused("an area outside the page")
        }
        return "area of \(size.width)×\(size.height) dots at \(position.x), \(position.y)"
    }
}
