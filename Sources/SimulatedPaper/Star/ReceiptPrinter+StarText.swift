/// Star Line Mode and StarPRNT: characters (Star, "STAR Line Mode Command Specifications" and "StarPRNT Command
/// Specifications").
extension ReceiptPrinter {
    static let starTextCommands: [ReceiptCommand] = [
        ReceiptCommand("ESC @", .fixed(0)) { printer, _ in
            let isLost = !printer.line.isEmpty
            printer.reset()
            return CommandOutcome("initialize" + (isLost ? "; the unprinted line is lost" : ""), isFault: isLost)
        },
        ReceiptCommand("ESC RS F", .fixed(1)) { printer, arguments in
            guard let font = [PrinterFont.a, .starB].dropFirst(arguments.choice(0)).first else {
                return .refused("no such font")
            }
            printer.state.style.font = font
            return "font \(font.name)"
        },
        ReceiptCommand("ESC M", .fixed(0)) { $0.setStarFont(.a, $1) },
        ReceiptCommand("ESC P", .fixed(0)) { $0.setStarFont(.starB, $1) },
        ReceiptCommand("ESC GS t", .fixed(1)) { printer, arguments in
            guard let page = CodePage.star(arguments[0]) else {
                return .refused("no such code page: the one before stays")
            }
            printer.state.codePage = page
            return "code page \(page.name)"
        },
        ReceiptCommand("ESC R", .fixed(1)) { printer, arguments in
            // From 14 on, Star counts otherwise.
            guard arguments[0] <= 13, let set = InternationalSet.numbered(arguments[0]) else {
                return .refused("no such set: the one before stays")
            }
            printer.state.international = arguments[0] == 0 ? [] : set.scalars
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
        ReceiptCommand("SI", .fixed(0)) { $0.turnStarLines(true, $1) },
        ReceiptCommand("DC2", .fixed(0)) { $0.turnStarLines(false, $1) },
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

    private mutating func setStarFont(_ font: PrinterFont, _: CommandArguments) -> CommandOutcome {
        state.style.font = font
        return "font \(font.name)"
    }

    private mutating func turnStarLines(_ isUpsideDown: Bool, _: CommandArguments) -> CommandOutcome {
        guard isAtLineStart else { return .refused("amid a line: ignored") }
        state.isUpsideDown = isUpsideDown
        return "upside down \(isUpsideDown ? "on" : "off")"
    }

    /// 0 is as they are, 5 six times as large.
    private mutating func setStarSize(width: Int, height: Int) -> CommandOutcome {
        guard (0...5).contains(width), (0...5).contains(height) else { return .refused("no such size") }
        state.style.widthScale = width + 1
        state.style.heightScale = height + 1
        return "size \(width + 1)×\(height + 1)"
    }
}

extension CodePage {
    /// The parameter of `ESC GS t`, as Star numbers its tables.
    static func star(_ number: Int) -> CodePage? { starPages[number] }

    private static let starPages: [Int: CodePage] = [
        0: pc437, 1: pc437, 2: katakana, 3: pc437, 4: pc858, 5: pc852, 6: pc860, 7: pc861, 8: pc863, 9: pc865,
        10: pc866, 11: pc855,
        12: pc857, 13: pc862, 14: pc864, 15: pc737, 17: pc869, 21: thai, 32: wpc1252, 33: wpc1250, 34: wpc1251,
    ]
}

extension PrinterFont {
    /// Star's font B is as high as A.
    static let starB = PrinterFont(name: "B", width: 9, height: 24, descent: 3)
}
