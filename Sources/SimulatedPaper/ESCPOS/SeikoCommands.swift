/// The commands that Seiko Instruments' printers have besides ESC/POS (SII, "DPU-S445 Series Technical Reference",
/// chapter 6): two-dimensional codes in one command each.
extension ReceiptPrinter {
    static let seikoCommands: [ReceiptCommand] = [
        ReceiptCommand("DC2 ;", .fixed(1)) { printer, arguments in
            guard (2...11).contains(arguments[0]) else { return .refused("no such size") }
            printer.state.symbolStyle.qr.module = arguments[0]
            printer.state.symbolStyle.dataMatrix.module = arguments[0]
            return "QR and Data Matrix modules of \(arguments[0]) dots"
        },
        ReceiptCommand("DC2 D", .fixed(1)) { printer, arguments in
            guard arguments[0] & 1 == 0 else { return "room for user-defined characters" }
            printer.state.userCharacters.forgetAll()
            return "no room for user-defined characters"
        },
        ReceiptCommand("DC2 G", .fixed(1)) { _, arguments in
            "\(arguments[0] & 1 == 1 ? "room" : "no room") for user-defined two-byte characters"
        },
        ReceiptCommand("DC2 q", .fixed(1)) { _, _ in "asks to be told when this is printed" },
        ReceiptCommand("GS o", .fixed(1)) { printer, arguments in
            guard (2...85).contains(arguments[0]) else { return .refused("no such height") }
            printer.state.symbolStyle.seikoRowHeight = arguments[0]
            return "PDF417 rows \(arguments[0]) dots high"
        },
        ReceiptCommand("GS p", .read(seikoCodeParameters)) { $0.printSeikoCode($1) },
    ]

    /// 0 (PDF417) has four parameters, 1 (QR) too; then the data's length. Other codes take none, and are refused.
    @Sendable private static func seikoCodeParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let code = reader.peek() else { return nil }
        guard code <= 1 else { return reader.take(1) }
        guard let head = reader.take(7) else { return nil }
        return reader.take(CommandArguments(head[...]).word(5)).map { head + $0 }
    }

    private mutating func printSeikoCode(_ arguments: CommandArguments) -> CommandOutcome {
        let data = Array(arguments.from(7))
        if !isAtLineStart, !isInPageMode { printLine(feeding: state.lineSpacing) }
        switch arguments[0] {
        case 0: return printSeikoPDF417(arguments, data)
        case 1:
            guard let level = [76: 1, 77: 2, 81: 3, 72: 4][arguments[2]], (1...2).contains(arguments[1]) else {
                return .refused("no such model or level")
            }
            let module = state.symbolStyle.qr.module
            let outcome = printSymbol(.qr(level: level), data, "QR", module, module)
            if arguments[1] == 1 { return .refused("\(outcome.meaning); model 1 is drawn as model 2") }
            if arguments[3] != 0 { return .refused("\(outcome.meaning); version \(arguments[3]) isn't heeded") }
            return outcome
        default: return .refused("no such code")
        }
    }

    /// Mode, level, rows, columns.
    private mutating func printSeikoPDF417(_ arguments: CommandArguments, _ data: [UInt8]) -> CommandOutcome {
        guard arguments[1] <= 1, arguments[2] <= 8, arguments[4] <= 30 else { return .refused("no such PDF417") }
        let kind = MatrixSymbol.Kind.pdf417(
            columns: arguments[4], level: arguments[2], isTruncated: arguments[1] == 1)
        let outcome = printSymbol(
            kind, data, "PDF417", state.symbolStyle.pdf417.module, state.symbolStyle.seikoRowHeight)
        guard arguments[3] == 0 else {
            return .refused("\(outcome.meaning); the number of rows follows from the data")
        }
        return outcome
    }
}
