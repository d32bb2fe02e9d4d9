/// The ESC/POS commands without effect on the paper: status requests, drawer, sensors and settings.
extension ReceiptPrinter {
    static let statusCommands: [ReceiptCommand] = [
        ReceiptCommand("DLE EOT", .read(realTimeParameters)) { _, arguments in
            switch arguments[0] {
            case 1: "asks for the printer's status"
            case 2: "asks why it is offline"
            case 3: "asks for its errors"
            case 4: "asks for its paper sensors"
            case 7, 8, 18: "asks for its further status"
            default: .refused("no such status")
            }
        },
        ReceiptCommand("DLE ENQ", .fixed(1)) { _, arguments in
            switch arguments[0] {
            case 0: "as if the feed button was pressed"
            case 1: "recover from the error and go on"
            case 2: "recover from the error and drop what was received"
            default: .refused("no such request")
            }
        },
        ReceiptCommand("DLE DC4", .read(realTimeActionParameters)) { $0.performRealTimeAction($1) },
        ReceiptCommand("GS a", .fixed(1)) { _, arguments in
            arguments[0] == 0 ? "automatic status off" : "automatic status of \(arguments[0])"
        },
        ReceiptCommand("GS j", .fixed(1)) { _, arguments in "automatic ink status \(onOff(arguments[0]))" },
        ReceiptCommand("GS r", .fixed(1)) { _, arguments in
            switch arguments.choice(0) {
            case 1: "asks for its paper sensors, once it is there"
            case 2: "asks for the drawer, once it is there"
            default: "asks for its status, once it is there"
            }
        },
        ReceiptCommand("GS I", .fixed(1)) { _, arguments in "asks for its id \(arguments[0])" },
        ReceiptCommand("GS ( H", .block) { _, arguments in
            guard arguments[0] == 48, arguments[1] == 48 else { return "asks to be told of responses" }
            return CommandOutcome(
                "asks to be told when this is printed: \(PaperEvent.hex(arguments.from(2)))",
                isFault: arguments.count != 6)
        },
        ReceiptCommand("ESC u", .fixed(1)) { _, _ in "asks for the drawer" },
        ReceiptCommand("ESC v", .fixed(0)) { _, _ in "asks for its paper sensors" },
        ReceiptCommand("GS g 2", .fixed(4)) { _, _ in "asks for a maintenance counter" },
        ReceiptCommand("GS g 0", .fixed(4)) { _, _ in "clear a maintenance counter" },
        ReceiptCommand("GS z 0", .fixed(2)) { _, _ in "time before printing resumes" },
    ]

    /// n, and a second byte for some values.
    @Sendable private static func realTimeParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let first = reader.peek() else { return nil }
        return reader.take([7, 8, 18].contains(first) ? 2 : 1)
    }

    @Sendable private static func realTimeActionParameters(_ reader: inout ByteReader) -> [UInt8]? {
        switch reader.peek() {
        case nil: nil
        case 1?, 2?: reader.take(3)
        case 3?, 7?: reader.take(2)
        case 8?: reader.take(8)
        default: reader.take(1)
        }
    }

    private func performRealTimeAction(_ arguments: CommandArguments) -> CommandOutcome {
        switch arguments[0] {
        case 1: return "open drawer \(arguments[1] & 1 + 1) at once, \(arguments[2] * 100) ms"
        case 2: return "switch off"
        case 3: return "sound"
        case 7: return "asks for its status"
        case 8:
            let isConfirmed = Array(arguments.from(1)) == [1, 3, 20, 1, 6, 2, 8]
            return isConfirmed ? "drop what was received" : .refused("drop what was received: not confirmed")
        default: return .refused("no such action")
        }
    }

    // MARK: - Drawer, sensors and settings

    static let deviceCommands: [ReceiptCommand] = [
        ReceiptCommand("ESC p", .fixed(3)) { _, arguments in
            guard arguments.choice(0) <= 1 else { return .refused("no such drawer") }
            return "open drawer \(arguments.choice(0) + 1), \(arguments[1] * 2) ms on, \(arguments[2] * 2) ms off"
        },
        ReceiptCommand("BEL", .fixed(0)) { _, _ in "sound" },
        ReceiptCommand("ESC B", .fixed(2)) { _, arguments in "sound \(arguments[0]) times" },
        ReceiptCommand("ESC ( A", .block) { _, arguments in
            // Functions 48, 97 and 99: a pattern, how often, and how long.
            switch arguments[0] {
            case 48: "sound pattern \(arguments.choice(1)), \(arguments[2]) times"
            case 97: "sound pattern \(arguments[1]), \(arguments[2]) times"
            case 99: arguments[2] == 0 ? "no sound when offline" : "sound pattern \(arguments[1]) when offline"
            default: .refused("no such function")
            }
        },
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
        ReceiptCommand("GS ( K", .block) { $0.setPrintControl($1) },
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

    private func setPrintControl(_ arguments: CommandArguments) -> CommandOutcome {
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
