/// The settings for printing a document. Nil leaves a choice to the role's defaults, and then to the printer.
///
/// Keys and values are those of IPP wherever IPP has them (RFC 8011 §5.2), in JSON and YAML.
public struct Ticket: Hashable, Sendable {
    /// The number of copies, 1 to 999.
    public var copies: Int?
    /// One or both sides of the sheet (RFC 8011 §5.2.8).
    public var sides: Sides?
    /// The paper, as a PWG 5101.1 media name: `iso_a4_210x297mm`.
    public var media: String?
    /// The pages to print, ascending, without overlap.
    public var pageRanges: [PageRange]?
    /// Pages on one side of a sheet: one of `pageCounts`.
    public var numberUp: Int?
    /// The orientation of pages (RFC 8011 §5.2.10).
    public var orientation: Orientation?
    /// Colour or shades of grey (PWG 5100.13 `print-color-mode`).
    public var colorMode: ColorMode?
    /// The print quality (RFC 8011 §5.2.13).
    public var quality: Quality?
    /// Whether and how paper is cut after a receipt. IPP has no such key.
    public var cut: Cut?
    /// Whether to open the cash drawer.
    public var drawer: Bool?
    /// The priority of the job, 1 (lowest) to 100 (highest), RFC 8011 §5.2.1.
    public var priority: Int?
    /// Seconds from acceptance after which the job expires.
    public var expiresAfter: Int?
    /// The tray or roll, a keyword of PWG 5100.7 `media-source`: `tray-1`, `manual`.
    public var mediaSource: String?
    /// The kind of paper, a keyword of PWG 5100.7 `media-type`: `stationery`, `labels`.
    public var mediaType: String?
    /// Where the paper comes out, a keyword of PWG 5100.2 `output-bin`: `face-down`, `tray-1`.
    public var outputBin: String?
    /// How a page that has another size than the paper is fitted to it (PWG 5100.13 `print-scaling`).
    public var scaling: Scaling?
    /// The order of the sheets of several copies (RFC 8011 §5.2.4).
    public var documentHandling: DocumentHandling?
    /// The frame around each page (CUPS's `page-border`).
    public var pageBorder: PageBorder?
    /// What the pages show, which the printer may print best (PWG 5100.7 `print-content-optimize`).
    public var contentOptimization: ContentOptimization?
    /// The dots per inch in both directions (RFC 8011 §5.2.12 `printer-resolution`).
    public var resolution: Int?
    /// The account that the job is booked to (PWG 5100.3 `job-account-id`).
    public var accountID: String?
    /// The user that the job is booked to (PWG 5100.3 `job-accounting-user-id`).
    public var accountingUserID: String?
    /// Whether a printer that cannot meet all of this ticket refuses the job (RFC 8011 `ipp-attribute-fidelity`).
    public var fidelity: Bool?
    /// The PIN that somebody types at the printer before it prints (PWG 5100.11 `job-password`). No interface shows it,
    /// and it is not stored beyond the end of the job.
    public var jobPassword: Secret?
    /// How the PIN goes to the printer, a keyword of PWG 5100.11 `job-password-encryption`: `none`, `sha2-256`. Nil
    /// chooses what the printer takes. A job whose PIN is no longer stored still has it.
    public var jobPasswordEncryption: String?
    /// What opens an encrypted PDF file (PWG 5100.13 `document-password`). It is drawn here with it, and no printer is
    /// told. As `jobPassword`, no interface shows it, and it is not stored beyond the end of the job; it is empty then.
    public var documentPassword: Secret?

    /// The values of `sides` (RFC 8011 §5.2.8).
    public enum Sides: String, Hashable, Sendable, Codable, CaseIterable {
        /// Prints on one side.
        case oneSided = "one-sided"
        /// Prints on both sides, for sheets that are turned at their long edge.
        case twoSidedLongEdge = "two-sided-long-edge"
        /// Prints on both sides, for sheets that are turned at their short edge.
        case twoSidedShortEdge = "two-sided-short-edge"
    }
    /// The values of `orientation-requested` (RFC 8011 §5.2.10).
    public enum Orientation: String, Hashable, Sendable, Codable, CaseIterable {
        /// Upright, or turned by 90° anti-clockwise.
        case portrait, landscape
        /// Turned by 90° clockwise.
        case reverseLandscape = "reverse-landscape"
        /// Turned by 180°.
        case reversePortrait = "reverse-portrait"
    }
    /// The values of `print-color-mode` (PWG 5100.13).
    public enum ColorMode: String, Hashable, Sendable, Codable, CaseIterable {
        /// The printer's choice for the document, colour, or shades of one colour.
        case auto, color, monochrome
    }
    /// The values of `print-quality` (RFC 8011 §5.2.13).
    public enum Quality: String, Hashable, Sendable, Codable, CaseIterable {
        /// 3, 4 and 5 in IPP.
        case draft, normal, high
    }
    /// The cuts after a receipt.
    public enum Cut: String, Hashable, Sendable, Codable, CaseIterable {
        /// No cut, one that leaves a point of the paper uncut, or one that separates it.
        case none, partial, full
    }

