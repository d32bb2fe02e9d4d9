/// Lines, feeds and cuts.
extension ReceiptPrinter {
    static let feedCommands: [ReceiptCommand] = [
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
            printer.roll.reverse(printer.down(arguments[0]))
            return "print and feed back \(printer.down(arguments[0])) dots"
        },
        ReceiptCommand("ESC e", .fixed(1)) { printer, arguments in
            printer.printLine(feeding: 0)
            printer.roll.reverse(arguments[0] * printer.state.lineSpacing)
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
            roll.reverse(model.cutterDistance)
            return CommandOutcome(outcome.meaning + "; then back to the start of the paper", isFault: outcome.isFault)
        default: return .refused("no such cut")
        }
    }

    /// Where the blade is now, which may be amid what was printed last.
    mutating func cutHere(isPartial: Bool) -> CommandOutcome {
        guard page == nil else { return .refused("not in page mode") }
        guard line.isEmpty else { return .refused("amid a line: no cut") }
        let cut = roll.cut(isPartial: isPartial)
        return "\(isPartial ? "partial" : "full") cut at row \(cut.row)"
    }

    /// Feeds what was printed last past the blade, and so many dots more.
    mutating func cut(after rows: Int, isPartial: Bool) -> CommandOutcome {
        guard page == nil else { return .refused("not in page mode") }
        guard line.isEmpty else { return .refused("amid a line: no cut") }
        roll.feed(model.cutterDistance + rows)
        let cut = roll.cut(isPartial: isPartial)
        return "feed past the blade and \(rows) dots more, \(isPartial ? "partial" : "full") cut at row \(cut.row)"
    }
}
