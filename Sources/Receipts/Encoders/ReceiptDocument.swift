package import KioskPrintModel

/// A receipt for one printer. It lists what has to be drawn for it, and becomes bytes once that is drawn:
///
///     let document = try ReceiptDocument(receipt, for: target)
///     let drawn = try await service.draw(Array(document.drawings))
///     let bytes = try document.bytes(with: drawn)
package struct ReceiptDocument: Sendable {
    package let layout: ReceiptLayout
    package let target: ReceiptTarget
    package let dithering: Dithering
    /// Empty where the printer's own characters and codes suffice.
    package let drawings: Set<Drawing>
    /// Where the print differs from the receipt, as sentences without a full stop. The job reports them.
    package let remarks: [String]
    private let encoder: TargetEncoder

    package init(
        _ receipt: Receipt, for target: ReceiptTarget, dithering: Dithering = .floydSteinberg
    ) throws(ReceiptError) {
        var logos = StoredLogoReplacer { target.has($0) }
        let receipt = logos.replaced(receipt)
        guard var rewriter = target.plainTextRewriter else {
            try self.init(
                ReceiptLayout(receipt, on: target.paper), for: target, dithering: dithering, remarks: logos.remarks)
            return
        }
        let plain = try rewriter.rewritten(receipt)
        try self.init(
            ReceiptLayout(plain, on: target.paper), for: target, dithering: dithering,
            remarks: logos.remarks + rewriter.remarks)
    }

    /// A receipt that is laid out already, on the printer's paper. For a printer that cannot print pictures, it must
    /// contain only what that printer has itself.
    package init(
        _ layout: ReceiptLayout, for target: ReceiptTarget, dithering: Dithering = .floydSteinberg
    ) throws(ReceiptError) {
        try self.init(layout, for: target, dithering: dithering, remarks: [])
    }

    private init(
        _ layout: ReceiptLayout, for target: ReceiptTarget, dithering: Dithering, remarks: [String]
    ) throws(ReceiptError) {
        (self.layout, self.target, self.dithering) = (layout, target, dithering)
        let encoder = try TargetEncoder(layout, for: target, dithering: dithering)
        self.encoder = encoder
        drawings = encoder.drawings
        let kicks = layout.lines.contains { if case .drawer = $0.content { true } else { false } }
        let buzzes = layout.buzzerSignal != nil
        var remarks = remarks + layout.remarks
        if case .raster(let raster, let picture) = encoder, picture.addedPageCount > 0 {
            remarks.append(raster.remarkOnSplitting(into: picture.pageEnds.count))
        }
        if kicks, !target.hasDrawer { remarks.append("the printer has no drawer: none was opened") }
        if buzzes, !target.hasBuzzer { remarks.append("the printer has no buzzer: none was sounded") }
        if encoder.losesColor { remarks.append("the printer prints this in black only: not all of it is red") }
        self.remarks = remarks
    }

    /// Throws where a drawing is missing, or the printer cannot print the receipt: then no byte of it is sent.
    package func bytes(with drawn: RenderedDrawings) throws(ReceiptError) -> [UInt8] {
        switch try encoder.commands(with: drawn) {
        case .escPos(let commands): return commands.bytes
        case .encoded(let commands): return commands.bytes
        }
    }

    /// The commands for people, one per line.
    package func dump(with drawn: RenderedDrawings) throws(ReceiptError) -> String {
        switch try encoder.commands(with: drawn) {
        case .escPos(let commands): return commands.dump
        case .encoded(let commands): return commands.dump
        }
    }

    /// The size of the longest page, for a printer that takes pages; else nil.
    package var rollPage: RollPage? {
        guard case .raster(let encoder, let picture) = self.encoder else { return nil }
        return encoder.rollPage(length: picture.longestPage)
    }

    /// How each page is separated from what follows, for a printer that takes pages; else empty.
    package var pageEnds: [CutMode?] {
        guard case .raster(_, let picture) = encoder else { return [] }
        return picture.pageEnds
    }
}

/// The encoder of the target's language, with what it encodes.
private enum TargetEncoder {
    case escPos(LineEncoder<EscPosCommandSet>)
    case star(LineEncoder<StarCommandSet>)
    case label(LabelEncoder, ReceiptPicture)
    case raster(RasterEncoder, ReceiptPicture)
    case text(PlainTextEncoder, ReceiptLayout)

    enum Commands {
        case escPos([EscPosCommand])
        case encoded([EncodedCommand])
    }

    init(_ layout: ReceiptLayout, for target: ReceiptTarget, dithering: Dithering) throws(ReceiptError) {
        switch target {
        case .escPos(let capabilities):
            self = .escPos(try LineEncoder(layout, EscPosCommandSet(capabilities), dithering: dithering))
        case .star(let capabilities):
            self = .star(try LineEncoder(layout, StarCommandSet(capabilities), dithering: dithering))
        case .label(let capabilities):
            self = .label(LabelEncoder(capabilities: capabilities), ReceiptPicture(layout, dithering: dithering))
        case .raster(let capabilities):
            let picture = ReceiptPicture(
                layout, dithering: dithering, maximumPageLength: capabilities.maximumPageLength)
            self = .raster(RasterEncoder(capabilities: capabilities), picture)
        case .text(let capabilities): self = .text(PlainTextEncoder(capabilities: capabilities), layout)
        }
    }

    /// Everything that has to be drawn.
    var drawings: Set<Drawing> {
        switch self {
        case .escPos(let encoder): encoder.drawings
        case .star(let encoder): encoder.drawings
        case .label(_, let picture): picture.drawings
        case .raster(_, let picture): picture.drawings
        case .text: []
        }
    }

