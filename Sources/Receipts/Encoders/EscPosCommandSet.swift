package import KioskPrintModel

/// The ESC/POS commands of a printer (Epson, "ESC/POS Command Reference").
struct EscPosCommandSet: CommandSet {
    let capabilities: EscPosCapabilities
    let lineFeed: [EscPosCommand] = [.lineFeed]

    init(_ capabilities: EscPosCapabilities) { self.capabilities = capabilities }

    var initialize: [EscPosCommand] {
        var commands: [EscPosCommand] = [.initialize]
        if capabilities.isMultiByte { commands.append(.singleBytes) }
        if let unit = capabilities.motionUnit { commands.append(.motionUnits(unit)) }
        return commands
    }

    func raw(_ bytes: [UInt8]) -> EscPosCommand { .raw(bytes) }

    var maximumScale: Int { TextStyle.scales.upperBound }
    func codePage(_ number: UInt8, _ page: CodePage) -> EscPosCommand { .codePage(number, page) }
    func text(_ bytes: [UInt8], _ text: String) -> EscPosCommand { .text(bytes, text) }
    func font(_ font: ReceiptFont) -> EscPosCommand { .font(font == .b ? 1 : 0) }
    func emphasis(_ isOn: Bool) -> EscPosCommand { .emphasis(isOn) }
    func underline(_ thickness: Int) -> EscPosCommand { .underline(thickness) }
    var hasThickUnderline: Bool { true }
    var hasRed: Bool { capabilities.hasRed }
    func color(_ color: TextColor) -> [EscPosCommand] { [.color(color)] }
    func invert(_ isOn: Bool) -> EscPosCommand { .invert(isOn) }
    func scale(width: Int, height: Int) -> EscPosCommand { .scale(width: width, height: height) }
    func position(_ dots: Int) -> EscPosCommand { .position(dots) }
    func justification(_ alignment: HorizontalAlignment) -> EscPosCommand { .justify(alignment) }

    /// ESC 3 and ESC J state the distance in one byte.
    private static let maximumFeed = 255

    var maximumLineSpacing: Int? { Self.maximumFeed }
    func lineSpacing(_ dots: Int) -> [EscPosCommand] { [.lineSpacing(dots)] }

    func feed(_ dots: Int) -> [EscPosCommand] {
        stride(from: dots, to: 0, by: -Self.maximumFeed).map { .feed(dots: min($0, Self.maximumFeed)) }
    }

    func cut(_ mode: CutMode) -> [EscPosCommand] { [.cut(mode)] }

    func pulse(_ kick: DrawerKick) -> [EscPosCommand] {
        [.pulse(connector: kick.connector, milliseconds: kick.milliseconds)]
    }

    func buzz(_ signal: BuzzerSignal) -> [EscPosCommand] {
        guard capabilities.hasBuzzer else { return [] }
        // One digit each.
        return [.beep(count: min(signal.count, 9), units: min(max(signal.milliseconds / 50, 1), 9))]
    }

    var turnsLines: Bool { capabilities.turnsLines }
    func upsideDown(_ isOn: Bool) -> [EscPosCommand] { [.upsideDown(isOn)] }

    func logo(_ name: StoredLogo.Name) -> EscPosCommand? {
        switch (capabilities.logos, name) {
        case (.keys, _): .storedGraphics(name.key.0, name.key.1)
        case (.numbers, .number(let number)): .storedImage(number)
        case (.numbers, .key), (nil, _): nil
        }
    }

    func prints(_ code: PlacedCode) -> Bool {
        if code.code.symbology.isStacked { return false }
        if capabilities.symbologies.contains(code.code.symbology) { return true }
        if case .maxiCodeCarrier = code.checked.kind { return capabilities.symbologies.contains(.maxicode) }
        // Every printer that draws Code 128 draws its GS1 variant; but the text has no parentheses there.
        guard case .gs1Code128 = code.checked.kind else { return false }
        return capabilities.symbologies.contains(.code128) && code.textHeight == 0
    }

    func printArea(_ area: Range<Int>) -> [EscPosCommand] { [.leftMargin(area.lowerBound), .areaWidth(area.count)] }