    /// The values of `print-scaling` (PWG 5100.13).
    public enum Scaling: String, Hashable, Sendable, Codable, CaseIterable {
        /// The printer's choice for the document.
        case auto
        /// Shrinks what does not fit, and nothing else.
        case autoFit = "auto-fit"
        /// Fills the sheet, and cuts off what lies outside; fits all of the page on it; leaves the page as it is.
        case fill, fit, none
    }

    /// The values of `multiple-document-handling` (RFC 8011 §5.2.4). Only the order of copies differs for a job of one
    /// document.
    public enum DocumentHandling: String, Hashable, Sendable, Codable, CaseIterable {
        /// Each copy is complete before the next one begins.
        case singleDocument = "single-document"
        /// The same, with the documents of a job apart.
        case collatedCopies = "separate-documents-collated-copies"
        /// All copies of a sheet come out before the next sheet.
        case uncollatedCopies = "separate-documents-uncollated-copies"
        /// Each copy is complete, and begins on a new sheet.
        case singleDocumentNewSheet = "single-document-new-sheet"
    }
    /// The values of `page-border`, which CUPS has and no standard.
    public enum PageBorder: String, Hashable, Sendable, Codable, CaseIterable {
        /// No frame, or one of a line.
        case none, single
        /// One of a thick line.
        case singleThick = "single-thick"
        /// One of two lines.
        case double
        /// One of two thick lines.
        case doubleThick = "double-thick"
    }
    /// The values of `print-content-optimize` (PWG 5100.7).
    public enum ContentOptimization: String, Hashable, Sendable, Codable, CaseIterable {
        /// The printer's choice, drawings, photographs, or text.
        case auto, graphic, photo, text
        /// Text and drawings.
        case textAndGraphic = "text-and-graphic"
    }

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case copies, sides, media
        case pageRanges = "page-ranges"
        case numberUp = "number-up"
        case orientation = "orientation-requested"
        case colorMode = "print-color-mode"
        case quality = "print-quality"
        case cut, drawer, priority
        case expiresAfter = "expires-after"
        case mediaSource = "media-source"
        case mediaType = "media-type"
        case outputBin = "output-bin"
        case scaling = "print-scaling"
        case documentHandling = "multiple-document-handling"
        case pageBorder = "page-border"
        case contentOptimization = "print-content-optimize"
        case resolution = "printer-resolution"
        case accountID = "job-account-id"
        case accountingUserID = "job-accounting-user-id"
        case fidelity
        case jobPassword = "job-password"
        case jobPasswordEncryption = "job-password-encryption"
        case documentPassword = "document-password"
    }

    /// The keys in JSON, YAML and query parameters.
    public static let keys: [String] = CodingKeys.allCases.map(\.rawValue).filter { !secretKeys.contains($0) }
    /// The keys of a PIN and of a document's password, which belong to a single job: JSON and header fields have them,
    /// no role's defaults and no query, which logs keep.
    public static let secretKeys: [String] = [
        CodingKeys.jobPassword, .jobPasswordEncryption, .documentPassword,
    ].map(\.rawValue)

    /// Creates a ticket that leaves every choice open.
    public init() {}

    /// More ranges than any printer takes in one job.
    package static let maximumPageRanges = 256
    /// The numbers of pages that one side takes: those of CUPS, and 8 and 12.
    public static let pageCounts = [1, 2, 4, 6, 8, 9, 12, 16]
    /// The dots per inch that a ticket can ask for.
    public static let resolutions = 50...9600

    /// This ticket, with `defaults` for every choice that it leaves open.
    public func filled(from defaults: Ticket) -> Ticket {
        var ticket = self
        ticket.copies = copies ?? defaults.copies
        ticket.sides = sides ?? defaults.sides
        ticket.media = media ?? defaults.media
        ticket.pageRanges = pageRanges ?? defaults.pageRanges
        ticket.numberUp = numberUp ?? defaults.numberUp
        ticket.orientation = orientation ?? defaults.orientation
        ticket.colorMode = colorMode ?? defaults.colorMode
        ticket.quality = quality ?? defaults.quality
        ticket.cut = cut ?? defaults.cut
        ticket.drawer = drawer ?? defaults.drawer
        ticket.priority = priority ?? defaults.priority
        ticket.expiresAfter = expiresAfter ?? defaults.expiresAfter
        ticket.mediaSource = mediaSource ?? defaults.mediaSource
        ticket.mediaType = mediaType ?? defaults.mediaType
        ticket.outputBin = outputBin ?? defaults.outputBin
        ticket.scaling = scaling ?? defaults.scaling
        ticket.documentHandling = documentHandling ?? defaults.documentHandling
        ticket.pageBorder = pageBorder ?? defaults.pageBorder
        ticket.contentOptimization = contentOptimization ?? defaults.contentOptimization
        ticket.resolution = resolution ?? defaults.resolution
        ticket.accountID = accountID ?? defaults.accountID
        ticket.accountingUserID = accountingUserID ?? defaults.accountingUserID
        ticket.fidelity = fidelity ?? defaults.fidelity
        return ticket
    }

    /// The problems of the values, each as a sentence that says what to write; empty when all are valid.
    public var problems: [String] {
        var problems: [String] = []
        func check(_ key: CodingKeys, _ value: Int?, in range: ClosedRange<Int>) {
            if let value, !range.contains(value) {
                problems.append(
                    "\(key.rawValue) is \(value); write a number from \(range.lowerBound) to \(range.upperBound)")
            }
        }
        check(.copies, copies, in: 1...999)
        if let numberUp, !Self.pageCounts.contains(numberUp) {
            problems.append("number-up is \(numberUp); write 1, 2, 4, 6, 8, 9, 12 or 16")
        }
        check(.resolution, resolution, in: Self.resolutions)
        check(.priority, priority, in: 1...100)
        check(.expiresAfter, expiresAfter, in: 1...31_536_000)
        if let media, !Self.isKeyword(media) {
            problems.append("media is not a media name; write one such as iso_a4_210x297mm")
        }
        for (key, value, example) in [
            (CodingKeys.mediaSource, mediaSource, "tray-1"), (.mediaType, mediaType, "stationery"),
            (.outputBin, outputBin, "face-down"), (.jobPasswordEncryption, jobPasswordEncryption, "sha2-256"),
        ] {
            if let value, !Self.isKeyword(value) {
                problems.append("\(key.rawValue) is not a keyword; write one such as \(example)")
            }
        }
        for (key, value) in [
            (CodingKeys.accountID, accountID), (.accountingUserID, accountingUserID),
            (.jobPassword, jobPassword?.reveal()), (.documentPassword, documentPassword?.reveal()),
        ] {
            if let value, value.isEmpty || value.utf8.count > Self.maximumLength || value.hasControlCharacters {
                problems.append(
                    "\(key.rawValue) is empty, too long or has control characters; write 1 to \(Self.maximumLength) bytes of text"
                )
            }
        }
        if jobPasswordEncryption != nil, jobPassword == nil {
            problems.append("job-password-encryption has no job-password; write both, or neither of them")
        }
        if let pageRanges, pageRanges.count > Self.maximumPageRanges {
            problems.append("page-ranges has \(pageRanges.count) ranges; write at most \(Self.maximumPageRanges)")
        }
        if let pageRanges,
            pageRanges.isEmpty || !zip(pageRanges, pageRanges.dropFirst()).allSatisfy({ $0.last < $1.first })
        {
            problems.append("page-ranges must ascend without overlap; write for example 1-3,5")
        }
        return problems
    }

    /// The octets of a keyword or name at most (RFC 8011 §5.1.3, §5.1.4), and of a `job-password` (PWG 5100.11).
    private static let maximumLength = 255

    private static func isKeyword(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// The `job-password-encryption` of a job that leaves it to the printer, so that it still shows that it had a PIN.
    package static let anyEncryption = "any"

    /// Whether its job has a secret, or had one.
    package var hasSecret: Bool { jobPasswordEncryption != nil || documentPassword != nil }

    /// This ticket without its PIN and its document's password, once the job is over. That there was a password still
    /// shows.
    package var withoutSecrets: Ticket {
        var ticket = self
        ticket.jobPassword = nil
        if documentPassword != nil { ticket.documentPassword = Secret("") }
        return ticket
    }
}

