import KioskPrintModel

extension TicketSupport {
    /// What a printer makes of tickets, as its attributes say: the same rules by which `TicketRequest` makes jobs.
    init(_ printer: PrinterCapabilities) {
        var values: [String: [String]] = [:]
        func list(_ key: Ticket.CodingKeys, _ keywords: some Sequence<String>, in attribute: String) {
            let taken = keywords.filter { printer.accepts(attribute, keyword: $0) }
            if !taken.isEmpty { values[key.rawValue] = taken }
        }
        func list(_ key: Ticket.CodingKeys, _ numbers: [(Int32, String)], in attribute: String) {
            let taken = numbers.filter { printer.accepts(attribute, number: $0.0) }.map(\.1)
            if !taken.isEmpty { values[key.rawValue] = taken }
        }
        list(.sides, Ticket.Sides.allCases.map(\.rawValue), in: "sides")
        list(.colorMode, Ticket.ColorMode.allCases.map(\.rawValue), in: "print-color-mode")
        if values[Ticket.CodingKeys.colorMode.rawValue] == nil, printer.hasColor == false {
            values[Ticket.CodingKeys.colorMode.rawValue] = [Ticket.ColorMode.monochrome.rawValue]
        }
        list(.scaling, Ticket.Scaling.allCases.map(\.rawValue), in: "print-scaling")
        list(.documentHandling, Ticket.DocumentHandling.allCases.map(\.rawValue), in: "multiple-document-handling")
        list(.pageBorder, Ticket.PageBorder.allCases.map(\.rawValue), in: "page-border")
        list(.contentOptimization, Ticket.ContentOptimization.allCases.map(\.rawValue), in: "print-content-optimize")
        if printer.accepts("printer-resolution") {
            values[Ticket.CodingKeys.resolution.rawValue] = printer.resolutions.map { "\($0)dpi" }
        }
        list(.orientation, Self.orientations, in: "orientation-requested")
        list(.quality, Self.qualities, in: "print-quality")
        let counts = Ticket.pageCounts.filter { printer.accepts("number-up", integer: Int32($0)) }.map { "\($0)" }
        if !counts.isEmpty { values[Ticket.CodingKeys.numberUp.rawValue] = counts }
        for (key, name) in [
            (Ticket.CodingKeys.pageRanges, "page-ranges"), (.accountID, "job-account-id"),
            (.accountingUserID, "job-accounting-user-id"),
        ] where printer.accepts(name) { values[key.rawValue] = [] }
        // Of media there are too many, and ranges of sizes; a delivery looks at them.
        values[Ticket.CodingKeys.media.rawValue] = []
        for (key, name) in [(Ticket.CodingKeys.mediaSource, "media-source"), (.mediaType, "media-type")] {
            if let listed = printer.mediaMemberValues(name) { values[key.rawValue] = listed }
        }
        if let listed = printer.values("output-bin") { values[Ticket.CodingKeys.outputBin.rawValue] = listed }
        if printer.maximumPasswordLength.map({ $0 > 0 }) == true { values[Ticket.CodingKeys.jobPassword.rawValue] = [] }
        self.init(
            copies: printer.copies, singleCopyFormats: [.pwgRaster, .appleRaster], values: values,
            required: printer.mandatoryJobAttributes.filter { Ticket.CodingKeys(rawValue: $0) != nil })
    }

    /// RFC 8011 §5.2.10.
    private static let orientations: [(Int32, String)] = [
        (3, "portrait"), (4, "landscape"), (5, "reverse-landscape"), (6, "reverse-portrait"),
    ]
    /// RFC 8011 §5.2.13.
    private static let qualities: [(Int32, String)] = [(3, "draft"), (4, "normal"), (5, "high")]
}
