/// Margins, justification, and moving on the line.
extension ReceiptPrinter {
    static let positionCommands: [ReceiptCommand] = [
        ReceiptCommand("HT", .fixed(0)) { $0.tab($1) },
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
            guard printer.page == nil else { return .refused("not in page mode") }
            guard printer.isAtLineStart else { return .refused("amid a line: ignored") }
            printer.state.justification = justification
            return "justify \(justification)"
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
            case 0: (printer.line, printer.column) = ([], 0)
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

    /// Up to 32 rising columns, ended by a NUL or by the first that doesn't rise (which isn't taken then, unless it is
    /// the NUL).
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

    mutating func tab(_ arguments: CommandArguments) -> CommandOutcome {
        guard let stop = state.tabs.first(where: { $0 > column }) else {
            return .refused("no further tab stop: ignored")
        }
        // Beyond the end, the next character begins the next line.
        column = min(stop, areaWidth)
        return "to \(column)"
    }

    mutating func move(to place: Int, _ how: String) -> CommandOutcome {
        guard place >= 0, place <= areaWidth else {
            return .refused("\(how)to \(place): outside the print area, ignored")
        }
        column = place
        return "\(how)to \(place)"
    }
}
