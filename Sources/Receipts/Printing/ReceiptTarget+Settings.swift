package import PrintModel

extension ReceiptTarget {
    /// As a profile describes the printer. `format`: what pixels the printer said that it takes, where
    /// it takes pixels.
    package init(_ settings: PrintingSettings, format: RasterPrinter.Format = .pwgGrey) {
        switch settings.language {
        case .escPOS: self = .escPos(EscPosPrinter(settings))
        case .starPRNT, .starLine, .starRaster: self = .star(StarPrinter(settings))
        case .zpl: self = .label(LabelPrinter(settings, .zpl))
        case .epl2: self = .label(LabelPrinter(settings, .epl))
        case .tspl: self = .label(LabelPrinter(settings, .tspl))
        case .raster:
            // A page is as wide as the paper: what the head does not reach is its margins.
            let width = settings.paperWidth.map { ($0 * settings.dpi * 10 + 127) / 254 }
            self = .raster(
                RasterPrinter(
                    paper: ReceiptPaper(settings), format: format, dotsPerInch: settings.dpi, pageWidth: width))
        case .text:
            let paper = ReceiptPaper(settings)
            let tearLines = settings.tearFeed / max(paper.fontA.height + paper.lineGap, 1)
            self = .text(
                TextPrinter(
                    paper: paper, characters: settings.initialCodePage.map { .codePage($0) } ?? .ascii,
                    tearLines: tearLines))
        }
    }
}

extension StarPrinter {
    init(_ settings: PrintingSettings) {
        self.init(
            paper: ReceiptPaper(settings), codePages: settings.codePages, initialCodePage: settings.initialCodePage,
            symbologies: settings.receiptSymbologies, cuts: settings.receiptCuts, tearFeed: settings.tearFeed,
            raster: settings.raster.method == .escGsS ? .graphics : .rasterMode, bandRows: settings.bandRows,
            hasText: settings.language != .starRaster)
    }
}

extension LabelPrinter {
    /// Labels are never wider than the head.
    init(_ settings: PrintingSettings, _ language: Language) {
        var settings = settings
        func dots(_ millimetres: Int) -> Int { (millimetres * settings.dpi * 10 + 127) / 254 }
        let label = settings.label
        if let label { settings.dots = min(settings.dots, dots(label.width)) }
        self.init(
            paper: ReceiptPaper(settings), language: language,
            labelLength: label.flatMap { $0.gap > 0 ? dots($0.height) : nil },
            labelGap: dots(label?.gap ?? 0), hasCutter: !settings.cuts.isEmpty, darkness: label?.darkness,
            speed: label?.speed)
    }
}
