import KioskPrintModel
import KioskReceipts

/// How receipts are encoded for one printer: the document format that is sent, the command language with the printer's
/// capabilities, and the profile's settings that these follow from.
struct ReceiptOutputFormat {
    let format: DocumentFormat
    private(set) var target: ReceiptTarget
    let settings: PrintingSettings
    /// How the printer's paper changes receipts, as a sentence without a full stop; nil where it does not.
    private(set) var remarkOnPaper: String?

    /// The first of the forms in which the printer takes receipts; nil where there is none, or too little is known of it.
    init?(_ printer: PreparationTarget, _ settings: PrintingSettings?) {
        let forms = Self.forms(for: printer, settings)
        let refused = printer.description?.learned?.refusedFormats ?? []
        guard let form = forms.first(where: { !refused.contains($0.format) }) ?? forms.last else { return nil }
        self = form
    }

    /// The forms in which the printer takes receipts, best first: its commands, PWG Raster, Apple Raster.
    ///
    /// `application/octet-stream` says nothing of what a network printer takes: PAPPL and all printers built on it list it
    /// and abort commands. So commands come first only where the printer names them, or an administrator names the
    /// profile; where a profile only matches the model, raster is the surer form. A printer without a profile must list
    /// the job type `receipt`: an office printer would print page after page of commands.
    static func forms(for printer: PreparationTarget, _ profile: PrintingSettings?) -> [ReceiptOutputFormat] {
        guard profile != nil || printer.description != nil && printer.jobTypes?.contains(.receipt) == true else {
            return []
        }
        let settings = profile ?? .unknownReceiptPrinter(onPaperOf: printer.description)
        let rasters = rasterForms(for: printer.description, settings)
        guard settings.language != .raster else { return rasters }
        let commands = ReceiptOutputFormat(settings)
        guard let description = printer.description else { return [commands] }
        guard let announced = description.announcedFormat(for: commands.format) else { return rasters }
        let isNamed =
            announced != .octetStream || settings.language == .escPOS && description.saysEscPOS
            || profile != nil && (printer.printer.profile != nil || rasters.isEmpty)
        // Of what is not on a network, the transport lists `application/octet-stream`, not the printer.
        let isListedByPrinter = [.ipp, .ipps].contains(printer.printer.url.scheme)
        if isNamed || !isListedByPrinter { return [commands] + rasters }
        return profile == nil ? rasters : rasters + [commands]
    }

    private static func rasterForms(
        for description: PrinterDescription?, _ settings: PrintingSettings
    ) -> [ReceiptOutputFormat] {
        var settings = settings
        settings.language = .raster
        // In the order of preference.
        let formats: [(DocumentFormat, RasterCapabilities.Format)] = [(.pwgRaster, .pwgGrey), (.appleRaster, .urf)]
        let paper = description.flatMap { LoadedPaper($0, for: settings) }
        let remark = paper?.fit(&settings)
        return formats.filter { description?.formats.contains($0.0) == true }.map {
            var form = ReceiptOutputFormat($0.0, settings, $0.1)
            form.remarkOnPaper = remark
            if case .raster(var capabilities) = form.target {
                capabilities.maximumPageLength = paper?.maximumLength(in: capabilities.dotsPerInch)
                form.target = .raster(capabilities)
            }
            return form
        }
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
