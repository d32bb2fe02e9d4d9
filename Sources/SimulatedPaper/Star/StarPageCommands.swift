/// Star's page mode (`ESC GS P`): areas that are filled each in its own direction, and printed together. Its unit is an
/// eighth of a millimetre.
extension ReceiptPrinter {
    static let starPageCommands: [ReceiptCommand] = [
        ReceiptCommand("ESC GS P 0", .fixed(0)) { printer, _ in
            guard !printer.isInPageMode else { return .refused("in page mode already") }
            guard printer.isAtLineStart else { return .refused("amid a line: ignored") }
            printer.beginPage()
            return "page mode"
        },
        ReceiptCommand("ESC GS P 1", .fixed(0)) { printer, _ in
            printer.endPage()
            printer.clearLine()
            return "line mode; what wasn't printed of the page is dropped"
        },
        ReceiptCommand("ESC GS P 2", .fixed(1)) { printer, arguments in
            guard printer.isInPageMode else { return .refused("not in page mode") }
            guard let direction = PageCanvas.Direction(rawValue: arguments.choice(0)) else {
                return .refused("no such direction")
            }
            printer.turnPage(to: direction)
            return "start at \(direction)"
        },
        ReceiptCommand("ESC GS P 3", .fixed(8)) { printer, arguments in
            guard printer.isInPageMode else { return .refused("not in page mode") }
            let numbers = [0, 2, 4, 6].map { printer.dots(eighths: arguments.word($0)) }
            guard printer.setPageArea(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]) else {
                return .refused("an area outside the page")
            }
            return "area of \(numbers[2])×\(numbers[3]) dots at \(numbers[0]), \(numbers[1])"
        },
        ReceiptCommand("ESC GS P 4", .fixed(2)) { printer, arguments in
            let position = printer.dots(eighths: arguments.word(0))
            return printer.movePageBaseline(to: { _ in position })
        },
        ReceiptCommand("ESC GS P 5", .fixed(2)) { printer, arguments in
            let distance = printer.dots(eighths: arguments.signedWord(0))
            return printer.movePageBaseline(to: { $0 + distance })
        },
        ReceiptCommand("ESC GS P 6", .fixed(0)) { printer, _ in
            guard printer.isInPageMode else { return .refused("not in page mode") }
            printer.printPage()
            return "print the page"
        },
        ReceiptCommand("ESC GS P 7", .fixed(0)) { printer, _ in
            guard printer.isInPageMode else { return .refused("not in page mode") }
            printer.printPage()
            printer.endPage()
            return "print the page, back to line mode"
        },
        ReceiptCommand("ESC GS P 8", .fixed(0)) { printer, _ in
            guard printer.isInPageMode else { return .refused("not in page mode") }
            printer.clearPage()
            return "clear the page"
        },
    ]

    /// Dots of so many eighths of a millimetre: one each at 203 dpi.
    private func dots(eighths count: Int) -> Int { (count * model.dotsPerInch * 5 + 508) / 1016 }
}
