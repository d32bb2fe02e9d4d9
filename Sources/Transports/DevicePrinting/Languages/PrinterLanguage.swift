package import KioskPrintModel

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

    package static let zpl = PrinterLanguage("ZPL", .label, .zpl)

    private static let known: [PrinterLanguage] = [
        escPOS, PrinterLanguage("ESCPOS", [.receipt, .roll], .escPOS),
        PrinterLanguage("EPOS", [.receipt, .roll], .escPOS),
        star,
        zpl, PrinterLanguage("EPL", .label), PrinterLanguage("TSPL", .label),
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
    /// they are data, and in lines of commands they are not commands.
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

/// ESC/POS commands that query, clear and reset (Epson, "ESC/POS command reference").
package enum EscPosCommand {
    /// `GS a`: send the status now and on every change of drawer, online, errors and paper (bits 0 to 3). The printer
    /// executes it in its turn, so not while it is offline.
    package static let enableAutomaticStatus: [UInt8] = [0x1D, 0x61, 0x0F]
    package static let disableAutomaticStatus: [UInt8] = [0x1D, 0x61, 0x00]

    /// `GS r 1`: the paper sensor's status, sent in its turn: when everything before it is processed, though not yet
    /// printed.
    package static let requestStatus: [UInt8] = [0x1D, 0x72, 0x01]

    /// `GS ( H` function 48: the printer sends the id back when everything before it is printed. Four characters from
    /// 20h to 7Eh.
    package static func requestProcessID(_ id: String) -> [UInt8] {
        precondition(id.utf8.count == 4 && id.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "four visible characters")
        return [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30] + Array(id.utf8)
    }

    /// `DLE ENQ 2`: recover from an error and discard receive and print buffer. It has no effect except after a
    /// recoverable error, such as the cutter's.
    package static let recoverAndClear: [UInt8] = [0x10, 0x05, 0x02]
    /// `DLE DC4` function 8: stop the command in execution, discard receive and print buffer, and respond.
    package static let clearBuffers: [UInt8] = [0x10, 0x14, 0x08, 0x01, 0x03, 0x14, 0x01, 0x06, 0x02, 0x08]

    /// `ESC @`: discards the print buffer and every setting; the receive buffer stays.
    package static let initialise: [UInt8] = [0x1B, 0x40]
    /// `GS V 66 0`: feed to the cutter's position and make a partial cut.
    package static let feedAndCut: [UInt8] = [0x1D, 0x56, 0x42, 0x00]
    /// `ESC d 6`: feed six lines, so that the printed paper clears the tear bar.
    package static let feed: [UInt8] = [0x1B, 0x64, 0x06]
}

/// Star line mode commands that query, clear and reset (Star, "STAR Line Mode Command Specifications" §3).
package enum StarCommand {
    /// `ESC ACK SOH`: the automatic status now, in real time. Not to be sent again before its response has arrived, nor
    /// while the printer sends status automatically.
    package static let requestStatus: [UInt8] = [0x1B, 0x06, 0x01]
    /// `ESC RS a 1`: send the status on every change, and when an ETB is executed. The printer executes it in its turn;
    /// no specification says that it responds at once.
    package static let enableAutomaticStatus: [UInt8] = [0x1B, 0x1E, 0x61, 0x01]
    /// `ETB`: when everything before it is printed, increment the counter, and send the status if automatic status is
    /// on.
    package static let incrementCounter: [UInt8] = [0x17]
    /// `CAN`, "cancel print data and initialize commands": discard receive and line buffer, and reset the settings. The
    /// printer executes it on reception and sets the ETB counter to 0 (according to the manual of Samsung's SRP-275,
    /// which also speaks this language; Star's own page was not at hand).
    package static let cancel: [UInt8] = [0x18]
    /// `ESC @`: reset every setting, after printing the line buffer.
    package static let initialise: [UInt8] = [0x1B, 0x40]
    /// `ESC * r B`: leave raster mode.
    package static let quitRaster: [UInt8] = [0x1B, 0x2A, 0x72, 0x42]
    /// `ESC d 3`: feed to the cutter's position and make a partial cut.
    package static let feedAndCut: [UInt8] = [0x1B, 0x64, 0x03]
    /// `ESC a 6`: feed six lines, so that the printed paper clears the tear bar.
    package static let feed: [UInt8] = [0x1B, 0x61, 0x06]
}
