/// Star Line Mode and StarPRNT: characters, lines, cuts and drawers (Star, "STAR Line Mode Command Specifications" and
/// "StarPRNT Command Specifications").
extension ReceiptPrinter {
    static let starTextCommands: [ReceiptCommand] = [
        ReceiptCommand("ESC @", .fixed(0)) { printer, _ in printer.initialize() },
        ReceiptCommand("ESC RS F", .fixed(1)) { printer, arguments in
            guard let font = [PrinterFont.a, .starB].dropFirst(arguments.choice(0)).first else {
                return .refused("no such font")
            }
            printer.state.style.font = font
            return "font \(font.name)"
        },
        ReceiptCommand("ESC M", .fixed(0)) { printer, _ in printer.setStarPitch(12) },
        ReceiptCommand("ESC g", .fixed(0)) { printer, _ in printer.setStarPitch(14) },
        ReceiptCommand("ESC P", .fixed(0)) { printer, _ in printer.setStarPitch(15) },
        ReceiptCommand("ESC :", .fixed(0)) { printer, _ in printer.setStarPitch(16) },
        ReceiptCommand("ESC GS t", .fixed(1)) { printer, arguments in
            guard let page = CodePage.star(arguments[0]) else {
                return .refused("no such code page: the one before stays")
            }
            printer.state.codePage = page
            return "code page \(page.name)"
        },
        ReceiptCommand("ESC R", .fixed(1)) { printer, arguments in
            // A number, or its digit or letter: "0" to "9", "A" for 10. From 14 on, Star's numbers differ.
            let number = Self.hexadecimal(arguments[0])
            guard number <= 13, let set = InternationalSet.numbered(number) else {
                return .refused("no such set: the one before stays")
            }
            printer.state.international = number == 0 ? [] : set.scalars
            return "international characters \(set.name)"
        },
        ReceiptCommand("ESC /", .fixed(1)) { _, arguments in
            arguments.choice(0) & 1 == 1 ? "slashed zero" : "plain zero"
        },
        ReceiptCommand("ESC E", .fixed(0)) { printer, _ in
            printer.state.style.isEmphasized = true
            return "emphasized on"
        },
        ReceiptCommand("ESC F", .fixed(0)) { printer, _ in
            printer.state.style.isEmphasized = false
            return "emphasized off"
        },
        ReceiptCommand("ESC -", .fixed(1)) { printer, arguments in
            printer.state.style.underline = arguments.choice(0) & 1 * 2
            return "underline \(onOff(arguments.choice(0)))"
        },
        ReceiptCommand("ESC _", .fixed(1)) { _, arguments in "line above \(onOff(arguments.choice(0)))" },
        ReceiptCommand("ESC 4", .fixed(0)) { printer, _ in
            printer.state.style.isInverted = true
            return "white on black on"
        },
        ReceiptCommand("ESC 5", .fixed(0)) { printer, _ in
            printer.state.style.isInverted = false
            return "white on black off"
        },
        ReceiptCommand("SI", .fixed(0)) { printer, _ in printer.setStarUpsideDown(true) },
        ReceiptCommand("DC2", .fixed(0)) { printer, _ in printer.setStarUpsideDown(false) },
        ReceiptCommand("ESC i", .fixed(2)) { printer, arguments in
            printer.setStarSize(width: arguments.choice(1), height: arguments.choice(0))
        },
        ReceiptCommand("ESC W", .fixed(1)) { printer, arguments in
            printer.setStarSize(width: arguments.choice(0), height: printer.state.style.heightScale - 1)
        },
        ReceiptCommand("ESC h", .fixed(1)) { printer, arguments in
            printer.setStarSize(width: printer.state.style.widthScale - 1, height: arguments.choice(0))
        },
        ReceiptCommand("SO", .fixed(0)) { printer, _ in
            printer.setStarSize(width: 1, height: printer.state.style.heightScale - 1)
        },
        ReceiptCommand("DC4", .fixed(0)) { printer, _ in
            printer.setStarSize(width: 0, height: printer.state.style.heightScale - 1)
        },
        ReceiptCommand("ESC SO", .fixed(0)) { printer, _ in
            printer.setStarSize(width: printer.state.style.widthScale - 1, height: 1)
        },
        ReceiptCommand("ESC DC4", .fixed(0)) { printer, _ in
            printer.setStarSize(width: printer.state.style.widthScale - 1, height: 0)
        },
        ReceiptCommand("ESC SP", .fixed(1)) { printer, arguments in
            printer.state.style.spacing = arguments.choice(0)
            return "\(arguments.choice(0)) dots to the right of each character"
        },
        ReceiptCommand("ESC $", .fixed(1)) { printer, arguments in
            printer.state.isKanji = arguments.choice(0) & 1 == 1
            printer.state.wideSet = .shiftJIS
            return "Shift JIS \(onOff(arguments.choice(0)))"
        },
        ReceiptCommand("ESC s", .fixed(2)) { printer, arguments in
            let (left, right) = (arguments.choice(0), Self.hexadecimal(arguments[1]))
            guard left <= 7, right <= 15 else { return .refused("no such space") }
            printer.state.kanjiSpacing = (left, right)
            return "\(left) dots to the left, \(right) to the right of two-byte characters"
        },
        ReceiptCommand("ESC t", .fixed(2)) { _, arguments in
            arguments.choice(0) == 0 && Self.hexadecimal(arguments[1]) == 0
                ? "no space beside the one-byte characters of Kanji"
                : .refused("space beside the one-byte characters of Kanji: not drawn")
        },
        ReceiptCommand("ESC p", .fixed(0)) { printer, _ in
            (printer.state.isKanji, printer.state.wideSet) = (true, .jis)
            return "JIS on"
        },
        ReceiptCommand("ESC q", .fixed(0)) { printer, _ in
            printer.state.isKanji = false
            return "JIS off"
        },
        ReceiptCommand("ESC GS ) U", .block) { printer, arguments in
            guard arguments[0] == 48 else { return "settings of UTF-8" }
            printer.state.isUTF8 = arguments.choice(1) == 1
            return printer.state.isUTF8 ? "text is UTF-8" : "text is by code page"
        },
    ]

