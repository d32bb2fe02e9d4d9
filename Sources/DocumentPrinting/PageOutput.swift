import KioskDocuments
import KioskPageEncoding
import KioskPrintModel

/// The form in which one printer takes pages: the language, pixels and resolution, chosen from what the printer says
/// and what its profile states.
struct PageOutput: Hashable {
    let language: PageLanguage
    let format: DocumentFormat
    let color: PageColor
    /// Dots per inch.
    let dpi: Int
    /// The sides that can be printed on.
    let sides: Set<Ticket.Sides>
    /// The orientation of back sides; nil where the printer turns them itself.
    let sheetBack: PageSupport.SheetBack?
    /// Whether PCL and PostScript come within PJL.
    let usesPJL: Bool
    /// What the ticket asks for and this printer cannot do, as `key=value`.
    let unmet: [String]
    /// What is done otherwise than the ticket asks, as sentences without a full stop.
    let remarks: [String]
    /// Whether the way to the printer carries any byte: on a serial line some are flow control.
    let isEightBitClean: Bool
    /// What the printer prints on.
    let kind: PlanSettings.Kind
    /// How the dots become commands of a printer of labels or receipts; nil for printers of pages.
    let commands: CommandOutput?

    /// Chooses among the pages and the commands that a printer takes; nil where it is not known that it takes any.
    init?(_ target: PreparationTarget, _ settings: PageSettings?, _ printing: PrintingSettings?, _ ticket: Ticket) {
        let pages = PrinterPages(target, settings).language
        if settings?.raster == nil,
            let commands = CommandOutput(target, printing, insteadOf: pages?.format, ticket)
        {
            self.init(commands, ticket)
        } else {
            self.init(target, settings, ticket)
        }
    }

    /// Dots for commands.
    private init(_ commands: CommandOutput, _ ticket: Ticket) {
        self.commands = commands
        kind = commands.kind
        language = .dots
        format = commands.format
        color = .black1
        dpi = commands.settings.dpi
        unmet = [ticket.resolution.flatMap { $0 == commands.settings.dpi ? nil : "printer-resolution=\($0)dpi" }]
            .compactMap(\.self)
        remarks = commands.remarks
        sides = [.oneSided]
        sheetBack = nil
        usesPJL = false
        isEightBitClean = true
    }

    /// Chooses for a printer and a ticket; nil where it is not known how the printer takes pages.
    private init?(_ target: PreparationTarget, _ settings: PageSettings?, _ ticket: Ticket) {
        let printer = PrinterPages(target, settings)
        guard let language = printer.language else { return nil }
        switch language {
        case .urf: self.language = .appleRaster
        case .pwg: self.language = .pwgRaster
        case .pcl5e: self.language = .pcl5e
        case .postScript: self.language = .postScript
        }
        format = language.format
        let kind = PlanSettings.Kind(target.jobTypes)
        self.kind = kind
        guard let color = printer.color(in: language, ticket.colorMode, kind) else { return nil }
        self.color = color
        let resolutions = printer.resolutions(in: language)
        dpi = ticket.resolution ?? Self.resolution(for: ticket.quality, among: resolutions)
        unmet = [
            ticket.resolution.flatMap { resolutions.contains($0) ? nil : "printer-resolution=\($0)dpi" }
        ].compactMap(\.self)
        remarks = ticket.colorMode == .color && color != .rgb24 ? ["the printer is sent no colours: it is in grey"] : []
        sides = printer.sides
        sheetBack = printer.sheetBack(in: language)
        usesPJL = settings?.usesPJL ?? target.description?.commandSets.contains("PJL") ?? false
        isEightBitClean = target.printer.url.scheme != .serial
        commands = nil
    }

    /// Draft is the lowest resolution, high the highest, normal the middle; none above 600 where there is a lower one.
    private static func resolution(for quality: Ticket.Quality?, among resolutions: [Int]) -> Int {
        let usable = resolutions.filter { $0 <= highestResolution }
        let choices = usable.isEmpty ? Array(resolutions.prefix(1)) : usable
        return switch quality {
        case .draft: choices[0]
        case .high: choices[choices.count - 1]
        case .normal, nil: choices[choices.count / 2]
        }
    }

    private static let highestResolution = 600

    /// Whether the printer makes the copies of what it is sent; rasters contain all of them.
    var printerMakesCopies: Bool { language == .pcl5e || language == .postScript }

    /// The bytes before the first page of a raster: its synchronisation word, and in Apple Raster the count of pages.
    var headerLength: Int64 {
        switch language {
        case .pwgRaster: 4
        case .appleRaster: 12
        case .pcl5e, .postScript, .dots: 0
        }
    }

    /// The format in which a printer takes pages, commands of labels and receipts left aside; nil where none is known.
    static func pageFormat(of target: PreparationTarget, _ settings: PageSettings?) -> DocumentFormat? {
        PrinterPages(target, settings).language?.format
    }

    /// The format in which a printer takes pages, whatever the ticket; nil where it is not known to take any.
    static func format(
        of target: PreparationTarget, _ settings: PageSettings?, _ printing: PrintingSettings?
    ) -> DocumentFormat? {
        let pages = PrinterPages(target, settings).language?.format
        if settings?.raster != nil { return pages }
        return CommandOutput(target, printing, insteadOf: pages, Ticket())?.format ?? pages
    }
}

