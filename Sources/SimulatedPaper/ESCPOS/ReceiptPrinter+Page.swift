/// Page mode: a page is composed in memory and printed at once.
extension ReceiptPrinter {
    static let pageCommands: [ReceiptCommand] = [
        ReceiptCommand("ESC L", .fixed(0)) { printer, _ in
            guard printer.page == nil else { return .refused("in page mode already") }
            guard printer.isAtLineStart else { return .refused("amid a line: ignored") }
            printer.page = PageCanvas(printer.model)
            return "page mode"
        },
        ReceiptCommand("ESC S", .fixed(0)) { printer, _ in
            printer.page = nil
            (printer.line, printer.column) = ([], 0)
            return "standard mode; what wasn't printed of the page is dropped"
        },
        ReceiptCommand("FF", .fixed(0)) { printer, _ in
            guard printer.page != nil else { return "to the next label" }
            printer.printPage()
            printer.page = nil
            return "print the page, back to standard mode"
        },
        ReceiptCommand("ESC FF", .fixed(0)) { printer, _ in
            guard printer.page != nil else { return .refused("not in page mode") }
            printer.printPage()
            return "print the page"
        },
        ReceiptCommand("CAN", .fixed(0)) { printer, _ in
            guard printer.page != nil else { return .refused("not in page mode") }
            printer.page?.clear()
            (printer.line, printer.column) = ([], 0)
            return "clear the page"
        },
        ReceiptCommand("ESC T", .fixed(1)) { printer, arguments in
            guard printer.page != nil else { return .refused("not in page mode") }
            guard let direction = PageCanvas.Direction(rawValue: arguments.choice(0)) else {
                return .refused("no such direction")
            }
            printer.finishPageLine()
            printer.page?.turn(to: direction)
            return "start at \(direction)"
        },
        ReceiptCommand("ESC W", .fixed(8)) { $0.setPageArea($1) },
        ReceiptCommand("GS $", .fixed(2)) { printer, arguments in
            let place = printer.down(arguments.word(0))
            return printer.movePageLine(to: { _ in place })
        },
        ReceiptCommand("GS \\", .fixed(2)) { printer, arguments in
            let distance = printer.down(arguments.signedWord(0))
            return printer.movePageLine(to: { $0 + distance })
        },
        ReceiptCommand("GS ( P", .block) { _, _ in "size of the page" },
        ReceiptCommand("GS ( Q", .block) { _, arguments in
            .refused("draw a \(arguments[0] == 48 ? "line" : "rectangle"): this printer has none")
        },
    ]

    /// What was placed stays where it is; the next line would lie below.
    private mutating func finishPageLine() { printLine(feeding: 0) }

    private mutating func setPageArea(_ arguments: CommandArguments) -> CommandOutcome {
        guard page != nil else { return .refused("not in page mode") }
        finishPageLine()
        let place = (x: across(arguments.word(0)), y: down(arguments.word(2)))
        let size = (width: across(arguments.word(4)), height: down(arguments.word(6)))
        guard page?.setArea(x: place.x, y: place.y, width: size.width, height: size.height) == true else {
            return .refused("an area outside the page")
        }
        return "area of \(size.width)×\(size.height) dots at \(place.x), \(place.y)"
    }

    private mutating func movePageLine(to place: (Int) -> Int) -> CommandOutcome {
        guard let page else { return .refused("not in page mode") }
        let baseline = place(page.baseline)
        guard (0...page.height).contains(baseline) else { return .refused("to \(baseline): outside the area, ignored") }
        let column = column
        finishPageLine()
        self.column = column
        self.page?.baseline = baseline
        return "baseline at \(baseline)"
    }

    private mutating func printPage() {
        finishPageLine()
        guard let picture = page?.finished() else { return }
        roll.draw(picture, x: 0)
        roll.feed(picture.height)
    }
}