    func code(_ code: PlacedCode) -> [EscPosCommand] {
        switch code.checked.kind {
        case .upcA: barcode(code, system: 65)
        case .upcE: barcode(code, system: 66)
        case .ean13: barcode(code, system: 67)
        case .ean8: barcode(code, system: 68)
        case .code39: barcode(code, system: 69)
        case .itf: barcode(code, system: 70)
        case .codabar: barcode(code, system: 71)
        case .code93: barcode(code, system: 72)
        case .code128(let codewords): barcode(code, system: 73, data: Code128.escPos(codewords))
        case .qr: qrCode(code)
        case .pdf417(_, let level): pdf417(code, level: level)
        case .dataMatrix: dataMatrix(code)
        case .gs1Code128(let codewords, let elements):
            capabilities.symbologies.contains(.gs1128)
                ? barcode(code, system: 74, data: Self.gs1(elements))
                : barcode(code, system: 73, data: Code128.escPos(codewords))
        // The printer adds the check digit.
        case .dataBar: barcode(code, system: 75, data: Array(code.checked.text.utf8.prefix(13)))
        case .dataBarExpanded(_, let elements): barcode(code, system: 78, data: Self.gs1(elements))
        case .aztec(let size): aztec(code, size)
        // These are always drawn.
        case .dataBarStacked, .dataBarExpandedStacked: []
        case .maxiCode: maxiCode(4, Array(code.checked.text.utf8))
        case .maxiCodeCarrier(let carrier): maxiCode(carrier.mode, carrier.escPos)
        }
    }

    /// The data of GS k 74 and 78: identifiers in parentheses, which are not encoded. `{1` ends a value of no fixed
    /// length, `{*` is the character that would be a check digit otherwise.
    private static func gs1(_ data: GS1Elements) -> [UInt8] {
        let elements = data.elements
        var data: [UInt8] = []
        for (index, element) in elements.enumerated() {
            data += "(\(element.identifier))".utf8
            for byte in element.value.utf8 { data += byte == UInt8(ascii: "*") ? [0x7B, byte] : [byte] }
            if !element.isOfFixedLength, index < elements.count - 1 { data += [0x7B, 0x31] }
        }
        return data
    }

    /// The second form of GS k, which states the length of the data.
    private func barcode(_ code: PlacedCode, system: UInt8) -> [EscPosCommand] {
        barcode(code, system: system, data: Array(code.checked.text.utf8))
    }

    private func barcode(_ code: PlacedCode, system: UInt8, data: [UInt8]) -> [EscPosCommand] {
        [
            .barcodeHeight(code.height), .barcodeModule(code.scale), .barcodeText(code.textHeight > 0),
            .barcode(system: system, data: data),
        ]
    }

    private func qrCode(_ code: PlacedCode) -> [EscPosCommand] {
        let level: UInt8 =
            switch code.code.level {
            case .l: 48
            case .m: 49
            case .q: 50
            case .h: 51
            }
        let settings: [EscPosCommand] = [
            // Model 2.
            .symbol(code: Self.qrCodeSymbol, function: 65, [50, 0]),
            .symbol(code: Self.qrCodeSymbol, function: 67, [UInt8(clamping: code.scale)]),
            .symbol(code: Self.qrCodeSymbol, function: 69, [level]),
        ]
        return settings + printing(Self.qrCodeSymbol, code.checked.text)
    }

    private func pdf417(_ code: PlacedCode, level: Int) -> [EscPosCommand] {
        let settings: [EscPosCommand] = [
            .symbol(code: Self.pdf417Symbol, function: 65, [UInt8(clamping: code.columns)]),
            // As many rows as the data needs.
            .symbol(code: Self.pdf417Symbol, function: 66, [0]),
            .symbol(code: Self.pdf417Symbol, function: 67, [UInt8(clamping: code.scale)]),
            .symbol(code: Self.pdf417Symbol, function: 68, [UInt8(clamping: CheckedCode.pdf417RowHeight)]),
            .symbol(code: Self.pdf417Symbol, function: 69, [48, UInt8(clamping: 48 + level)]),
            .symbol(code: Self.pdf417Symbol, function: 70, [0]),
        ]
        return settings + printing(Self.pdf417Symbol, code.checked.text)
    }

