import PrintModel

/// What of a ticket goes to `lpr` as options: every word made of checked values, and safe in any shell.
struct LprOptions: Hashable, Sendable {
    var words: [String] = []

    /// Throws what of the ticket this `lpr` cannot do: a job is never printed otherwise than its ticket says. `wishes`:
    /// what was not done to the document before.
    init(
        _ ticket: Ticket, wishes: [PageWish], format: DocumentFormat, dialect: LprSettings.Dialect,
        isConverted: Bool = false
    ) throws(UnfulfilledTicket) {
        if let copies = ticket.copies, copies > 1 { words.append("-#\(copies)") }
        switch dialect {
        case .cups where format.isPrinterLanguage:
            // Commands for the printer have no pages that anybody could choose from.
            if let wish = wishes.first { throw UnfulfilledTicket(wish: wish, reason: .printerLanguage) }
            words += ["-o", "raw"]
        case .cups:
            words += Self.cupsFormats.contains(format) ? ["-o", "document-format=\(format.mimeType)"] : []
            // A queue may be set otherwise than what every printer does by itself.
            for wish in wishes + PageWish.plain(of: ticket) {
                guard ShellWord.isPlain(wish.cupsOption) else {
                    throw UnfulfilledTicket(wish: wish, reason: .noSuchOption)
                }
                words += ["-o", wish.cupsOption]
            }
            if let priority = ticket.priority { words += ["-o", "job-priority=\(priority)"] }
        case .lprng, .bsd:
            if let wish = wishes.first {
                throw UnfulfilledTicket(wish: wish, reason: isConverted ? .notConverted : .noSuchOption)
            }
            if format.isPrinterLanguage { words.append("-l") }
        }
    }

    /// What every CUPS knows by name; anything else it looks at itself.
    private static let cupsFormats: Set<DocumentFormat> = [
        .plainText, .pdf, .postScript, .jpeg, .png, .pwgRaster, .appleRaster,
    ]
}

/// A part of a ticket that changes how pages look, and that not every `lpr` can be told.
enum PageWish: Hashable, Sendable {
    case sides(Ticket.Sides)
    case pageRanges([PageRange])
    case numberUp(Int)
    case media(String)
    case orientation(Ticket.Orientation)
    case colorMode(Ticket.ColorMode)
    case quality(Ticket.Quality)

    /// Those of a ticket, without what every printer does by itself.
    static func all(of ticket: Ticket) -> [PageWish] {
        var wishes: [PageWish] = []
        if let sides = ticket.sides, sides != .oneSided { wishes.append(.sides(sides)) }
        if let ranges = ticket.pageRanges { wishes.append(.pageRanges(ranges)) }
        if let count = ticket.numberUp, count > 1 { wishes.append(.numberUp(count)) }
        if let media = ticket.media { wishes.append(.media(media)) }
        if let orientation = ticket.orientation, orientation != .portrait { wishes.append(.orientation(orientation)) }
        if let mode = ticket.colorMode, mode != .auto { wishes.append(.colorMode(mode)) }
        if let quality = ticket.quality, quality != .normal { wishes.append(.quality(quality)) }
        return wishes
    }

    /// What a ticket asks for that every printer does by itself, unless its queue is told otherwise.
    static func plain(of ticket: Ticket) -> [PageWish] {
        var wishes: [PageWish] = []
        if ticket.sides == .oneSided { wishes.append(.sides(.oneSided)) }
        if ticket.numberUp == 1 { wishes.append(.numberUp(1)) }
        if ticket.orientation == .portrait { wishes.append(.orientation(.portrait)) }
        if ticket.quality == .normal { wishes.append(.quality(.normal)) }
        return wishes
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
        }
    }

    /// For `-o`, in IPP's names, which CUPS's `lpr` takes.
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
            }
        return "\(key)=\(value)"
    }
}

/// A ticket that a queue cannot fulfil.
struct UnfulfilledTicket: Error, Hashable {
    var wish: PageWish
    var reason: Reason

    enum Reason: Hashable {
        /// The host's `lpr` has no option for it, and nothing converts documents there.
        case noSuchOption
        /// The document is a printer's own commands.
        case printerLanguage
        /// The conversion does not do this.
        case notConverted
        /// The document is neither PDF nor PostScript.
        case formatNotConverted(DocumentFormat)
    }
}

extension Ticket.Orientation {
    /// RFC 8011 §5.2.10.
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
    /// RFC 8011 §5.2.13.
    fileprivate var ippNumber: Int {
        switch self {
        case .draft: 3
        case .normal: 4
        case .high: 5
        }
    }
}
