package import KioskPrintModel

/// The command language in which a printer of receipts or labels takes what it prints, by its profile or by what it
/// says itself.
package struct CommandLanguage: Hashable, Sendable {
    /// The language with the printer's paper and features.
    package let settings: PrintingSettings
    /// Whether it goes before the pages that the printer lists.
    package let isPreferred: Bool

    /// The document format of the language.
    package var format: DocumentFormat { settings.language.format }

    /// Nil where the printer takes pages alone, or too little is known of it.
    ///
    /// `application/octet-stream` says nothing of what a network printer takes: PAPPL and all printers built on it list
    /// it and abort commands. So commands come first only where the printer names them, or an administrator names the
    /// profile; where a profile only matches the model, raster is the surer form.
    ///
    /// - Parameters:
    ///   - profile: What the printer's profile states; nil where there is none.
    ///   - takesPages: Whether the printer lists a format of pages, such as PWG Raster.
    package init?(_ printer: PreparationTarget, _ profile: PrintingSettings?, takesPages: Bool) {
        guard let settings = Self.settings(of: printer, profile), settings.language != .raster else { return nil }
        self.settings = settings
        guard let description = printer.description else {
            isPreferred = true
            return
        }
        guard let announced = description.announcedFormat(for: settings.language.format) else { return nil }
        let isNamed =
            announced != .octetStream || settings.language == .escPOS && description.saysEscPOS
            || profile != nil && (printer.printer.profile != nil || !takesPages)
        // Of what is not on a network, the transport lists `application/octet-stream`, not the printer.
        let isListedByPrinter = [.ipp, .ipps].contains(printer.printer.url.scheme)
        isPreferred = isNamed || !isListedByPrinter
        if !isPreferred, profile == nil { return nil }
    }

    /// What is known of a printer for receipts or labels. One without a profile must list the job type `receipt`: an
    /// office printer would print page after page of commands.
    static func settings(of printer: PreparationTarget, _ profile: PrintingSettings?) -> PrintingSettings? {
        if let profile { return profile }
        guard let description = printer.description, printer.jobTypes?.contains(.receipt) == true else { return nil }
        return .unknownReceiptPrinter(onPaperOf: description)
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
    var format: DocumentFormat {
        switch self {
        case .escPOS: .escPOS
        case .starPRNT, .starLine, .starRaster: .starPRNT
        case .zpl: .zpl
        case .epl2, .tspl, .text: .octetStream
        case .raster: .pwgRaster
        }
    }
}
