/// The ESC/POS commands for the style and encoding of characters.
extension ReceiptPrinter {
    static let textCommands: [ReceiptCommand] = [
        ReceiptCommand("ESC @", .fixed(0)) { printer, _ in printer.initialize() },
        ReceiptCommand("ESC !", .fixed(1)) { $0.setPrintMode($1[0]) },
        ReceiptCommand("ESC M", .fixed(1)) { printer, arguments in
            guard let font = PrinterFont.numbered(arguments[0]) else { return .refused("no such font") }
            printer.state.style.font = font
            return "font \(font.name)"
        },
        ReceiptCommand("ESC E", .fixed(1)) { printer, arguments in
            printer.state.style.isEmphasized = arguments[0] & 1 == 1
            return "emphasized \(onOff(arguments[0]))"
        },
        ReceiptCommand("ESC G", .fixed(1)) { printer, arguments in
            printer.state.style.isDoubleStruck = arguments[0] & 1 == 1
            return "double-strike \(onOff(arguments[0]))"
        },
        ReceiptCommand("ESC -", .fixed(1)) { printer, arguments in
            guard arguments.choice(0) <= 2 else { return .refused("no such underline") }
            printer.state.style.underline = arguments.choice(0)
            return arguments.choice(0) == 0 ? "underline off" : "underline \(arguments.choice(0)) dots"
        },
        ReceiptCommand("GS B", .fixed(1)) { printer, arguments in
            printer.state.style.isInverted = arguments[0] & 1 == 1
            return "white on black \(onOff(arguments[0]))"
        },
        ReceiptCommand("ESC V", .fixed(1)) { printer, arguments in
            guard arguments.choice(0) <= 2 else { return .refused("no such rotation") }
            printer.state.style.isTurned = arguments.choice(0) > 0
            return "turned clockwise \(arguments.choice(0) > 0 ? "on" : "off")"
        },
        ReceiptCommand("ESC {", .fixed(1)) { printer, arguments in
            guard printer.isAtLineStart else { return .refused("amid a line: ignored") }
            printer.state.isUpsideDown = arguments[0] & 1 == 1
            return "upside down \(onOff(arguments[0]))"
        },
        ReceiptCommand("GS !", .fixed(1)) { printer, arguments in
            printer.state.style.widthScale = arguments[0] >> 4 & 7 + 1
            printer.state.style.heightScale = arguments[0] & 7 + 1
            return "size \(printer.state.style.widthScale)×\(printer.state.style.heightScale)"
        },
        ReceiptCommand("ESC SP", .fixed(1)) { printer, arguments in
            printer.state.style.spacing = printer.across(arguments[0])
            return "\(printer.state.style.spacing) dots to the right of each character"
        },
        ReceiptCommand("GS b", .fixed(1)) { _, arguments in "smoothing \(onOff(arguments[0]))" },
        ReceiptCommand("ESC t", .fixed(1)) { printer, arguments in
            guard let page = CodePage.numbered(arguments[0]) else {
                return .refused("no such code page: the one before stays")
            }
            printer.state.codePage = page
            return "code page \(page.name)"
        },
        ReceiptCommand("ESC R", .fixed(1)) { printer, arguments in
            guard let set = InternationalSet.numbered(arguments[0]) else {
                return .refused("no such set: the one before stays")
            }
            printer.state.international = arguments[0] == 0 ? [] : set.scalars
            return "international characters \(set.name)"
        },
        ReceiptCommand("ESC r", .fixed(1)) { _, arguments in "colour \(arguments.choice(0) + 1)" },
        ReceiptCommand("ESC %", .fixed(1)) { _, arguments in "user-defined characters \(onOff(arguments[0]))" },
        ReceiptCommand("ESC ?", .fixed(1)) { _, arguments in "forget the user-defined character \(arguments[0])" },
        ReceiptCommand("ESC &", .read(characterParameters)) { _, arguments in
            .refused("user-defined characters \(arguments[1]) to \(arguments[2]): this printer has none")
        },
        ReceiptCommand("GS ( N", .block) { _, _ in "effects of characters" },
    ]

