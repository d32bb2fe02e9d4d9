/// The drawer, the sensors, the settings: what paper does not show.
extension ReceiptPrinter {
    static let deviceCommands: [ReceiptCommand] = [
        ReceiptCommand("ESC p", .fixed(3)) { _, arguments in
            guard arguments.choice(0) <= 1 else { return .refused("no such drawer") }
            return "open drawer \(arguments.choice(0) + 1), \(arguments[1] * 2) ms on, \(arguments[2] * 2) ms off"
        },
        ReceiptCommand("BEL", .fixed(0)) { _, _ in "sound" },
        ReceiptCommand("ESC B", .fixed(2)) { _, arguments in "sound \(arguments[0]) times" },
        ReceiptCommand("ESC ( A", .block) { _, _ in "sound" },
        ReceiptCommand("ESC =", .fixed(1)) { _, arguments in
            arguments[0] & 1 == 1 ? "listen" : .refused("do not listen: ignored here")
        },
        ReceiptCommand("ESC c 0", .fixed(1)) { _, _ in "choose the paper" },
        ReceiptCommand("ESC c 1", .fixed(1)) { _, _ in "choose the paper to set" },
        ReceiptCommand("ESC c 3", .fixed(1)) { _, _ in "sensors that tell of the paper's end" },
        ReceiptCommand("ESC c 4", .fixed(1)) { _, _ in "sensors that stop printing" },
        ReceiptCommand("ESC c 5", .fixed(1)) { _, arguments in arguments[0] & 1 == 1 ? "buttons off" : "buttons on" },
        ReceiptCommand("ESC c ;", .fixed(1)) { _, _ in "choose a slip" },
        ReceiptCommand("GS ( A", .block) { _, _ in "print a test page" },
        ReceiptCommand("GS ( B", .block) { _, _ in "customize ASB" },
        ReceiptCommand("GS ( C", .block) { _, _ in "edit user NV memory" },
        ReceiptCommand("GS ( D", .block) { _, _ in "real-time commands on or off" },
        ReceiptCommand("GS ( E", .block) { _, _ in "set up the printer" },
        ReceiptCommand("GS ( F", .block) { _, _ in "adjust to marks on the paper" },
        ReceiptCommand("GS ( G", .block) { _, _ in "settings of slips" },
        ReceiptCommand("GS ( I", .block) { _, _ in "settings of the interface" },
        ReceiptCommand("GS ( J", .block) { _, _ in "settings of a buffer" },
        ReceiptCommand("GS ( K", .block) { $0.setPrinting($1) },
        ReceiptCommand("GS ( M", .block) { _, _ in "keep or restore settings" },
        ReceiptCommand("GS ( V", .block) { _, _ in "set up cutting" },
        ReceiptCommand("GS ( z", .block) { _, _ in "combined settings" },
        ReceiptCommand("GS E", .fixed(1)) { _, _ in "head control" },
        ReceiptCommand("GS c", .fixed(0)) { _, _ in .refused("print a counter: this printer has none") },
        ReceiptCommand("GS C 0", .fixed(2)) { _, _ in "counter's format" },
        ReceiptCommand("GS C 1", .fixed(6)) { _, _ in "counter's range" },
        ReceiptCommand("GS C 2", .fixed(2)) { _, _ in "counter's value" },
        ReceiptCommand("GS :", .fixed(0)) { printer, _ in
            printer.state.isRecordingMacro.toggle()
            return printer.state.isRecordingMacro ? "begin a macro" : "end the macro"
        },
        ReceiptCommand("GS ^", .fixed(3)) { _, _ in .refused("run the macro: this printer keeps none") },
        ReceiptCommand("GS FF", .fixed(0)) { _, _ in "to the next label" },
        ReceiptCommand("FS g 1", .read(userMemoryParameters)) { _, _ in "write user NV memory" },
        ReceiptCommand("FS g 2", .fixed(7)) { _, _ in "asks for user NV memory" },
    ]

    private func setPrinting(_ arguments: CommandArguments) -> CommandOutcome {
        switch arguments[0] {
        case 48: "print control mode"
        case 49: "density \(Int8(truncatingIfNeeded: arguments[1]))"
        case 50: "speed \(arguments.choice(1))"
        case 97: "parts of the head"
        default: .refused("no such function")
        }
    }

    /// m a1 a2 a3 a4 nL nH, then n bytes.
    @Sendable private static func userMemoryParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(7) else { return nil }
        return reader.take(CommandArguments(head[...]).word(5)).map { head + $0 }
    }
}
