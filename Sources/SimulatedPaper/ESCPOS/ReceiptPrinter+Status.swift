/// Requests that are answered over the back-channel, which paper does not show.
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
        ReceiptCommand("DLE DC4", .read(realTimeActionParameters)) { $0.actAtOnce($1) },
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

    /// n, and a second one for some.
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

    private mutating func actAtOnce(_ arguments: CommandArguments) -> CommandOutcome {
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
}