    private func dataMatrix(_ code: PlacedCode) -> [EscPosCommand] {
        let settings: [EscPosCommand] = [
            // Square, of the size that the data needs.
            .symbol(code: Self.dataMatrixSymbol, function: 66, [0, 0, 0]),
            .symbol(code: Self.dataMatrixSymbol, function: 67, [UInt8(clamping: code.scale)]),
        ]
        return settings + printing(Self.dataMatrixSymbol, code.checked.text)
    }

    private func aztec(_ code: PlacedCode, _ size: AztecSize) -> [EscPosCommand] {
        let settings: [EscPosCommand] = [
            .symbol(code: Self.aztecSymbol, function: 66, [size.isCompact ? 1 : 0, UInt8(clamping: size.layers)]),
            .symbol(code: Self.aztecSymbol, function: 67, [UInt8(clamping: code.scale)]),
            // The part for error correction that the standard recommends, in percent.
            .symbol(code: Self.aztecSymbol, function: 69, [23]),
        ]
        return settings + printing(Self.aztecSymbol, code.checked.text)
    }

    private func maxiCode(_ mode: Int, _ data: [UInt8]) -> [EscPosCommand] {
        [.symbol(code: Self.maxiCodeSymbol, function: 65, [UInt8(clamping: 48 + mode)])]
            + printing(Self.maxiCodeSymbol, data)
    }

    /// Stores the data, then prints the symbol.
    private func printing(_ code: UInt8, _ data: String) -> [EscPosCommand] { printing(code, Array(data.utf8)) }

    private func printing(_ code: UInt8, _ data: [UInt8]) -> [EscPosCommand] {
        [
            .symbol(code: code, function: 80, [0x30] + data), .symbol(code: code, function: 81, [0x30]),
        ]
    }

    // The symbols' codes in GS ( k.
    private static let qrCodeSymbol: UInt8 = 49
    private static let pdf417Symbol: UInt8 = 48
    private static let maxiCodeSymbol: UInt8 = 50
    private static let aztecSymbol: UInt8 = 53
    private static let dataMatrixSymbol: UInt8 = 54

    var pictureFormat: PictureFormat? {
        switch capabilities.raster {
        case .rows, .graphics: .bands
        case .strips: .strips(rows: Self.stripRows)
        case nil: nil
        }
    }

    func band(_ matrix: DotMatrix, rows: Range<Int>, bytesPerRow: Int) -> EscPosCommand {
        let bytes = matrix.bytes(of: rows, first: bytesPerRow)
        return capabilities.raster == .graphics
            ? .graphics(bytesPerRow: bytesPerRow, rows: bytes) : .raster(bytesPerRow: bytesPerRow, rows: bytes)
    }

    /// ESC * 33 prints columns of 24 dots.
    private static let stripRows = 24

    func strip(_ matrix: DotMatrix, from top: Int) -> EscPosCommand? {
        let columns = matrix.columns(of: top..<top + Self.stripRows)
        return columns.isEmpty ? nil : .strip(columns)
    }
}

extension DotMatrix {
    /// Three bytes for each column from the left to the last that holds a black dot, the top dot in the first byte's
    /// highest bit.
    fileprivate func columns(of rows: Range<Int>) -> [UInt8] {
        let rows = rows.clamped(to: 0..<height)
        let count = rows.reduce(0) { max($0, inkedBytes(ofRow: $1)) }
        var columns = [UInt8](repeating: 0, count: count * 8 * 3)
        for (offset, row) in rows.enumerated() {
            for index in 0..<count {
                let byte = bytes[row * stride + index]
                guard byte != 0 else { continue }
                for bit in 0..<8 where byte & 0x80 >> UInt8(bit) != 0 {
                    columns[(index * 8 + bit) * 3 + offset >> 3] |= 0x80 >> UInt8(offset & 7)
                }
            }
        }
        return columns
    }
}

