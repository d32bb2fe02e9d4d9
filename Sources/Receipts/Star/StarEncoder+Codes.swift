extension StarEncoder {
    /// Star chooses how it packs Code 128, and knows other ratios for some codes than the layout: what would come out
    /// otherwise is drawn.
    func isNative(_ placed: PlacedCode) -> Bool {
        guard printer.symbologies.contains(placed.code.symbology), placed.area == 0..<printer.paper.dots,
            placed.height <= 255
        else { return false }
        switch placed.checked.kind {
        case .upcE, .dataMatrix: return false
        case .itf: return placed.scale != 3
        case .code93, .code128: return placed.checked.text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        case .qr: return placed.scale <= 8
        default: return true
        }
    }

    /// By the printer's own commands, each set anew.
    mutating func add(_ placed: PlacedCode) {
        leaveRasterMode()
        justify(placed.code.alignment)
        feed(placed.offset)
        switch placed.checked.kind {
        case .qr: addQR(placed)
        case .pdf417(_, let level): addPDF417(placed, level)
        default: addBarcode(placed)
        }
        feed(placed.offset)
    }

    private mutating func addBarcode(_ placed: PlacedCode) {
        // A percent sign begins an escape in Code 128.
        let text =
            placed.code.symbology == .code128
            ? placed.checked.text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%0")
            : placed.checked.text
        let kind: UInt8 =
            switch placed.checked.kind {
            case .upcA: 49
            case .ean8: 50
            case .ean13: 51
            case .code39: 52
            case .itf: 53
            case .code93: 55
            case .codabar: 56
            default: 54
            }
        // Two widths: 2:5, 3:8, 4:10; of ITF 2:5 and 4:10. The others: 2, 3 and 4 dots.
        let mode: UInt8 =
            switch placed.checked.kind {
            case .code39, .codabar: UInt8(clamping: 50 + placed.scale)
            case .itf: placed.scale == 2 ? 49 : 50
            default: UInt8(clamping: 47 + placed.scale)
            }
        // Without a line feed of its own.
        let option: UInt8 = placed.textHeight > 0 ? 52 : 51
        let head: [UInt8] = [0x1B, 0x62, kind, option, mode, UInt8(clamping: placed.height)]
        append(
            EncodedStep(
                head + Array(text.utf8) + [0x1E],
                "ESC b \(kind - 48) \(option - 48) \(mode - 48) \(placed.height) \"\(text)\""))
    }

    private mutating func addQR(_ placed: PlacedCode) {
        let levels: [ReceiptCode.CorrectionLevel: UInt8] = [.l: 0, .m: 1, .q: 2, .h: 3]
        let level = levels[placed.code.level] ?? 0
        // Model 2.
        set(0x79, "S0", [2])
        set(0x79, "S1", [level])
        set(0x79, "S2", [UInt8(clamping: placed.scale)])
        let data = Array(placed.checked.text.utf8)
        append(
            EncodedStep(
                [0x1B, 0x1D, 0x79, 0x44, 0x31, 0] + word(data.count) + data, "ESC GS y D 1 \"\(placed.checked.text)\""))
        set(0x79, "P", [])
    }

    private mutating func addPDF417(_ placed: PlacedCode, _ level: Int) {
        // So many columns, and as many rows as the data needs.
        set(0x78, "S0", [1, 0, UInt8(clamping: placed.columns)])
        set(0x78, "S1", [UInt8(clamping: level)])
        set(0x78, "S2", [UInt8(clamping: placed.scale)])
        set(0x78, "S3", [UInt8(clamping: CheckedCode.pdf417RowHeight)])
        let data = Array(placed.checked.text.utf8)
        append(
            EncodedStep([0x1B, 0x1D, 0x78, 0x44] + word(data.count) + data, "ESC GS x D \"\(placed.checked.text)\""))
        set(0x78, "P", [])
    }

    /// `ESC GS y` are QR codes, `ESC GS x` PDF417.
    private mutating func set(_ code: UInt8, _ function: String, _ values: [UInt8]) {
        let shown = ["ESC GS", code == 0x79 ? "y" : "x", function] + values.map { String($0) }
        append(EncodedStep([0x1B, 0x1D, code] + Array(function.utf8) + values, shown.joined(separator: " ")))
    }

    private func word(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(clamping: value >> 8)] }
}
