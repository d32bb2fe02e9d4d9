extension EscPosEncoder {
    /// By the printer's own commands, each set anew: nothing of an earlier code is leant on.
    mutating func add(_ placed: PlacedCode) {
        let isWhole = placed.area == 0..<printer.paper.dots
        if !isWhole {
            append(.leftMargin(placed.area.lowerBound))
            append(.areaWidth(placed.area.count))
        }
        justify(placed.code.alignment)
        feed(placed.offset)
        switch placed.checked.kind {
        case .qr: addQR(placed)
        case .pdf417(_, let level): addPDF417(placed, level)
        case .dataMatrix: addDataMatrix(placed)
        default: addBarcode(placed)
        }
        feed(placed.offset)
        if !isWhole {
            append(.leftMargin(0))
            append(.areaWidth(printer.paper.dots))
        }
    }

    private mutating func addBarcode(_ placed: PlacedCode) {
        append(.barcodeHeight(placed.height))
        append(.barcodeModule(placed.scale))
        append(.barcodeText(placed.textHeight > 0))
        let text = Array(placed.checked.text.utf8)
        // The second form of GS k, which states the length.
        let (system, data): (UInt8, [UInt8]) =
            switch placed.checked.kind {
            case .upcA: (65, text)
            case .upcE: (66, text)
            case .ean13: (67, text)
            case .ean8: (68, text)
            case .code39: (69, text)
            case .itf: (70, text)
            case .codabar: (71, text)
            case .code93: (72, text)
            case .code128(let codewords): (73, Code128.escPos(codewords))
            case .qr, .pdf417, .dataMatrix: (0, [])
            }
        append(.barcode(system: system, data: data))
    }

    /// Store, then print.
    private mutating func print(_ code: UInt8, _ data: String) {
        append(.symbol(code: code, function: 80, [0x30] + Array(data.utf8)))
        append(.symbol(code: code, function: 81, [0x30]))
    }

    private static let qrCode: UInt8 = 49
    private static let pdf417: UInt8 = 48
    private static let dataMatrix: UInt8 = 54

    private mutating func addQR(_ placed: PlacedCode) {
        // Model 2.
        append(.symbol(code: Self.qrCode, function: 65, [50, 0]))
        append(.symbol(code: Self.qrCode, function: 67, [UInt8(clamping: placed.scale)]))
        let level: UInt8 =
            switch placed.code.level {
            case .l: 48
            case .m: 49
            case .q: 50
            case .h: 51
            }
        append(.symbol(code: Self.qrCode, function: 69, [level]))
        print(Self.qrCode, placed.checked.text)
    }

    private mutating func addPDF417(_ placed: PlacedCode, _ level: Int) {
        append(.symbol(code: Self.pdf417, function: 65, [UInt8(clamping: placed.columns)]))
        // As many rows as the data needs.
        append(.symbol(code: Self.pdf417, function: 66, [0]))
        append(.symbol(code: Self.pdf417, function: 67, [UInt8(clamping: placed.scale)]))
        append(.symbol(code: Self.pdf417, function: 68, [UInt8(clamping: CheckedCode.pdf417RowHeight)]))
        append(.symbol(code: Self.pdf417, function: 69, [48, UInt8(clamping: 48 + level)]))
        append(.symbol(code: Self.pdf417, function: 70, [0]))
        print(Self.pdf417, placed.checked.text)
    }

    private mutating func addDataMatrix(_ placed: PlacedCode) {
        // Square, of the size that the data needs.
        append(.symbol(code: Self.dataMatrix, function: 66, [0, 0, 0]))
        append(.symbol(code: Self.dataMatrix, function: 67, [UInt8(clamping: placed.scale)]))
        print(Self.dataMatrix, placed.checked.text)
    }
}