/// The capabilities of an ESC/POS printer: the commands that it has, and its paper.
package struct EscPosCapabilities: Hashable, Sendable, LinePrinterCapabilities {
    package var paper: ReceiptPaper
    /// The code pages with their numbers for ESC t.
    package var codePages: [CodePage: UInt8]
    /// The code page after ESC @; nil where it is not known.
    package var initialCodePage: CodePage?
    /// The codes that the printer draws itself.
    package var symbologies: Set<Symbology>
    /// The cutter's modes; empty where there is no cutter.
    package var cuts: Set<CutMode>
    /// The distance from the head to where paper is torn off, in dots.
    package var tearFeed: Int
    /// The motion units per inch that GS P has to set, so that a unit is a dot; nil where it is one already.
    package var motionUnit: Int?
    /// Nil where the printer takes no pictures.
    package var raster: RasterMethod?
    /// The maximum number of rows in a picture's band, so that each band fits the printer's buffer.
    package var bandRows: Int
    /// Whether the printer starts in a mode of two bytes per character, until `FS .` ends it.
    package var isMultiByte: Bool
    /// Whether it prints red, selected by `ESC r`.
    package var hasRed: Bool
    /// Whether it has a buzzer, sounded by `ESC B`.
    package var hasBuzzer: Bool

    /// How it prints the pictures of its memory; nil where it does not.
    package var logos: StoredLogoCommand?
    /// Whether `ESC {` turns lines upside down.
    package var hasUpsideDown: Bool

    /// Whether turned lines are sent as such: a printer that takes pictures gets one of them.
    var turnsLines: Bool { hasUpsideDown && raster == nil }

    /// How the pictures of the printer's memory are printed.
    package enum StoredLogoCommand: Hashable, Sendable {
        /// `GS ( L`, function 69.
        case keys
        /// `FS p`.
        case numbers
    }

    /// How a printer takes pictures.
    package enum RasterMethod: Hashable, Sendable {
        /// `GS v 0`: rows that are printed as they come.
        case rows
        /// `GS ( L`, or `GS 8 L` where a band is large: rows that are stored and then printed.
        case graphics
        /// `ESC *`: strips of 24 rows, for older printers.
        case strips
    }

    package init(
        paper: ReceiptPaper, codePages: [CodePage: UInt8] = Self.epsonCodePages, initialCodePage: CodePage? = .cp437,
        symbologies: Set<Symbology> = Self.usualSymbologies, cuts: Set<CutMode> = [.full, .partial],
        tearFeed: Int = 120, motionUnit: Int? = nil,
        raster: RasterMethod? = .rows, bandRows: Int = Self.usualBandRows, isMultiByte: Bool = false,
        hasRed: Bool = false, hasBuzzer: Bool = false, logos: StoredLogoCommand? = nil, hasUpsideDown: Bool = false
    ) {
        (self.logos, self.hasUpsideDown) = (logos, hasUpsideDown)
        self.paper = paper
        self.codePages = codePages
        self.initialCodePage = initialCodePage
        self.symbologies = symbologies
        self.cuts = cuts
        self.tearFeed = tearFeed
        self.motionUnit = motionUnit
        self.raster = raster
        self.bandRows = max(bandRows, 1)
        self.isMultiByte = isMultiByte
        (self.hasRed, self.hasBuzzer) = (hasRed, hasBuzzer)
    }

    /// The capabilities that a profile describes.
    package init(_ settings: PrintingSettings) {
        let raster: RasterMethod =
            switch settings.raster.method {
            case .gsL: .graphics
            case .columns: .strips
            default: .rows
            }
        self.init(
            paper: ReceiptPaper(settings), codePages: settings.codePages, initialCodePage: settings.initialCodePage,
            symbologies: settings.receiptSymbologies, cuts: settings.receiptCuts, tearFeed: settings.tearFeed,
            motionUnit: settings.motionUnits, raster: settings.textOnly ? nil : raster, bandRows: settings.bandRows,
            isMultiByte: settings.multiByte, hasRed: settings.colors.contains(.red), hasBuzzer: settings.buzzer,
            logos: settings.storedLogos.map { $0 == .gsL ? .keys : .numbers }, hasUpsideDown: settings.upsideDown)
    }

    /// 3.5 KB on paper of 80 mm, which printers with a buffer of 4 KB take as one.
    package static let usualBandRows = 48

    /// The numbers of Epson's code pages (ESC/POS reference, ESC t).
    package static let epsonCodePages: [CodePage: UInt8] = [
        .cp437: 0, .katakana: 1, .cp850: 2, .windows1252: 16, .cp866: 17, .cp852: 18, .cp858: 19,
    ]

    /// Those that all but old models draw.
    package static let usualSymbologies: Set<Symbology> = [
        .upc, .ean, .code39, .itf, .codabar, .code93, .code128, .qrcode, .pdf417,
    ]
}
