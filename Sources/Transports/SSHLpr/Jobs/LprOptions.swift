import KioskPrintModel

/// The options of `lpr` for a ticket: every word is made of checked values and safe in any shell.
struct LprOptions: Hashable, Sendable {
    var words: [String] = []

    /// Throws if this `lpr` cannot do what the ticket requests: a job is never printed differently. `pageOptions`:
    /// those that a conversion has not applied already.
    init(
        _ ticket: Ticket, pageOptions: [PageOption], format: DocumentFormat, dialect: LprSettings.Dialect,
        isConverted: Bool = false
    ) throws(UnsupportedTicket) {
        if let copies = ticket.copies, copies > 1 { words.append("-#\(copies)") }
        switch dialect {
        case .cups where format.isPrinterLanguage:
            // A document in the printer's language has no pages to select or arrange.
            if let option = pageOptions.first { throw UnsupportedTicket(option: option, reason: .printerLanguage) }
            words += ["-o", "raw"]
        case .cups:
            words += Self.cupsFormats.contains(format) ? ["-o", "document-format=\(format.mimeType)"] : []
            // The defaults of a queue may differ from those of printers.
            for option in pageOptions + PageOption.defaults(of: ticket) {
                guard option.isCUPSOption, ShellWord.isPlain(option.cupsOption) else {
                    throw UnsupportedTicket(option: option, reason: .noSuchOption)
                }
                words += ["-o", option.cupsOption]
            }
            if let priority = ticket.priority { words += ["-o", "job-priority=\(priority)"] }
            for (key, value) in [
                ("job-account-id", ticket.accountID), ("job-accounting-user-id", ticket.accountingUserID),
            ] {
                // What would be read otherwise is left out, and LprRemarks say so.
                if let value, Self.isOptionValue(value) { words += ["-o", "\(key)=\(value)"] }
            }
            if ticket.fidelity == true { words += ["-o", "ipp-attribute-fidelity=true"] }
        case .lprng, .bsd:
            if let option = pageOptions.first {
                throw UnsupportedTicket(option: option, reason: isConverted ? .notConverted : .noSuchOption)
            }
            if format.isPrinterLanguage { words.append("-l") }
        }
    }

    /// Whether CUPS's `lpr` takes a text as the value of one option: it splits options at blanks and commas, and reads
    /// quotes and braces in them.
    static func isOptionValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: "-._@/+:".utf8.contains(byte)
            }
        }
    }

    /// The formats that every CUPS knows by name; it detects all others itself.
    private static let cupsFormats: Set<DocumentFormat> = [
        .plainText, .pdf, .postScript, .jpeg, .png, .pwgRaster, .appleRaster,
    ]
}

/// An attribute of a ticket that changes the pages, and that not every `lpr` has an option for.
enum PageOption: Hashable, Sendable {
    case sides(Ticket.Sides)
    case pageRanges([PageRange])
    case numberUp(Int)
    case media(String)
    case orientation(Ticket.Orientation)
    case colorMode(Ticket.ColorMode)
    case quality(Ticket.Quality)
    case outputBin(String)
    case scaling(Ticket.Scaling)
    case documentHandling(Ticket.DocumentHandling)
    case pageBorder(Ticket.PageBorder)
    case contentOptimization(Ticket.ContentOptimization)
    case resolution(Int)
    /// A member of `media-col`, which no `lpr` has an option for: the ticket's key.
    case paper(String)
    case password

    /// The options of a ticket that differ from the defaults of every printer.
    static func all(of ticket: Ticket) -> [PageOption] {
        var options: [PageOption] = []
        if let sides = ticket.sides, sides != .oneSided { options.append(.sides(sides)) }
        if let ranges = ticket.pageRanges { options.append(.pageRanges(ranges)) }
        if let count = ticket.numberUp, count > 1 { options.append(.numberUp(count)) }
        if let media = ticket.media { options.append(.media(media)) }
        if let orientation = ticket.orientation, orientation != .portrait { options.append(.orientation(orientation)) }
        if let mode = ticket.colorMode, mode != .auto { options.append(.colorMode(mode)) }
        if let quality = ticket.quality, quality != .normal { options.append(.quality(quality)) }
        if let bin = ticket.outputBin, bin != "auto" { options.append(.outputBin(bin)) }
        if let scaling = ticket.scaling, scaling != .auto { options.append(.scaling(scaling)) }
        if ticket.documentHandling == .uncollatedCopies { options.append(.documentHandling(.uncollatedCopies)) }
        if let border = ticket.pageBorder, border != Ticket.PageBorder.none { options.append(.pageBorder(border)) }
        if let content = ticket.contentOptimization, content != .auto { options.append(.contentOptimization(content)) }
        if let resolution = ticket.resolution { options.append(.resolution(resolution)) }
        if let source = ticket.mediaSource, source != "auto" { options.append(.paper("media-source")) }
        if let type = ticket.mediaType, type != "auto" { options.append(.paper("media-type")) }
        if ticket.jobPassword != nil || ticket.jobPasswordEncryption != nil { options.append(.password) }
        return options
    }