    /// Whether something comes out in black that is to be red.
    var losesColor: Bool {
        switch self {
        case .escPos(let encoder): encoder.losesColor
        case .star(let encoder): encoder.losesColor
        case .label(_, let picture), .raster(_, let picture): picture.layout.lines.contains(where: \.hasRed)
        case .text(_, let layout): layout.lines.contains(where: \.hasRed)
        }
    }

    func commands(with drawn: RenderedDrawings) throws(ReceiptError) -> Commands {
        switch self {
        case .escPos(let encoder): return .escPos(try encoder.commands(with: drawn))
        case .star(let encoder): return .encoded(try encoder.commands(with: drawn))
        case .label(let encoder, let picture):
            return .encoded(
                try encoder.commands(
                    picture.pages(with: drawn), then: picture.commandsAfterPages, buzzing: picture.layout.buzzerSignal))
        case .raster(let encoder, let picture):
            return .encoded(try encoder.commands(picture.pages(with: drawn), then: picture.commandsAfterPages))
        case .text(let encoder, let layout): return .encoded(try encoder.commands(layout))
        }
    }
}

/// The language and capabilities of the printer that a receipt is encoded for.
package enum ReceiptTarget: Hashable, Sendable {
    case escPos(EscPosCapabilities)
    case star(StarCapabilities)
    case label(LabelCapabilities)
    case raster(RasterCapabilities)
    case text(PlainTextCapabilities)

    /// The target that a profile describes. `format` is the raster format that the printer announced, where it takes
    /// one.
    package init(_ settings: PrintingSettings, format: RasterCapabilities.Format = .pwgGrey) {
        switch settings.language {
        case .escPOS: self = .escPos(EscPosCapabilities(settings))
        case .starPRNT, .starLine, .starRaster: self = .star(StarCapabilities(settings))
        case .zpl: self = .label(LabelCapabilities(settings, .zpl))
        case .epl2: self = .label(LabelCapabilities(settings, .epl))
        case .tspl: self = .label(LabelCapabilities(settings, .tspl))
        case .raster: self = .raster(RasterCapabilities(settings, format))
        case .text: self = .text(PlainTextCapabilities(settings))
        }
    }

    package var paper: ReceiptPaper {
        switch self {
        case .escPos(let capabilities): capabilities.paper
        case .star(let capabilities): capabilities.paper
        case .label(let capabilities): capabilities.paper
        case .raster(let capabilities): capabilities.paper
        case .text(let capabilities): capabilities.paper
        }
    }

    var hasDrawer: Bool {
        switch self {
        case .escPos, .star: true
        case .label, .raster, .text: false
        }
    }

    var hasBuzzer: Bool {
        switch self {
        case .escPos(let capabilities): capabilities.hasBuzzer
        case .star(let capabilities): capabilities.hasBuzzer
        case .label(let capabilities): capabilities.hasBuzzer
        case .raster, .text: false
        }
    }

    /// Whether the printer prints a picture of its memory under such a name. Only its user knows whether one is there.
    func has(_ logo: StoredLogo.Name) -> Bool {
        switch self {
        case .escPos(let capabilities): EscPosCommandSet(capabilities).logo(logo) != nil
        case .star(let capabilities): StarCommandSet(capabilities).logo(logo) != nil
        case .label, .raster, .text: false
        }
    }

    /// Whether the printer can print pictures of what it lacks. If it cannot, a code may be printed as its data.
    package var canDraw: Bool { plainTextRewriter == nil }

    /// Rewrites receipts for a printer that cannot print pictures; nil for other printers.
    var plainTextRewriter: PlainTextRewriter? {
        switch self {
        case .text(let capabilities):
            return PlainTextRewriter(symbologies: []) { capabilities.bytes(of: $0) != nil }
        case .escPos(let capabilities) where capabilities.raster == nil:
            let pages = CodePage.allCases.filter { capabilities.codePages[$0] != nil }
            return PlainTextRewriter(
                symbologies: capabilities.symbologies, turnsLines: capabilities.turnsLines
            ) { character in
                character.asciiValue.map { (0x20..<0x7F).contains($0) }
                    ?? pages.contains { $0.bytes(of: character) != nil }
            }
        default: return nil
        }
    }
}

extension ReceiptLayout {
    /// The first signal: it sounds once.
    fileprivate var buzzerSignal: BuzzerSignal? {
        lines.lazy.compactMap { if case .buzzer(let signal) = $0.content { signal } else { nil } }.first
    }
}

extension ReceiptPaper {
    /// The paper that a profile describes.
    package init(_ settings: PrintingSettings) {
        self.init(
            dots: settings.dots, fontA: Cell(settings.fontA), fontB: settings.fontB.map { Cell($0) },
            lineGap: settings.lineGap,
            // An inch has 25.4 millimetres.
            dotsPerMillimetre: (settings.dpi * 10 + 127) / 254)
    }
}

extension ReceiptPaper.Cell {
    fileprivate init(_ font: PrintingSettings.Font) { self.init(width: font.width, height: font.height) }
}

extension PrintingSettings {
    var receiptSymbologies: Set<KioskReceipts.Symbology> {
        Set(symbologies.compactMap { KioskReceipts.Symbology(rawValue: $0.rawValue) })
    }

    var receiptCuts: Set<CutMode> { Set(cuts.compactMap { CutMode(rawValue: $0.rawValue) }) }

    /// The rows of a picture's band: as many as fit the printer's buffer, with room for the command before them, and a
    /// multiple of 8, since strips pack a column's dots into bytes.
    var bandRows: Int {
        let rows = raster.buffer / 8 * 7 / max((dots + 7) / 8, 1)
        return max(min(raster.band, rows) / 8 * 8, 8)
    }
}
