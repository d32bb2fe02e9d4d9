package import KioskPrintModel

/// The commands of a Star printer (Star Line Mode and StarPRNT Command Specifications).
struct StarCommandSet: CommandSet {
    let capabilities: StarCapabilities

    init(_ capabilities: StarCapabilities) { self.capabilities = capabilities }

    var initialize: [EncodedCommand] { [EncodedCommand([0x1B, 0x40], "ESC @")] }
    func raw(_ bytes: [UInt8]) -> EncodedCommand { EncodedCommand(raw: bytes) }

    /// The bytes of a word, the low one first.
    private static func word(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(clamping: value >> 8)]
    }

    // Text.

    /// ESC i magnifies up to six times.
    var maximumScale: Int { capabilities.hasText ? 6 : 0 }

    func codePage(_ number: UInt8, _ page: CodePage) -> EncodedCommand {
        EncodedCommand([0x1B, 0x1D, 0x74, number], "ESC GS t \(number)  \(page.name)")
    }

    func text(_ bytes: [UInt8], _ text: String) -> EncodedCommand { EncodedCommand(bytes, "\"\(text)\"") }

    func font(_ font: ReceiptFont) -> EncodedCommand {
        let number: UInt8 = font == .b ? 1 : 0
        return EncodedCommand([0x1B, 0x1E, 0x46, number], "ESC RS F \(number)")
    }

    func emphasis(_ isOn: Bool) -> EncodedCommand {
        isOn ? EncodedCommand([0x1B, 0x45], "ESC E") : EncodedCommand([0x1B, 0x46], "ESC F")
    }

    func underline(_ thickness: Int) -> EncodedCommand {
        EncodedCommand([0x1B, 0x2D, thickness == 0 ? 0 : 1], "ESC - \(thickness == 0 ? 0 : 1)")
    }

    func invert(_ isOn: Bool) -> EncodedCommand {
        isOn ? EncodedCommand([0x1B, 0x34], "ESC 4") : EncodedCommand([0x1B, 0x35], "ESC 5")
    }

    func scale(width: Int, height: Int) -> EncodedCommand {
        EncodedCommand(
            [0x1B, 0x69, UInt8(clamping: height - 1), UInt8(clamping: width - 1)], "ESC i \(width)×\(height)")
    }

    func position(_ dots: Int) -> EncodedCommand {
        EncodedCommand([0x1B, 0x1D, 0x41] + Self.word(dots), "ESC GS A \(dots)")
    }

    func justification(_ alignment: HorizontalAlignment) -> EncodedCommand {
        EncodedCommand(
            [0x1B, 0x1D, 0x61, alignment == .left ? 0 : alignment == .center ? 1 : 2],
            "ESC GS a \(alignment.rawValue)")
    }

    // Paper.

    /// ESC I counts eighths of a millimetre.
    func feed(_ dots: Int) -> [EncodedCommand] {
        let eighths = dots * 8 / max(capabilities.paper.dotsPerMillimetre, 1)
        return stride(from: eighths, to: 0, by: -255).map { rest in
            EncodedCommand([0x1B, 0x49, UInt8(min(rest, 255))], "ESC I \(min(rest, 255))")
        }
    }

    func cut(_ mode: CutMode) -> [EncodedCommand] {
        guard capabilities.hasText else {
            // At the end of a page; both modes feed first.
            let number = mode == .full ? 9 : 13
            return [
                EncodedCommand(
                    Self.raster("F\(number)\0") + [0x1B, 0x0C, 0],
                    "ESC * r F \(number), ESC FF NUL  feed and \(mode.rawValue) cut")
            ]
        }
        let number: UInt8 = mode == .full ? 2 : 3
        return [EncodedCommand([0x1B, 0x64, number], "ESC d \(number)  feed and \(mode.rawValue) cut")]
    }

    /// The first drawer's pulse is as long as the receipt says, in steps of 10 ms. The second drawer's always lasts
    /// 200 ms.
    func pulse(_ kick: DrawerKick) -> [EncodedCommand] {
        guard kick.connector == 1 else { return [EncodedCommand([0x1A], "SUB  drawer 2")] }
        let tens = UInt8(min(max(kick.milliseconds / 10, 1), 127))
        return [EncodedCommand([0x1B, 0x07, tens, tens, 0x07], "ESC BEL \(tens) \(tens), BEL  drawer 1")]
    }

    /// Drives the external buzzer at terminal 1 (Star Line Mode Command Specifications, ESC GS EM): a beep and a pause of
    /// the same length, in units of 20 ms, so many times. On some models a drawer is connected to the same terminal,
    /// which this would damage: hence only by the profile's word.
    func buzz(_ signal: BuzzerSignal) -> [EncodedCommand] {
        guard capabilities.hasBuzzer else { return [] }
        let (time, count) = (UInt8(clamping: signal.milliseconds / 20), UInt8(clamping: min(signal.count, 20)))
        return [
            EncodedCommand([0x1B, 0x1D, 0x19, 0x11, 1, time, time], "ESC GS EM DC1 1 \(time) \(time)"),
            EncodedCommand([0x1B, 0x1D, 0x19, 0x12, 1, count, 0], "ESC GS EM DC2 1 \(count) 0"),
        ]
    }

    // Codes.

    /// Star's printers choose themselves how to encode Code 128, and have other ratios for some codes than the layout:
    /// a code that would come out otherwise is drawn.
    func prints(_ code: PlacedCode) -> Bool {
        guard capabilities.symbologies.contains(code.code.symbology), code.area == 0..<capabilities.paper.dots,
            code.height <= 255
        else { return false }
        switch code.checked.kind {
        case .upcE, .dataMatrix, .gs1Code128, .dataBar, .dataBarExpanded, .dataBarStacked, .dataBarExpandedStacked,
            .aztec, .maxiCode, .maxiCodeCarrier:
            return false
        case .itf: return code.scale != 3
        case .code93, .code128: return code.checked.text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        case .qr: return code.scale <= 8
        default: return true
        }
    }

    func code(_ code: PlacedCode) -> [EncodedCommand] {
        switch code.checked.kind {
        case .qr: qrCode(code)
        case .pdf417(_, let level): pdf417(code, level: level)
        default: [barcode(code)]
        }
    }

    private func barcode(_ code: PlacedCode) -> EncodedCommand {
        // A percent sign starts an escape sequence in Code 128.
        let text =
            code.code.symbology == .code128
            ? code.checked.text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%0")
            : code.checked.text
        let kind: UInt8 =
            switch code.checked.kind {
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
            switch code.checked.kind {
            case .code39, .codabar: UInt8(clamping: 50 + code.scale)
            case .itf: code.scale == 2 ? 49 : 50
            default: UInt8(clamping: 47 + code.scale)
            }
        // Both options leave out the line feed after the code.
        let option: UInt8 = code.textHeight > 0 ? 52 : 51
        let head: [UInt8] = [0x1B, 0x62, kind, option, mode, UInt8(clamping: code.height)]
        return EncodedCommand(
            head + Array(text.utf8) + [0x1E],
            "ESC b \(kind - 48) \(option - 48) \(mode - 48) \(code.height) \"\(text)\"")
    }

    private func qrCode(_ code: PlacedCode) -> [EncodedCommand] {
        let level: UInt8 =
            switch code.code.level {
            case .l: 0
            case .m: 1
            case .q: 2
            case .h: 3
            }
        let bytes = Array(code.checked.text.utf8)
        let data = EncodedCommand(
            [0x1B, 0x1D, 0x79, 0x44, 0x31, 0] + Self.word(bytes.count) + bytes,
            "ESC GS y D 1 \"\(code.checked.text)\"")
        return [
            // Model 2.
            symbol(0x79, "S0", [2]),
            symbol(0x79, "S1", [level]),
            symbol(0x79, "S2", [UInt8(clamping: code.scale)]),
            data,
            symbol(0x79, "P", []),
        ]
    }

    private func pdf417(_ code: PlacedCode, level: Int) -> [EncodedCommand] {
        let bytes = Array(code.checked.text.utf8)
        let data = EncodedCommand(
            [0x1B, 0x1D, 0x78, 0x44] + Self.word(bytes.count) + bytes, "ESC GS x D \"\(code.checked.text)\"")
        return [
            // The layout's columns, and as many rows as the data needs.
            symbol(0x78, "S0", [1, 0, UInt8(clamping: code.columns)]),
            symbol(0x78, "S1", [UInt8(clamping: level)]),
            symbol(0x78, "S2", [UInt8(clamping: code.scale)]),
            symbol(0x78, "S3", [UInt8(clamping: CheckedCode.pdf417RowHeight)]),
            data,
            symbol(0x78, "P", []),
        ]
    }

    /// `ESC GS y` is for QR codes, `ESC GS x` for PDF417.
    private func symbol(_ code: UInt8, _ function: String, _ values: [UInt8]) -> EncodedCommand {
        let words = ["ESC GS", code == 0x79 ? "y" : "x", function] + values.map { String($0) }
        return EncodedCommand([0x1B, 0x1D, code] + Array(function.utf8) + values, words.joined(separator: " "))
    }

    // Pictures.

    func logo(_ name: StoredLogo.Name) -> EncodedCommand? {
        guard capabilities.hasLogos, case .number(let number) = name else { return nil }
        return EncodedCommand([0x1B, 0x1C, 0x70, UInt8(clamping: number), 0], "ESC FS p \(number) 0")
    }

    var pictureFormat: PictureFormat? { capabilities.raster == .rasterMode ? .rasterMode : .bands }

    func band(_ matrix: DotMatrix, rows: Range<Int>, bytesPerRow width: Int) -> EncodedCommand {
        let bytes = matrix.bytes(of: rows, first: width)
        let size = "\(width * 8)×\(rows.count), \(bytes.reduce(0) { $0 + $1.nonzeroBitCount }) black"
        switch capabilities.raster {
        case .graphics:
            let head: [UInt8] = [0x1B, 0x1D, 0x53, 1] + Self.word(width) + Self.word(rows.count) + [0]
            return EncodedCommand(head + bytes, "ESC GS S \(size)")
        case .rasterMode:
            let lines = stride(from: 0, to: bytes.count, by: max(width, 1)).flatMap {
                [0x62] + Self.word(width) + bytes[$0..<$0 + width]
            }
            return EncodedCommand(lines, "b \(size)")
        }
    }

    var isRasterOnly: Bool { !capabilities.hasText }

    /// Pages do not end by themselves, and nothing is done at their end.
    var enterRasterMode: [EncodedCommand] {
        [EncodedCommand(Self.raster("A") + Self.raster("P0\0") + Self.raster("E1\0"), "ESC * r A, P 0, E 1")]
    }

    var leaveRasterMode: [EncodedCommand] { [EncodedCommand(Self.raster("B"), "ESC * r B")] }

    func rasterFeed(_ dots: Int) -> [EncodedCommand] {
        [EncodedCommand(Self.raster("Y\(dots)\0"), "ESC * r Y \(dots)")]
    }

    private static func raster(_ text: String) -> [UInt8] { [0x1B, 0x2A, 0x72] + Array(text.utf8) }
}