extension Ticket: Codable {
    /// Decodes a ticket.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
            try values.decodeIfPresent(Value.self, forKey: key)
        }
        copies = try value(.copies)
        sides = try value(.sides)
        media = try value(.media)
        pageRanges = try value(.pageRanges)
        numberUp = try value(.numberUp)
        orientation = try value(.orientation)
        colorMode = try value(.colorMode)
        quality = try value(.quality)
        cut = try value(.cut)
        drawer = try value(.drawer)
        priority = try value(.priority)
        expiresAfter = try value(.expiresAfter)
        mediaSource = try value(.mediaSource)
        mediaType = try value(.mediaType)
        outputBin = try value(.outputBin)
        scaling = try value(.scaling)
        documentHandling = try value(.documentHandling)
        pageBorder = try value(.pageBorder)
        contentOptimization = try value(.contentOptimization)
        resolution = try value(.resolution)
        accountID = try value(.accountID)
        accountingUserID = try value(.accountingUserID)
        fidelity = try value(.fidelity)
        jobPassword = try value(.jobPassword).map { Secret($0) }
        jobPasswordEncryption = try value(.jobPasswordEncryption)
        documentPassword = try value(.documentPassword).map { Secret($0) }
    }

    /// Encodes all but the PIN and the document's password.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(copies, forKey: .copies)
        try values.encodeIfPresent(sides, forKey: .sides)
        try values.encodeIfPresent(media, forKey: .media)
        try values.encodeIfPresent(pageRanges, forKey: .pageRanges)
        try values.encodeIfPresent(numberUp, forKey: .numberUp)
        try values.encodeIfPresent(orientation, forKey: .orientation)
        try values.encodeIfPresent(colorMode, forKey: .colorMode)
        try values.encodeIfPresent(quality, forKey: .quality)
        try values.encodeIfPresent(cut, forKey: .cut)
        try values.encodeIfPresent(drawer, forKey: .drawer)
        try values.encodeIfPresent(priority, forKey: .priority)
        try values.encodeIfPresent(expiresAfter, forKey: .expiresAfter)
        try values.encodeIfPresent(mediaSource, forKey: .mediaSource)
        try values.encodeIfPresent(mediaType, forKey: .mediaType)
        try values.encodeIfPresent(outputBin, forKey: .outputBin)
        try values.encodeIfPresent(scaling, forKey: .scaling)
        try values.encodeIfPresent(documentHandling, forKey: .documentHandling)
        try values.encodeIfPresent(pageBorder, forKey: .pageBorder)
        try values.encodeIfPresent(contentOptimization, forKey: .contentOptimization)
        try values.encodeIfPresent(resolution, forKey: .resolution)
        try values.encodeIfPresent(accountID, forKey: .accountID)
        try values.encodeIfPresent(accountingUserID, forKey: .accountingUserID)
        try values.encodeIfPresent(fidelity, forKey: .fidelity)
        try values.encodeIfPresent(jobPasswordEncryption, forKey: .jobPasswordEncryption)
    }
}

