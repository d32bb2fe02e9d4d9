/// Star Line Mode and StarPRNT: lines, places, cuts, drawers.
extension ReceiptPrinter {
    static let starLineCommands: [ReceiptCommand] = [
        ReceiptCommand("LF", .fixed(0)) { printer, _ in
            printer.printLine(feeding: printer.state.lineSpacing)
            return ""
        },
        ReceiptCommand("CR", .fixed(0)) { _, _ in "ignored: lines end with LF" },
        ReceiptCommand("FF", .fixed(0)) { _, _ in "to the next page" },
        ReceiptCommand("ESC a", .fixed(1)) { printer, arguments in
            printer.printLine(feeding: arguments[0] * printer.state.lineSpacing)
            return "print and feed \(arguments[0]) lines"
        },
        ReceiptCommand("ESC J", .fixed(1)) { printer, arguments in printer.feed(arguments[0], partsOfMillimetre: 4) },
        ReceiptCommand("ESC I", .fixed(1)) { printer, arguments in printer.feed(arguments[0], partsOfMillimetre: 8) },
        ReceiptCommand("ESC z", .fixed(1)) { printer, arguments in
            printer.setStarSpacing(millimetres: arguments.choice(0) & 1 == 1 ? 4 : 3)
        },
        ReceiptCommand("ESC 0", .fixed(0)) { printer, _ in printer.setStarSpacing(millimetres: 3) },
        ReceiptCommand("ESC C", .read(pageLengthParameters)) { _, _ in "length of a page" },
        ReceiptCommand("ESC l", .fixed(1)) { printer, arguments in
            printer.state.leftMargin = min(printer.model.width, arguments[0] * printer.state.style.font.width)
            return "left margin \(printer.state.leftMargin) dots"
        },
        ReceiptCommand("ESC Q", .fixed(1)) { printer, arguments in
            printer.state.areaWidth = max(0, arguments[0] * printer.state.style.font.width - printer.state.leftMargin)
            return "right margin at \(arguments[0] * printer.state.style.font.width) dots"
        },
        ReceiptCommand("HT", .fixed(0)) { $0.tab($1) },
        ReceiptCommand("ESC D", .untilNUL) { printer, arguments in
            printer.state.tabs = arguments.bytes.prefix(32).map { Int($0) * printer.state.style.font.width }
            return "tab stops at \(printer.state.tabs.map(String.init).joined(separator: ", ")) dots"
        },
        ReceiptCommand("ESC GS A", .fixed(2)) { printer, arguments in printer.move(to: arguments.word(0), "") },
        ReceiptCommand("ESC GS R", .fixed(2)) { printer, arguments in
            printer.move(to: printer.column + arguments.signedWord(0), "by \(arguments.signedWord(0)) dots, ")
        },
        ReceiptCommand("ESC GS a", .fixed(1)) { printer, arguments in
            guard let justification = Justification(rawValue: arguments.choice(0)) else {
                return .refused("no such justification")
            }
            guard printer.isAtLineStart else { return .refused("amid a line: ignored") }
            printer.state.justification = justification
            return "justify \(justification)"
        },
        ReceiptCommand("ESC d", .fixed(1)) { printer, arguments in
            let mode = arguments.choice(0)
            guard mode <= 3 else { return .refused("no such cut") }
            return mode < 2 ? printer.cutHere(isPartial: mode == 1) : printer.cut(after: 0, isPartial: mode == 3)
        },
        ReceiptCommand("BEL", .fixed(0)) { _, _ in "open drawer 1" },
        ReceiptCommand("FS", .fixed(0)) { _, _ in "open drawer 1 at once" },
        ReceiptCommand("SUB", .fixed(0)) { _, _ in "open drawer 2" },
        ReceiptCommand("EM", .fixed(0)) { _, _ in "open drawer 2 at once" },
        ReceiptCommand("ESC BEL", .fixed(2)) { _, arguments in
            "drawer 1: \(arguments[0] * 10) ms on, \(arguments[1] * 10) ms off"
        },
        ReceiptCommand("ESC ACK SOH", .fixed(0)) { _, _ in "asks for the printer's status" },
        ReceiptCommand("ESC RS a", .fixed(1)) { _, arguments in "automatic status \(arguments.choice(0))" },
        ReceiptCommand("ESC RS E", .fixed(1)) { _, _ in "clear the ETB counter" },
        ReceiptCommand("ETB", .fixed(0)) { _, _ in "asks to be told when this is printed" },
        ReceiptCommand("ENQ", .fixed(0)) { _, _ in "asks for its status" },
        ReceiptCommand("EOT", .fixed(0)) { _, _ in "asks for its paper sensors" },
        ReceiptCommand("CAN", .fixed(0)) { _, _ in "drop what was received" },
        ReceiptCommand("ESC RS d", .fixed(1)) { _, arguments in "density \(arguments.choice(0))" },
        ReceiptCommand("ESC RS r", .fixed(1)) { _, arguments in "speed \(arguments.choice(0))" },
        ReceiptCommand("ESC RS C", .fixed(1)) { _, _ in "colours" },
        ReceiptCommand("ESC GS 3", .fixed(3)) { _, _ in "begin or end of a document" },
        ReceiptCommand("ESC GS ) B", .block) { _, _ in "sound" },
        ReceiptCommand("ESC GS ) I", .block) { _, _ in "asks for its model" },
    ]

    @Sendable private static func pageLengthParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let first = reader.peek() else { return nil }
        return reader.take(first == 0 ? 2 : 1)
    }

    private mutating func feed(_ count: Int, partsOfMillimetre parts: Int) -> CommandOutcome {
        // 203 dots an inch are 8 a millimetre, less a trifle that adds up to nothing.
        let rows = (count * model.dotsPerInch * 10 + 127 * parts) / (254 * parts)
        printLine(feeding: rows)
        return "print and feed \(rows) dots"
    }

    private mutating func setStarSpacing(millimetres: Int) -> CommandOutcome {
        state.lineSpacing = (millimetres * model.dotsPerInch * 10 + 127) / 254
        return "line spacing \(state.lineSpacing) dots"
    }
}