/// The capabilities of a Star printer in Star Line Mode or StarPRNT: the commands that it has, and its paper.
package struct StarCapabilities: Hashable, Sendable, LinePrinterCapabilities {
    package var paper: ReceiptPaper
    /// The code pages with their numbers for ESC GS t.
    package var codePages: [CodePage: UInt8]
    /// The code page after ESC @; nil where a memory switch decides.
    package var initialCodePage: CodePage?
    /// The codes that the printer draws itself.
    package var symbologies: Set<Symbology>
    /// The cutter's modes; empty where there is no cutter.
    package var cuts: Set<CutMode>
    /// The distance from the head to where paper is torn off, in dots.
    package var tearFeed: Int
    package var raster: RasterMethod
    /// The maximum number of rows in a picture's band.
    package var bandRows: Int
    /// False where the printer takes only pictures, as the TSP100 series does.
    package var hasText: Bool

    /// Whether it has an external buzzer, driven by `ESC GS EM`.
    package var hasBuzzer: Bool
    /// Whether `ESC FS p` prints the pictures of its memory.
    package var hasLogos: Bool

    /// How a printer takes pictures.
    package enum RasterMethod: Hashable, Sendable {
        /// `ESC GS S`: StarPRNT and recent models of Line Mode.
        case graphics
        /// `ESC * r A` to `ESC * r B`: raster mode, in which every row is a command.
        case rasterMode
    }

    package init(
        paper: ReceiptPaper = Self.usualPaper, codePages: [CodePage: UInt8] = Self.starCodePages,
        initialCodePage: CodePage? = nil,
        symbologies: Set<Symbology> = Self.usualSymbologies, cuts: Set<CutMode> = [.full, .partial],
        tearFeed: Int = 120,
        raster: RasterMethod = .graphics, bandRows: Int = EscPosCapabilities.usualBandRows, hasText: Bool = true,
        hasBuzzer: Bool = false, hasLogos: Bool = false
    ) {
        // In raster mode there are neither.
        self.hasBuzzer = hasText && hasBuzzer
        self.hasLogos = hasText && hasLogos
        self.paper = paper
        self.codePages = codePages
        self.initialCodePage = initialCodePage
        self.symbologies = hasText ? symbologies : []
        self.cuts = cuts
        self.tearFeed = tearFeed
        self.raster = hasText ? raster : .rasterMode
        self.bandRows = max(bandRows, 1)
        self.hasText = hasText
    }

    /// The capabilities that a profile describes.
    init(_ settings: PrintingSettings) {
        self.init(
            paper: ReceiptPaper(settings), codePages: settings.codePages, initialCodePage: settings.initialCodePage,
            symbologies: settings.receiptSymbologies, cuts: settings.receiptCuts, tearFeed: settings.tearFeed,
            raster: settings.raster.method == .escGsS ? .graphics : .rasterMode, bandRows: settings.bandRows,
            hasText: settings.language != .starRaster, hasBuzzer: settings.buzzer,
            hasLogos: settings.storedLogos != nil)
    }

    /// 80 mm; font B is as high as font A.
    package static let usualPaper = ReceiptPaper(dots: 576, fontB: ReceiptPaper.Cell(width: 9, height: 24))

    /// The numbers of Star's code pages (Star Line Mode Command Specifications, ESC GS t).
    package static let starCodePages: [CodePage: UInt8] = [
        .cp437: 1, .katakana: 2, .cp858: 4, .cp852: 5, .cp866: 10, .windows1252: 32,
    ]

    /// Those that the command specifications have.
    package static let usualSymbologies = EscPosCapabilities.usualSymbologies
}
