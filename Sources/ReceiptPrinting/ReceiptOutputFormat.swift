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

    /// The first of the forms in which the printer takes receipts; nil where there is none, or too little is known of
    /// it.
    init?(_ printer: PreparationTarget, _ settings: PrintingSettings?) {
        let forms = Self.forms(for: printer, settings)
        let refused = printer.description?.learned?.refusedFormats ?? []
        guard let form = forms.first(where: { !refused.contains($0.format) }) ?? forms.last else { return nil }
        self = form
    }

    /// The forms in which the printer takes receipts, best first: its commands, PWG Raster, Apple Raster.
    static func forms(for printer: PreparationTarget, _ profile: PrintingSettings?) -> [ReceiptOutputFormat] {
        guard let settings = CommandLanguage.settings(of: printer, profile) else { return [] }
        let rasters = rasterForms(for: printer.description, settings)
        guard let commands = CommandLanguage(printer, profile, takesPages: !rasters.isEmpty) else { return rasters }
        let form = ReceiptOutputFormat(commands.settings)
        return commands.isPreferred ? [form] + rasters : rasters + [form]
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