/// A ticket that is encoded with its secrets: for the daemon's socket and its queue, and for nothing that is shown.
package struct RevealedTicket: Encodable {
    private let ticket: Ticket

    package init(_ ticket: Ticket) { self.ticket = ticket }

    package func encode(to encoder: any Encoder) throws {
        try ticket.encode(to: encoder)
        var values = encoder.container(keyedBy: Ticket.CodingKeys.self)
        try values.encodeIfPresent(ticket.jobPassword?.reveal(), forKey: .jobPassword)
        try values.encodeIfPresent(ticket.documentPassword?.reveal(), forKey: .documentPassword)
    }
}

/// A range of pages, counted from 1, both ends included: `5` or `1-3`.
public struct PageRange: Hashable, Sendable, CustomStringConvertible {
    /// The first page, from 1.
    public let first: Int
    /// The last page, which may be the first.
    public let last: Int

    /// The largest IPP integer (RFC 8010 §3.9).
    private static let maximum = Int(Int32.max)

    /// Creates a range; nil unless 1 ≤ `first` ≤ `last`, and `last` is an IPP integer.
    public init?(first: Int, last: Int) {
        guard first >= 1, last >= first, last <= Self.maximum else { return nil }
        self.first = first
        self.last = last
    }

    /// Reads `5` or `1-3`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let first = Int(digits: parts[0]),
            let last = Int(digits: parts[parts.count - 1])
        else { return nil }
        self.init(first: first, last: last)
    }

    /// `5` or `1-3`.
    public var description: String { first == last ? "\(first)" : "\(first)-\(last)" }
}

extension PageRange: Codable {
    /// Decodes `5` or `1-3`.
    /// - Throws: `DecodingError` for any other string.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText({ PageRange($0) }, problem: { "\"\($0)\" is not a page range; write 5 or 1-3" })
    }

    /// Encodes `description`.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
