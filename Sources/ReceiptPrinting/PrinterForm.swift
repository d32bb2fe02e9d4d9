import PrintModel
import Receipts

/// In which form a printer is sent receipts.
struct PrinterForm {
    /// What the prepared document is.
    let format: DocumentFormat
    let target: ReceiptTarget
    /// What the target was made from.
    let settings: PrintingSettings

    /// As its profile says, where the printer takes that; else as pixels, where it takes those. Nil where nothing that
    /// is made here is for it, or what it is is not known yet. A printer that no profile knows has to be one for
    /// receipts: an office printer would print page after page of commands.
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
        // What of pixels the printer says that it takes.
        let formats: [(DocumentFormat, RasterCapabilities.Format)] = [(.pwgRaster, .pwgGrey), (.appleRaster, .urf)]
        guard let (format, pixels) = formats.first(where: { printer.description?.formats.contains($0.0) == true })
        else { return nil }
        var asPixels = settings
        asPixels.language = .raster
        self.init(format, asPixels, pixels)
    }

    init(_ settings: PrintingSettings) { self.init(settings.language.format, settings) }

    private init(_ format: DocumentFormat, _ settings: PrintingSettings, _ pixels: RasterCapabilities.Format = .pwgGrey)
    {
        self.format = format
        self.settings = settings
        target = ReceiptTarget(settings, format: pixels)
    }
}

extension PrintingSettings {
    /// What every ESC/POS printer understands, on 80 mm or, where the printer says so, on narrower paper: all else is
    /// drawn.
    fileprivate static func unknownReceiptPrinter(onPaperOf description: PrinterDescription?) -> PrintingSettings {
        let media = [description?.mediaDefault].compactMap(\.self) + (description?.mediaReady ?? [])
        let width = media.lazy.compactMap(Self.width).first { $0 <= Self.widestRoll } ?? Self.usualRoll
        let isNarrow = width <= 60
        // No narrower than what is drawn.
        return PrintingSettings(
            language: .escPOS, dots: isNarrow ? 384 : 576, paperWidth: max(Int(width.rounded()), isNarrow ? 48 : 72),
            codePages: [.cp437: 0], initialCodePage: .cp437, cuts: isNarrow ? [] : [.full, .partial],
            drawers: 2)
    }

    /// Of receipts, in millimetres.
    private static let widestRoll = 120.0
    private static let usualRoll = 80.0

    /// Of a PWG 5101.1 media name, in millimetres: 80 of `om_receipt_80x297mm`.
    private static func width(ofMedia name: String) -> Double? {
        guard name.hasSuffix("mm"), let size = name.split(separator: "_").last else { return nil }
        return size.split(separator: "x").first.flatMap { Double($0) }
    }
}

extension PrintingSettings.Language {
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
