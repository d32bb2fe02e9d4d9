package import PrintModel

extension EscPosPrinter {
    /// As a profile describes it.
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
            isMultiByte: settings.multiByte)
    }
}

extension ReceiptPaper {
    /// As a profile describes it.
    package init(_ settings: PrintingSettings) {
        self.init(
            dots: settings.dots, fontA: Cell(settings.fontA), fontB: settings.fontB.map { Cell($0) },
            lineGap: settings.lineGap,
            // 25.4 millimetres are an inch.
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

    /// Rows of a picture's band: as many as fit the printer's buffer, with room for what stands before them, and are
    /// bytes when they stand upright.
    var bandRows: Int {
        let rows = raster.buffer / 8 * 7 / max((dots + 7) / 8, 1)
        return max(min(raster.band, rows) / 8 * 8, 8)
    }
}