extension PlanSettings.Kind {
    /// What a printer of pages prints on, by what it is made for: labels or rolls where it does nothing else.
    fileprivate init(_ jobTypes: JobTypes?) {
        let types = jobTypes ?? .document
        guard types.isDisjoint(with: [.document, .photo, .largeFormat]) else {
            self = .sheets
            return
        }
        self = types.contains(.label) ? .labels : types.contains(.receipt) ? .rolls : .sheets
    }
}

/// What is known of a printer's pages, from its own description and its profile.
private struct PrinterPages {
    let description: PrinterDescription?
    let support: PageSupport?
    let settings: PageSettings?
    let refused: Set<DocumentFormat>

    init(_ target: PreparationTarget, _ settings: PageSettings?) {
        description = target.description
        support = target.description?.pages
        self.settings = settings
        refused = target.description?.learned?.refusedFormats ?? []
    }

    /// The profile's language, or else the first that the printer lists. Where it lists both rasters, Apple's is the
    /// one that works: several models list PWG raster and print nothing, or at a wrong scale
    /// (https://github.com/OpenPrinting/cups-filters/issues/171).
    var language: PageSettings.Language? {
        if let stated = settings?.raster { return stated }
        let formats = description?.formats ?? []
        let listed: [PageSettings.Language] = [.urf, .pwg, .pcl5e, .postScript].filter { language in
            switch language {
            // Without `urf-supported` AirPrint is switched off (https://github.com/OpenPrinting/cups/issues/890).
            case .urf: formats.contains(.appleRaster) && !urfResolutions.isEmpty
            case .pwg: formats.contains(.pwgRaster)
            case .pcl5e: formats.contains(.pcl)
            case .postScript: formats.contains(.postScript)
            }
        }
        return listed.first { !refused.contains($0.format) } ?? listed.last
    }

    /// The pixels that the printer takes in a language; nil where it takes none that are made here.
    func color(
        in language: PageSettings.Language, _ mode: Ticket.ColorMode?, _ kind: PlanSettings.Kind
    ) -> PageColor? {
        let isColor = settings?.isColor ?? description?.isColor ?? false
        let wantsColor = isColor && mode != .monochrome
        switch language {
        case .urf:
            return wantsColor && keywords.contains("SRGB24") ? .rgb24 : .gray8
        case .pwg:
            let types = support?.rasterTypes ?? []
            // The dots of a thermal head are chosen here: bars keep their width.
            if kind != .sheets, !wantsColor, types.contains("black_1") { return .black1 }
            if wantsColor, types.isEmpty || types.contains("srgb_8") { return .rgb24 }
            if types.isEmpty || types.contains("sgray_8") { return .gray8 }
            if types.contains("srgb_8") { return .rgb24 }
            return types.contains("black_1") ? .black1 : nil
        case .pcl5e: return .gray8
        case .postScript: return wantsColor ? .rgb24 : .gray8
        }
    }

    /// The dots per inch that can be chosen, ascending; never empty.
    func resolutions(in language: PageSettings.Language) -> [Int] {
        var listed = settings?.resolutions ?? []
        if listed.isEmpty {
            listed =
                switch language {
                case .urf: urfResolutions
                case .pwg: support?.rasterResolutions ?? []
                case .pcl5e, .postScript: []
                }
        }
        if listed.isEmpty { listed = description?.resolutions ?? [] }
        let usable = listed.filter(Self.plausibleResolutions.contains)
        return usable.isEmpty ? [Self.standardResolution] : usable.sorted()
    }

    /// What printers of pages have; others are mistakes.
    private static let plausibleResolutions = 72...4800
    private static let standardResolution = 300

    var sides: Set<Ticket.Sides> {
        let listed = Set((description?.sides ?? []).compactMap { Ticket.Sides(rawValue: $0) }).union([.oneSided])
        switch settings?.isDuplex {
        case true?: return Set(Ticket.Sides.allCases)
        case false?: return [.oneSided]
        case nil: return listed
        }
    }

    func sheetBack(in language: PageSettings.Language) -> PageSupport.SheetBack? {
        // PCL and PostScript turn the back themselves.
        if language == .pcl5e || language == .postScript { return nil }
        if let stated = settings?.sheetBack { return stated }
        switch language {
        case .urf:
            // DM1 normal, DM2 flipped, DM3 rotated, DM4 manual tumble (CUPS, cups/ppd-cache.c).
            let backs: [(String, PageSupport.SheetBack)] = [
                ("DM1", .normal), ("DM2", .flipped), ("DM3", .rotated), ("DM4", .manualTumble),
            ]
            return backs.first { keywords.contains($0.0) }?.1
        case .pwg: return support?.sheetBack ?? .normal
        case .pcl5e, .postScript: return nil
        }
    }

    /// The keywords of `urf-supported` in capitals: letter case and order are free.
    private var keywords: Set<String> { Set((support?.appleRaster ?? []).map { $0.uppercased() }) }

    /// The numbers of `RS300-600`, ascending.
    private var urfResolutions: [Int] {
        let numbers = keywords.filter { $0.hasPrefix("RS") }.flatMap { $0.dropFirst(2).split(separator: "-") }
        return Set(numbers.compactMap { Int($0) }.filter { $0 > 0 }).sorted()
    }
}
