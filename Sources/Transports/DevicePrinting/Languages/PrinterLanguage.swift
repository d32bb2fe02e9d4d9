package import PrintModel

/// A command language that a printer understands, according to its device id's command sets.
package struct PrinterLanguage: Hashable, Sendable {
    /// The command set's name in upper case and without blanks: `ESC/POS`.
    package var name: String
    package var jobTypes: JobTypes
    /// Nil where `DocumentFormat` has no name for it.
    package var format: DocumentFormat?

    /// The language of a command set's name; nil for an unknown name, and for PJL and the like, which print nothing.
    ///
    /// Names end in versions and levels (`ZPLII`, `PCL5e`, `ESC/P2`), so the longest matching prefix counts.
    package init?(commandSet: String) {
        let name = String(decoding: commandSet.uppercased().utf8.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        let match = Self.known.filter { name.hasPrefix($0.name) }.max { $0.name.utf8.count < $1.name.utf8.count }
        guard let match else { return nil }
        self = match
    }

    private init(_ name: String, _ jobTypes: JobTypes, _ format: DocumentFormat? = nil) {
        self.name = name
        self.jobTypes = jobTypes
        self.format = format
    }

    package static let escPOS = PrinterLanguage("ESC/POS", [.receipt, .roll], .escPOS)
    package static let star = PrinterLanguage("STAR", [.receipt, .roll], .starPRNT)

    private static let known: [PrinterLanguage] = [
        escPOS, PrinterLanguage("ESCPOS", [.receipt, .roll], .escPOS),
        PrinterLanguage("EPOS", [.receipt, .roll], .escPOS),
        star,
        PrinterLanguage("ZPL", .label, .zpl), PrinterLanguage("EPL", .label), PrinterLanguage("TSPL", .label),
        PrinterLanguage("ESCLABEL", .label), PrinterLanguage("ESC/LABEL", .label), PrinterLanguage("DPL", .label),
        PrinterLanguage("CPCL", .label),
        PrinterLanguage("POSTSCRIPT", [.general, .document], .postScript),
        PrinterLanguage("PS", [.general, .document], .postScript),
        PrinterLanguage("PDF", [.general, .document], .pdf),
        PrinterLanguage("PCL", [.general, .document]), PrinterLanguage("ESC/P", [.general, .document]),
        PrinterLanguage("ESCPL2", [.general, .document]),
        PrinterLanguage("URF", [.general, .document], .appleRaster),
        PrinterLanguage("PWGRASTER", [.general, .document], .pwgRaster),
    ]
}

extension DeviceID {
    /// The known languages, in the order of the command sets.
    package var languages: [PrinterLanguage] {
        commandSets.prefix(Self.maximumCommandSets).compactMap(PrinterLanguage.init(commandSet:)).reduce(into: []) {
            found, language in
            if !found.contains(language) { found.append(language) }
        }
    }

    /// The first of its languages that has status reports.
    package var statusLanguage: DeviceSettings.Language? {
        languages.lazy.compactMap { language in
            switch language.format {
            case .escPOS?: .escPOS
            case .starPRNT?: .starLine
            default: nil
            }
        }.first
    }

    /// The job types of its languages; empty while no language is known.
    package var jobTypes: JobTypes { languages.reduce(into: []) { $0.formUnion($1.jobTypes) } }

    /// The label language; nil unless it is the only one that the printer names: what one discards, another may print.
    package var labelLanguage: LabelLanguage? {
        let names = Set(languages.filter { $0.jobTypes == .label }.map(\.name))
        guard let name = names.first, names.count == 1 else { return nil }
        return switch name {
        case "ZPL": .zpl
        case "EPL": .epl
        case "TSPL": .tspl
        default: nil
        }
    }

    private static let maximumCommandSets = 64
}

/// A label printer's language with a command that is certain to discard a half-received label and nothing else: neither
/// labels that are printing, nor earlier jobs that wait in the printer.
package enum LabelLanguage: Hashable, Sendable {
    case zpl, epl, tspl

    /// The command that discards the label. The caller sends NULs before it that fill up incomplete graphics: there
    /// they are data, and in lines of commands they are no command.
    var discard: [UInt8] {
        switch self {
        // "Cancels a format currently being sent to the printer. It does not affect any formats currently being
        // printed, or any subsequent formats that might be sent" (Zebra, "ZPL II Programming Guide", `~JX`). `~JA`
        // would cancel those as well.
        case .zpl: Array("\r\n~JX\r\n".utf8)
        // Ends the incomplete line, also within quoted text; one more quote would open a text where none was open.
        // "Clears the image buffer" (Zebra, "EPL2 Programmer's Manual", `N`).
        case .epl: Array("\r\nN\r\n".utf8)
        // As in EPL (TSC, "TSPL/TSPL2 Programming", `CLS`). The immediate `ESC ! .` would cancel earlier jobs as well.
        case .tspl: Array("\r\nCLS\r\n".utf8)
        }
    }
}