    static func onOff(_ value: Int) -> String { value & 1 == 1 ? "on" : "off" }

    private mutating func setPrintMode(_ mode: Int) -> CommandOutcome {
        state.style.font = mode & 1 == 0 ? .a : .b
        state.style.isEmphasized = mode & 0x08 != 0
        state.style.heightScale = mode & 0x10 == 0 ? 1 : 2
        state.style.widthScale = mode & 0x20 == 0 ? 1 : 2
        state.style.underline = mode & 0x80 == 0 ? 0 : 1
        var parts = ["font \(state.style.font.name)"]
        if state.style.isEmphasized { parts.append("emphasized") }
        if mode & 0x30 != 0 { parts.append("size \(state.style.widthScale)×\(state.style.heightScale)") }
        if state.style.underline > 0 { parts.append("underlined") }
        return CommandOutcome(parts.joined(separator: ", "))
    }

    /// y c1 c2, then for each character its width x and x times y bytes.
    @Sendable private static func characterParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(3) else { return nil }
        for _ in 0..<max(0, Int(head[2]) - Int(head[1]) + 1) {
            guard let width = reader.next(), reader.take(Int(width) * Int(head[0])) != nil else { return nil }
        }
        return head
    }

    // MARK: - Two-byte characters and UTF-8

    static let wideTextCommands: [ReceiptCommand] = [
        ReceiptCommand("FS &", .fixed(0)) { printer, _ in
            printer.state.isKanji = true
            return "two-byte characters on (\(printer.state.wideSet.rawValue))"
        },
        ReceiptCommand("FS .", .fixed(0)) { printer, _ in
            printer.state.isKanji = false
            return "two-byte characters off"
        },
        ReceiptCommand("FS C", .fixed(1)) { printer, arguments in
            guard let set = [WideCharacterSet.jis, .shiftJIS].dropFirst(arguments.choice(0)).first else {
                return .refused("no such set")
            }
            printer.state.wideSet = set
            return "two-byte characters are \(set.rawValue)"
        },
        ReceiptCommand("FS !", .fixed(1)) { printer, arguments in
            printer.state.style.widthScale = arguments[0] & 0x04 == 0 ? 1 : 2
            printer.state.style.heightScale = arguments[0] & 0x08 == 0 ? 1 : 2
            return "two-byte characters \(printer.state.style.widthScale)×\(printer.state.style.heightScale)"
        },
        ReceiptCommand("FS -", .fixed(1)) { _, arguments in "two-byte characters' underline \(arguments.choice(0))" },
        ReceiptCommand("FS S", .fixed(2)) { printer, arguments in
            printer.state.kanjiSpacing = (printer.across(arguments[0]), printer.across(arguments[1]))
            return
                "\(printer.state.kanjiSpacing.left) dots to the left, \(printer.state.kanjiSpacing.right) to the right of two-byte characters"
        },
        ReceiptCommand("FS W", .fixed(1)) { printer, arguments in
            printer.state.style.widthScale = arguments[0] & 1 + 1
            printer.state.style.heightScale = arguments[0] & 1 + 1
            return "two-byte characters quadruple \(onOff(arguments[0]))"
        },
        ReceiptCommand("FS 2", .fixed(74)) { _, arguments in
            .refused("user-defined two-byte character: this printer has none")
        },
        ReceiptCommand("FS ?", .fixed(2)) { _, _ in "forget a user-defined two-byte character" },
        ReceiptCommand("FS ( A", .block) { _, _ in "font of two-byte characters" },
        ReceiptCommand("FS ( C", .block) { $0.setEncoding($1) },
    ]

    /// Function 48 selects the encoding of text, 60 the font priority.
    private mutating func setEncoding(_ arguments: CommandArguments) -> CommandOutcome {
        switch arguments[0] {
        case 48:
            state.isUTF8 = arguments.choice(1) == 2
            return state.isUTF8 ? "text is UTF-8" : "text is by code page"
        case 60: return "font priority"
        default: return .refused("no such function")
        }
    }
}
