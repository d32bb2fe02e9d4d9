import KioskPrintModel
import KioskReceipts

/// How receipts are encoded for one printer: the document format that is sent, the command language with the printer's
/// capabilities, and the profile's settings that these follow from.
struct ReceiptOutputFormat {
    let format: DocumentFormat
    let target: ReceiptTarget
    let settings: PrintingSettings

    /// The language that the printer's profile states, where the printer accepts it; else PWG or Apple Raster, where it
    /// accepts one of these. Nil where it accepts neither, or too little is known of it. A printer without a profile
    /// must list the job type `receipt`: an office printer would print page after page of commands.
    init?(_ printer: PreparationTarget, _ settings: PrintingSettings?) {
        guard settings != nil || printer.description != nil && printer.jobTypes?.contains(.receipt) == true else {
            return nil
        }
        let settings = settings ?? .unknownReceiptPrinter(onPaperOf: printer.description)
        let format = settings.language.format
        if settings.language != .raster,
            printer.description == nil || printer.description?.announcedFormat(for: format) != nil
        {
            self.init(format, settings)
            return
        }
        // In the order of preference.
        let formats: [(DocumentFormat, RasterCapabilities.Format)] = [(.pwgRaster, .pwgGrey), (.appleRaster, .urf)]
        guard let (format, rasterFormat) = formats.first(where: { printer.description?.formats.contains($0.0) == true })
        else { return nil }
        var rasterSettings = settings
        rasterSettings.language = .raster
        self.init(format, rasterSettings, rasterFormat)
    }

    /// The language that the settings state.
    init(_ settings: PrintingSettings) { self.init(settings.language.format, settings) }

    private init(
        _ format: DocumentFormat, _ settings: PrintingSettings, _ rasterFormat: RasterCapabilities.Format = .pwgGrey
    ) {
        self.format = format
        self.settings = settings
        target = ReceiptTarget(settings, format: rasterFormat)
    }
}

extension PrintingSettings {
    /// The commands that every ESC/POS printer understands, on paper of 80 mm or, where the printer reports it, on
    /// narrower paper. All else is drawn.
    fileprivate static func unknownReceiptPrinter(onPaperOf description: PrinterDescription?) -> PrintingSettings {
        let media = [description?.mediaDefault].compactMap(\.self) + (description?.mediaReady ?? [])
        let width = media.lazy.compactMap(Self.width).first { $0 <= Self.maximumRollWidth } ?? Self.standardRollWidth
        let isNarrow = width <= 60
        // No narrower than the dots.
        return PrintingSettings(
            language: .escPOS, dots: isNarrow ? 384 : 576, paperWidth: max(Int(width.rounded()), isNarrow ? 48 : 72),
            codePages: [.cp437: 0], initialCodePage: .cp437, cuts: isNarrow ? [] : [.full, .partial],
            drawers: 2)
    }

    // The widths of receipt rolls, in millimetres.
    private static let maximumRollWidth = 120.0
    private static let standardRollWidth = 80.0

    /// The width in a PWG 5101.1 media name, in millimetres: 80 in `om_receipt_80x297mm`.
    private static func width(ofMedia name: String) -> Double? {
        guard name.hasSuffix("mm"), let size = name.split(separator: "_").last else { return nil }
        return size.split(separator: "x").first.flatMap { Double($0) }
    }
}

extension PrintingSettings.Language {
    /// The document format of the language.
    fileprivate var format: DocumentFormat {
        switch self {
        case .escPOS: .escPOS
        case .starPRNT, .starLine, .starRaster: .starPRNT
        case .zpl: .zpl
        case .epl2, .tspl, .text: .octetStream
        case .raster: .pwgRaster
        }
    }
}
