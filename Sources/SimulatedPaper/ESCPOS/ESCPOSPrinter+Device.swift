/// The drawer, the sensors, the settings: what paper does not show.
extension ESCPOSPrinter {
    static let deviceCommands: [ESCPOSCommand] = [
        ESCPOSCommand("ESC p", .fixed(3)) { _, arguments in
            guard arguments.choice(0) <= 1 else { return .refused("no such drawer") }
            return "open drawer \(arguments.choice(0) + 1), \(arguments[1] * 2) ms on, \(arguments[2] * 2) ms off"
        },
        ESCPOSCommand("BEL", .fixed(0)) { _, _ in "sound" },
        ESCPOSCommand("ESC B", .fixed(2)) { _, arguments in "sound \(arguments[0]) times" },
        ESCPOSCommand("ESC ( A", .block) { _, _ in "sound" },
        ESCPOSCommand("ESC =", .fixed(1)) { _, arguments in arguments[0] & 1 == 1 ? "listen" : .refused("do not listen: ignored here") },
        ESCPOSCommand("ESC c 0", .fixed(1)) { _, _ in "choose the paper" },
        ESCPOSCommand("ESC c 1", .fixed(1)) { _, _ in "choose the paper to set" },
        ESCPOSCommand("ESC c 3", .fixed(1)) { _, _ in "sensors that tell of the paper's end" },
        ESCPOSCommand("ESC c 4", .fixed(1)) { _, _ in "sensors that stop printing" },
        ESCPOSCommand("ESC c 5", .fixed(1)) { _, arguments in arguments[0] & 1 == 1 ? "buttons off" : "buttons on" },
        ESCPOSCommand("ESC c ;", .fixed(1)) { _, _ in "choose a slip" },
        ESCPOSCommand("GS ( A", .block) { _, _ in "print a test page" },
        ESCPOSCommand("GS ( B", .block) { _, _ in "customize ASB" },
        ESCPOSCommand("GS ( C", .block) { _, _ in "edit user NV memory" },
        ESCPOSCommand("GS ( D", .block) { _, _ in "real-time commands on or off" },
        ESCPOSCommand("GS ( E", .block) { _, _ in "set up the printer" },
        ESCPOSCommand("GS ( F", .block) { _, _ in "adjust to marks on the paper" },
        ESCPOSCommand("GS ( G", .block) { _, _ in "settings of slips" },
        ESCPOSCommand("GS ( I", .block) { _, _ in "settings of the interface" },
        ESCPOSCommand("GS ( J", .block) { _, _ in "settings of a buffer" },
        ESCPOSCommand("GS ( K", .block) { $0.setPrinting($1) },
        ESCPOSCommand("GS ( M", .block) { _, _ in "keep or restore settings" },
        ESCPOSCommand("GS ( V", .block) { _, _ in "set up cutting" },
        ESCPOSCommand("GS ( z", .block) { _, _ in "combined settings" },
        ESCPOSCommand("GS E", .fixed(1)) { _, _ in "head control" },
        ESCPOSCommand("GS c", .fixed(0)) { _, _ in .refused("print a counter: this printer has none") },
        ESCPOSCommand("GS C 0", .fixed(2)) { _, _ in "counter's format" },
        ESCPOSCommand("GS C 1", .fixed(6)) { _, _ in "counter's range" },
        ESCPOSCommand("GS C 2", .fixed(2)) { _, _ in "counter's value" },
        ESCPOSCommand("GS :", .fixed(0)) { printer, _ in
            printer.state.isRecordingMacro.toggle()
            return printer.state.isRecordingMacro ? "begin a macro" : "end the macro"
        },
        ESCPOSCommand("GS ^", .fixed(3)) { _, _ in .refused("run the macro: this printer keeps none") },
        ESCPOSCommand("GS FF", .fixed(0)) { _, _ in "to the next label" },
        ESCPOSCommand("FS g 1", .read(userMemoryParameters)) { _, _ in "write user NV memory" },
        ESCPOSCommand("FS g 2", .fixed(7)) { _, _ in "asks for user NV memory" },
    ]

    private func setPrinting(_ arguments: CommandArguments) -> ESCPOSOutcome {
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
