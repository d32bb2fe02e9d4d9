package import PrintModel

/// A language that a printer takes commands in, as its device id's command sets tell.
package struct PrinterLanguage: Hashable, Sendable {
    /// As the command sets spell it, in upper case and without blanks: `ESC/POS`.
    package var name: String
    package var jobTypes: JobTypes
    /// Nil where the vocabulary has no name for it.
    package var format: DocumentFormat?

    /// What a command set's name says; nil for one that is not known, and for PJL and the like, which print nothing.
    ///
    /// Names carry versions and levels behind them (`ZPLII`, `PCL5e`, `ESC/P2`), so the longest beginning counts.
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
    /// In the order of the command sets.
    package var languages: [PrinterLanguage] {
        commandSets.prefix(Self.mostCommandSets).compactMap(PrinterLanguage.init(commandSet:)).reduce(into: []) {
            found, language in
            if !found.contains(language) { found.append(language) }
        }
    }

    /// The first of its languages in which printers tell how they are.
    package var statusLanguage: DeviceSettings.Language? {
        languages.lazy.compactMap { language in
            switch language.format {
            case .escPOS?: .escPOS
            case .starPRNT?: .starLine
            default: nil
            }
        }.first
    }

    /// What its languages are for; empty while nothing is known.
    package var jobTypes: JobTypes { languages.reduce(into: []) { $0.formUnion($1.jobTypes) } }

    private static let mostCommandSets = 64
}
