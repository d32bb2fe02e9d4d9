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
            // On a page it is kept for later.
            guard printer.isAtLineStart || printer.isInPageMode else { return .refused("amid a line: ignored") }
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
        ReceiptCommand("ESC r", .fixed(1)) { printer, arguments in
            guard arguments.choice(0) <= 1 else { return .refused("no such colour") }
            return printer.setColour(isRed: arguments.choice(0) == 1)
        },
        ReceiptCommand("ESC %", .fixed(1)) { printer, arguments in
            printer.state.userCharacters.areShown = arguments[0] & 1 == 1
            return "user-defined characters \(onOff(arguments[0]))"
        },
        ReceiptCommand("ESC ?", .fixed(1)) { printer, arguments in
            printer.state.userCharacters.set(UInt8(clamping: arguments[0]), printer.state.style.font, nil)
            return "forget the user-defined character \(arguments[0])"
        },
        ReceiptCommand("ESC &", .read(characterParameters)) { $0.defineCharacters($1) },
        ReceiptCommand("GS ( N", .block) { $0.setEffect($1) },
    ]

    static func onOff(_ value: Int) -> String { value & 1 == 1 ? "on" : "off" }

    /// Prints in the first colour or in the second one, which is red here.
    mutating func setColour(isRed: Bool) -> CommandOutcome {
        guard !isRed || !isInPageMode else { return .refused("colour 2: on a page it is drawn black") }
        state.isRed = isRed
        return isRed ? "colour 2, red" : "colour 1, black"
    }

    /// Effects of characters: their colour is 0 (none), 1 or 2.
    private mutating func setEffect(_ arguments: CommandArguments) -> CommandOutcome {
        switch (arguments[0], arguments[1]) {
        case (48, 49), (48, 50): setColour(isRed: arguments[1] == 50)
        case (49, 48): "no background"
        case (50, _) where arguments[1] & 1 == 0: "no shade"
        default: .refused("an effect of characters that isn't drawn")
        }
    }

    /// y c1 c2, then for each character its width and its columns. The definitions last until `ESC @`.
    private mutating func defineCharacters(_ arguments: CommandArguments) -> CommandOutcome {
        let (height, first, last) = (arguments[0], arguments[1], arguments[2])
        let font = state.style.font
        guard height == 3, first <= last, (0x20...0x7E).contains(first), last <= 0x7E else {
            return .refused("user-defined characters \(first) to \(last): no such codes or height")
        }
        var rest = arguments.from(3)
        for code in first...last {
            guard let width = rest.popFirst(), width <= font.width else {
                return .refused("user-defined character \(code): too wide for font \(font.name)")
            }
            let columns = rest.prefix(Int(width) * height)
            rest = rest.dropFirst(columns.count)
            let picture = Bitmap(columns: columns, bytesPerColumn: height)
            state.userCharacters.set(
                UInt8(clamping: code), font, picture.cropped(width: font.width, height: font.height))
        }
        return "user-defined characters \(first) to \(last) of font \(font.name)"
    }

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
        guard var bytes = reader.take(3) else { return nil }
        let height = Int(bytes[0])
        for _ in 0..<max(0, Int(bytes[2]) - Int(bytes[1]) + 1) {
            guard let width = reader.next(), let columns = reader.take(Int(width) * height) else { return nil }
            bytes += [width] + columns
        }
        return bytes
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
            // Its first bytes are no other characters, so that FS & is not needed.
            printer.state.isShiftJIS = set == .shiftJIS
            return "two-byte characters are \(set.rawValue)"
        },
        ReceiptCommand("FS !", .fixed(1)) { printer, arguments in
            printer.state.style.widthScale = arguments[0] & 0x04 == 0 ? 1 : 2
            printer.state.style.heightScale = arguments[0] & 0x08 == 0 ? 1 : 2
            printer.state.kanjiUnderline = arguments[0] & 0x80 == 0 ? 0 : 1
            return "two-byte characters \(printer.state.style.widthScale)×\(printer.state.style.heightScale)"
        },
        ReceiptCommand("FS -", .fixed(1)) { printer, arguments in
            guard arguments.choice(0) <= 2 else { return .refused("no such underline") }
            printer.state.kanjiUnderline = arguments.choice(0)
            return "two-byte characters' underline \(arguments.choice(0)) dots"
        },
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
        ReceiptCommand("FS ( A", .block) { _, arguments in
            arguments.choice(1) == 0
                ? "two-byte characters of 24×24 dots" : .refused("other two-byte characters than of 24×24 dots")
        },
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