    /// A parameter that is a number, or its hexadecimal digit in ASCII.
    private static func hexadecimal(_ value: Int) -> Int {
        switch value {
        case 0x30...0x39: value - 0x30
        case 0x41...0x5A: value - 0x41 + 10
        default: value
        }
    }

    /// Sets the distance of characters, which are 12 dots wide: the rest is space to their right.
    private mutating func setStarPitch(_ dots: Int) -> CommandOutcome {
        state.style.spacing = dots - PrinterFont.a.width
        return "characters \(dots) dots apart"
    }

    private mutating func setStarUpsideDown(_ isUpsideDown: Bool) -> CommandOutcome {
        guard isAtLineStart else { return .refused("amid a line: ignored") }
        state.isUpsideDown = isUpsideDown
        return "upside down \(isUpsideDown ? "on" : "off")"
    }

    /// Sets the magnification: 0 is the normal size, 5 six times that.
    private mutating func setStarSize(width: Int, height: Int) -> CommandOutcome {
        guard (0...5).contains(width), (0...5).contains(height) else { return .refused("no such size") }
        state.style.widthScale = width + 1
        state.style.heightScale = height + 1
        return "size \(width + 1)×\(height + 1)"
    }

    // MARK: - Lines, positions, cuts and drawers

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
        ReceiptCommand("HT", .fixed(0)) { printer, _ in printer.moveToTabStop() },
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
        ReceiptCommand("ESC RS C", .fixed(1)) { printer, arguments in
            guard arguments.choice(0) <= 1 else { return .refused("no such mode of colours") }
            if !printer.isAtLineStart { printer.printLine(feeding: printer.state.lineSpacing) }
            (printer.state.isTwoColour, printer.state.isRed) = (arguments.choice(0) == 1, false)
            return arguments.choice(0) == 1 ? "two colours" : "one colour"
        },
        ReceiptCommand("ESC RS c", .fixed(1)) { printer, arguments in
            guard arguments.choice(0) <= 1 else { return .refused("no such colour") }
            guard printer.state.isTwoColour else { return .refused("not in the mode of two colours") }
            return printer.setColour(isRed: arguments.choice(0) == 1)
        },
        ReceiptCommand("ESC GS ETX", .fixed(3)) { _, arguments in
            switch arguments[0] {
            case 0: "asks for the counter of prints"
            case 1: "asks to be told when this is printed"
            case 2: "clear the counter of prints"
            case 3: "begin of a document"
            case 4: "end of a document"
            case 5: "how long data may be missing"
            default: .refused("no such request")
            }
        },
        ReceiptCommand("ESC GS EM DC1", .fixed(3)) { _, arguments in
            guard (1...2).contains(arguments.choice(0)) else { return .refused("no such buzzer") }
            return "buzzer \(arguments.choice(0)): \(arguments[1] * 20) ms on, \(arguments[2] * 20) ms off"
        },
        ReceiptCommand("ESC GS EM DC2", .fixed(3)) { _, arguments in
            guard (1...2).contains(arguments.choice(0)), (1...20).contains(arguments.word(1)) else {
                return .refused("no such buzzer or count")
            }
            return "sound buzzer \(arguments.choice(0)) \(arguments.word(1)) times"
        },
        ReceiptCommand("ESC GS ) B", .block) { _, _ in "sound" },
        ReceiptCommand("ESC GS ) I", .block) { _, _ in "asks for its model" },
    ]

    @Sendable private static func pageLengthParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let first = reader.peek() else { return nil }
        return reader.take(first == 0 ? 2 : 1)
    }

    private mutating func feed(_ count: Int, partsOfMillimetre parts: Int) -> CommandOutcome {
        // 203 dpi are nearly 8 dots per millimetre; the difference does not matter here.
        let rows = (count * model.dotsPerInch * 10 + 127 * parts) / (254 * parts)
        printLine(feeding: rows)
        return "print and feed \(rows) dots"
    }

    private mutating func setStarSpacing(millimetres: Int) -> CommandOutcome {
        state.lineSpacing = (millimetres * model.dotsPerInch * 10 + 127) / 254
        return "line spacing \(state.lineSpacing) dots"
    }
}
