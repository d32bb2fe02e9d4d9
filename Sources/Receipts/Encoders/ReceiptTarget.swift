package import PrintModel

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

    /// Whether the printer can print pictures of what it lacks. If it cannot, a code may be printed as its data.
    package var canDraw: Bool { plainTextRewriter == nil }

    /// Rewrites receipts for a printer that cannot print pictures; nil for other printers.
    var plainTextRewriter: PlainTextRewriter? {
        switch self {
        case .text(let capabilities):
            return PlainTextRewriter(symbologies: []) { capabilities.bytes(of: $0) != nil }
        case .escPos(let capabilities) where capabilities.raster == nil:
            let pages = CodePage.allCases.filter { capabilities.codePages[$0] != nil }
            return PlainTextRewriter(symbologies: capabilities.symbologies) { character in
                character.asciiValue.map { (0x20..<0x7F).contains($0) }
                    ?? pages.contains { $0.bytes(of: character) != nil }
            }
        default: return nil
        }
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
    var receiptSymbologies: Set<Receipts.Symbology> {
        Set(symbologies.compactMap { Receipts.Symbology(rawValue: $0.rawValue) })
    }

    var receiptCuts: Set<CutMode> { Set(cuts.compactMap { CutMode(rawValue: $0.rawValue) }) }

    /// The rows of a picture's band: as many as fit the printer's buffer, with room for the command before them, and a
    /// multiple of 8, since strips pack a column's dots into bytes.
    var bandRows: Int {
        let rows = raster.buffer / 8 * 7 / max((dots + 7) / 8, 1)
        return max(min(raster.band, rows) / 8 * 8, 8)
    }
}