    /// The options of a ticket that are the defaults of printers, though perhaps not of their queue.
    static func defaults(of ticket: Ticket) -> [PageOption] {
        var options: [PageOption] = []
        if ticket.sides == .oneSided { options.append(.sides(.oneSided)) }
        if ticket.numberUp == 1 { options.append(.numberUp(1)) }
        if ticket.orientation == .portrait { options.append(.orientation(.portrait)) }
        if ticket.quality == .normal { options.append(.quality(.normal)) }
        return options
    }

    /// The ticket's key.
    var key: String {
        switch self {
        case .sides: "sides"
        case .pageRanges: "page-ranges"
        case .numberUp: "number-up"
        case .media: "media"
        case .orientation: "orientation-requested"
        case .colorMode: "print-color-mode"
        case .quality: "print-quality"
        case .outputBin: "output-bin"
        case .scaling: "print-scaling"
        case .documentHandling: "multiple-document-handling"
        case .pageBorder: "page-border"
        case .contentOptimization: "print-content-optimize"
        case .resolution: "printer-resolution"
        case .paper(let key): key
        case .password: "job-password"
        }
    }

    /// Whether CUPS's `lpr` has an option for it.
    fileprivate var isCUPSOption: Bool {
        switch self {
        case .paper, .password: false
        default: true
        }
    }

    /// The value of `-o` in IPP's names, which CUPS's `lpr` accepts.
    fileprivate var cupsOption: String {
        let value =
            switch self {
            case .sides(let sides): sides.rawValue
            case .pageRanges(let ranges): ranges.map(\.description).joined(separator: ",")
            case .numberUp(let count): "\(count)"
            case .media(let name): name
            case .orientation(let orientation): "\(orientation.ippNumber)"
            case .colorMode(let mode): mode.rawValue
            case .quality(let quality): "\(quality.ippNumber)"
            case .outputBin(let name): name
            case .scaling(let scaling): scaling.rawValue
            case .documentHandling(let handling): handling.rawValue
            case .pageBorder(let border): border.rawValue
            case .contentOptimization(let content): content.rawValue
            case .resolution(let dpi): "\(dpi)dpi"
            case .paper, .password: ""
            }
        return "\(key)=\(value)"
    }
}

/// The error for a ticket that a queue cannot fulfil.
struct UnsupportedTicket: Error, Hashable {
    var option: PageOption
    var reason: Reason

    enum Reason: Hashable {
        /// The host's `lpr` has no option for it, and nothing converts documents there.
        case noSuchOption
        /// The document is in a printer's own language.
        case printerLanguage
        /// The conversion does not do this.
        case notConverted
        /// The document is neither PDF nor PostScript.
        case formatNotConverted(DocumentFormat)
    }
}

extension Ticket.Orientation {
    /// The enum value of RFC 8011 §5.2.10.
    fileprivate var ippNumber: Int {
        switch self {
        case .portrait: 3
        case .landscape: 4
        case .reverseLandscape: 5
        case .reversePortrait: 6
        }
    }
}

extension Ticket.Quality {
    /// The enum value of RFC 8011 §5.2.13.
    fileprivate var ippNumber: Int {
        switch self {
        case .draft: 3
        case .normal: 4
        case .high: 5
        }
    }
}

extension TransportError {
    /// Says what a queue cannot do, and what to do about it.
    init(_ error: UnsupportedTicket, printer: PrinterURL) {
        let key = error.option.key
        let reason =
            switch error.reason {
            case .noSuchOption:
                "the host's lpr has no option for \(key) as this job requests it; print without it, or have documents "
                    + "arranged on the host (profile generic-lpr-postscript)"
            case .printerLanguage:
                "a document in a printer's own language cannot be printed with \(key); print it without"
            case .notConverted: "the conversion on the host does not support this \(key); print without it"
            case .formatNotConverted(let format):
                "\(key) needs a PDF or PostScript document on this queue, and this one is \(format); send a PDF, or "
                    + "print without \(key)"
            }
        self.init(.jobRefused, operation: "lpr", message: "\(printer): \(reason)")
    }
}
