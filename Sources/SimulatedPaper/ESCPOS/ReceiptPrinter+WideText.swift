/// Two-byte characters and UTF-8.
extension ReceiptPrinter {
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

    /// Function 48 chooses how text is encoded, 60 which fonts come first.
    private mutating func setEncoding(_ arguments: CommandArguments) -> CommandOutcome {
        switch arguments[0] {
        case 48:
            state.isUTF8 = arguments.choice(1) == 2
            return state.isUTF8 ? "text is UTF-8" : "text is by code page"
        case 60: return "font priority"
        default: return .refused("no such function")
        }
    }

    /// The character that begins with the byte, and whether it takes a wide cell; its further bytes are taken.
    mutating func decode(_ first: UInt8, _ reader: inout ByteReader) -> (Unicode.Scalar, isWide: Bool) {
        if state.isUTF8, first >= 0x80 { return decodeUTF8(first, &reader) }
        if state.isKanji, let second = reader.peek(), beginsWide(first) {
            reader.skip(1)
            // U+3013, the geta mark, is Japan's own sign for a character that is missing.
            return (wideText.scalar([first, second], in: state.wideSet) ?? "\u{3013}", true)
        }
        if !state.international.isEmpty, first < 0x80 {
            return (InternationalSet.scalar(first, in: state.international), false)
        }
        return (state.codePage[first], false)
    }

    private func beginsWide(_ byte: UInt8) -> Bool {
        switch state.wideSet {
        case .jis: (0x21...0x7E).contains(byte)
        case .shiftJIS: (0x81...0x9F).contains(byte) || (0xE0...0xFC).contains(byte)
        case .gb18030, .big5, .korean: (0x81...0xFE).contains(byte)
        }
    }

    private func decodeUTF8(_ first: UInt8, _ reader: inout ByteReader) -> (Unicode.Scalar, isWide: Bool) {
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        let bytes = [first] + (0..<length - 1).compactMap { reader.peek($0) }
        guard let scalar = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first else {
            return ("\u{FFFD}", false)
        }
        reader.skip(length - 1)
        return (scalar, Self.isWide(scalar))
    }

    /// East Asian Wide and Fullwidth, by their blocks (UAX #11).
    static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
