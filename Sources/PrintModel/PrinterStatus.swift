/// A saved printer and its present state.
public struct PrinterStatus: Hashable, Sendable, Codable {
    /// The printer as the registry has it.
    public var printer: SavedPrinter
    /// Whether it can print a job now.
    public var availability: Availability
    /// The result of the last successful contact; nil before the first.
    public var description: PrinterDescription?
    /// The job types that the printer's profile states; nil without one.
    public var profileJobTypes: JobTypes?
    /// Its model's quirks, from every profile that matches it, the most specific first.
    public var quirks: [Quirk]
    /// When it was last contacted, successfully or not.
    public var contactedAt: Timestamp?
    /// The time of the next contact, where an earlier one would be useless unless an operator acts: after a refused
    /// login, for example.
    public var nextContactAt: Timestamp?
    /// The roles that name it.
    public var roles: [RoleName]
    /// The number of jobs that wait for it or that it prints.
    public var jobCount: Int

    /// Creates a status; the defaults are those of a printer that was never contacted.
    public init(
        printer: SavedPrinter, availability: Availability = .unknown, description: PrinterDescription? = nil,
        profileJobTypes: JobTypes? = nil, quirks: [Quirk] = [], contactedAt: Timestamp? = nil, roles: [RoleName] = [],
        jobCount: Int = 0
    ) {
        self.printer = printer
        self.availability = availability
        self.description = description
        self.profileJobTypes = profileJobTypes
        self.quirks = quirks
        self.contactedAt = contactedAt
        self.roles = roles
        self.jobCount = jobCount
    }

    enum CodingKeys: String, CodingKey {
        case printer, availability, description
        case profileJobTypes = "profile-job-types"
        case quirks
        case contactedAt = "contacted-at"
        case nextContactAt = "next-contact-at"
        case roles
        case jobCount = "job-count"
    }

    /// The job types in force: the admin's override, else the profile's, else those that a contact reported. Nil while
    /// none are known, for example behind a spooler that does not describe its printers.
    public var jobTypes: JobTypes? {
        printer.jobTypes ?? profileJobTypes ?? description.flatMap { $0.jobTypes.isEmpty ? nil : $0.jobTypes }
    }

    /// Whether the printer supports all of `jobTypes`; nil while that is unknown.
    public func supports(_ jobTypes: JobTypes) -> Bool? {
        self.jobTypes.map { $0.isSuperset(of: jobTypes) }
    }
}

/// What a printer was asked to do so that people see which one it is.
public struct PrinterIdentification: Hashable, Sendable, Codable {
    /// The printer.
    public var printer: PrinterID
    /// Keywords of PWG 5100.13 `identify-actions`: `display`, `flash`, `sound`, `speak`. Empty where the printer chose.
    public var actions: [String]

    /// Creates the result of an identification.
    public init(printer: PrinterID, actions: [String]) {
        self.printer = printer
        self.actions = actions
    }
}

/// Whether a printer can print a job now, and why not. One model for IPP state reasons, ESC/POS status, USB port status
/// and `lpq`.
public struct Availability: Hashable, Sendable, Codable {
    /// The state, of which the reasons tell more.
    public var state: State
    /// All reasons that the printer reported, in its order.
    public var reasons: [StateReason]
    /// A sentence for people: the error that made it unreachable, or the printer's own state message.
    public var message: String?

    /// The states, from available to unknown.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Idle; prints a job at once.
        case ready
        /// Prints a job, and accepts more.
        case busy
        /// Prints, but needs attention soon: paper is low.
        case attention
        /// Reachable, but does not print until a reason is removed.
        case stopped
        /// Could not be contacted.
        case unreachable
        /// Never contacted yet, or its response gives no state.
        case unknown
    }

    /// Creates an availability.
    public init(_ state: State, reasons: [StateReason] = [], message: String? = nil) {
        self.state = state
        self.reasons = reasons
        self.message = message
    }

    /// The availability of a printer that was never contacted.
    public static let unknown = Availability(.unknown)

    /// Whether a job sent now would be printed.
    public var isAvailable: Bool {
        switch state {
        case .ready, .busy, .attention: true
        case .stopped, .unreachable, .unknown: false
        }
    }
}

/// One of a printer's state reasons: an IPP keyword (RFC 8011 §5.4.12) with its severity. The status of other protocols
/// is translated to the same keywords.
public struct StateReason: Hashable, Sendable, Codable {
    /// Without the severity suffix: `media-empty`, `cover-open`.
    public var keyword: String
    /// How grave the reason is.
    public var severity: Severity

    /// The severities of RFC 8011 §5.4.12.
    public enum Severity: String, Hashable, Sendable, Codable, Comparable {
        /// A `report` may be ignored, a `warning` needs attention soon, an `error` stops the printer.
        case report, warning, error

        private var weight: Int {
            switch self {
            case .report: 0
            case .warning: 1
            case .error: 2
            }
        }
        /// Orders by gravity.
        public static func < (left: Severity, right: Severity) -> Bool { left.weight < right.weight }
    }

    /// Creates a reason from its keyword without the severity suffix.
    public init(keyword: String, severity: Severity) {
        self.keyword = keyword
        self.severity = severity
    }

    /// Reads `media-empty-error`; nil for `none`. A keyword without a suffix is an error (RFC 8011 §5.4.12).
    public init?(ippKeyword: String) {
        guard ippKeyword != "none", !ippKeyword.isEmpty else { return nil }
        for severity in [Severity.report, .warning, .error] {
            let suffix = "-\(severity.rawValue)"
            if ippKeyword.hasSuffix(suffix), ippKeyword.utf8.count > suffix.utf8.count {
                self.init(keyword: String(ippKeyword.dropLast(suffix.count)), severity: severity)
                return
            }
        }
        self.init(keyword: ippKeyword, severity: .error)
    }

    /// The keyword with its severity suffix.
    public var ippKeyword: String { "\(keyword)-\(severity.rawValue)" }
}

// MARK: - What a printer can do

/// A printer's description of itself, read by a contact. Nothing here is known before the first contact.
///
/// Every string comes from the printer: treat it as hostile and escape it before display.
public struct PrinterDescription: Hashable, Sendable, Codable {
    /// Its name, such as IPP's `printer-name`.
    public var name: String?
    /// Its `printer-location`: where it stands.
    public var location: String?
    /// Its `printer-make-and-model`, by which profiles are chosen.
    public var makeAndModel: String?
    /// Its `printer-uuid` (RFC 4122).
    public var uuid: String?
    /// The IEEE 1284 device id, where the printer gives one.
    public var deviceID: String?
    /// The kinds of job that it is made for; empty where it does not say.
    public var jobTypes: JobTypes
    /// The formats that it accepts; `application/octet-stream` means that it detects the format itself.
    public var formats: [DocumentFormat]
    /// Its `document-format-default`.
    public var defaultFormat: DocumentFormat?
    /// PWG 5101.1 media names.
    public var media: [String]
    /// Its `media-ready`: the media that are loaded, as PWG 5101.1 names.
    public var mediaReady: [String]
    /// Its `media-default`, as a PWG 5101.1 name.
    public var mediaDefault: String?
    /// Nil where the printer does not say.
    public var isColor: Bool?
    /// IPP `sides` keywords; more than `one-sided` means duplex.
    public var sides: [String]
    /// Dots per inch, ascending; where the two directions differ, the coarser one.
    public var resolutions: [Int]
    /// Its supplies, in its order; empty where it reports none.
    public var supplies: [Supply]
    /// The pages that our user may still print there, where a quota is kept.
    public var pagesLeft: Int?
    /// What it makes of a ticket; nil where only a delivery shows it.
    public var ticketSupport: TicketSupport?
    /// What it says of its paper, its rasters and its sheets; nil where it says nothing of pages.
    public var pages: PageSupport?
    /// What using the printer showed of it beside its own words; nil where nothing did.
    public var learned: LearnedBehavior?

    /// Creates a description from what the printer reported.
    public init(
        name: String? = nil, location: String? = nil, makeAndModel: String? = nil, uuid: String? = nil,
        deviceID: String? = nil, jobTypes: JobTypes = [], formats: [DocumentFormat] = [],
        defaultFormat: DocumentFormat? = nil, media: [String] = [], mediaReady: [String] = [],
        mediaDefault: String? = nil, isColor: Bool? = nil, sides: [String] = [],
        resolutions: [Int] = [], supplies: [Supply] = [], pagesLeft: Int? = nil,
        ticketSupport: TicketSupport? = nil, pages: PageSupport? = nil,
        learned: LearnedBehavior? = nil
    ) {
        self.name = name
        self.location = location
        self.makeAndModel = makeAndModel
        self.uuid = uuid
        self.deviceID = deviceID
        self.jobTypes = jobTypes
        self.formats = formats
        self.defaultFormat = defaultFormat
        self.media = media
        self.mediaReady = mediaReady
        self.mediaDefault = mediaDefault
        self.isColor = isColor
        self.sides = sides
        self.resolutions = resolutions
        self.supplies = supplies
        self.pagesLeft = pagesLeft
        self.ticketSupport = ticketSupport
        self.pages = pages
        self.learned = learned
    }

    enum CodingKeys: String, CodingKey {
        case name, location
        case makeAndModel = "make-and-model"
        case uuid
        case deviceID = "device-id"
        case jobTypes = "job-types"
        case formats
        case defaultFormat = "default-format"
        case media
        case mediaReady = "media-ready"
        case mediaDefault = "media-default"
        case isColor = "color"
        case sides, resolutions, supplies
        case pagesLeft = "pages-left"
        case ticketSupport = "ticket-support"
        case pages, learned
    }

    /// Whether it prints on both sides.
    public var isDuplex: Bool { sides.contains { $0 != "one-sided" } }

    /// The `document-format` to send with a document, or nil when the printer does not accept it: the document's own
    /// format where it is listed or nothing is listed; `application/octet-stream` for a printer language where only
    /// that is listed. ESC/POS has several names.
    public func announcedFormat(for format: DocumentFormat) -> DocumentFormat? {
        if formats.isEmpty || formats.contains(format) { return format }
        if format == .escPOS, let listed = formats.first(where: \.isEscPOS) { return listed }
        return format.isPrinterLanguage && formats.contains(.octetStream) ? .octetStream : nil
    }

    /// Whether it says itself that it takes ESC/POS: by a format that it lists, or in its device id.
    /// `application/octet-stream` says nothing: printers that take raster alone list it too.
    public var saysEscPOS: Bool {
        formats.contains(where: \.isEscPOS) || !commandSets.isDisjoint(with: ["ESCPOS", "ESC/POS", "EPSON-POS"])
    }

    /// The languages of an IEEE 1284 device id (`CMD:` or `COMMAND SET:`), in upper case.
    package var commandSets: Set<String> {
        var sets: Set<String> = []
        for field in (deviceID ?? "").split(separator: ";") {
            let (key, value) = field.splitOnce(at: ":")
            guard let value, ["CMD", "COMMAND SET"].contains(key.drop { $0 == " " }.uppercased()) else { continue }
            sets.formUnion(value.split(separator: ",").map { $0.trimmingBlanks().uppercased() })
        }
        return sets
    }
}

extension PrinterDescription {
    /// Decodes a description, also one that an older version stored.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try values.decodeIfPresent(String.self, forKey: .name),
            location: try values.decodeIfPresent(String.self, forKey: .location),
            makeAndModel: try values.decodeIfPresent(String.self, forKey: .makeAndModel),
            uuid: try values.decodeIfPresent(String.self, forKey: .uuid),
            deviceID: try values.decodeIfPresent(String.self, forKey: .deviceID),
            jobTypes: try values.decode(JobTypes.self, forKey: .jobTypes),
            formats: try values.decode([DocumentFormat].self, forKey: .formats),
            defaultFormat: try values.decodeIfPresent(DocumentFormat.self, forKey: .defaultFormat),
            media: try values.decode([String].self, forKey: .media),
            mediaReady: try values.decode([String].self, forKey: .mediaReady),
            mediaDefault: try values.decodeIfPresent(String.self, forKey: .mediaDefault),
            isColor: try values.decodeIfPresent(Bool.self, forKey: .isColor),
            sides: try values.decode([String].self, forKey: .sides),
            // Descriptions that an older version stored lack these.
            resolutions: try values.decodeIfPresent([Int].self, forKey: .resolutions) ?? [],
            supplies: try values.decodeIfPresent([Supply].self, forKey: .supplies) ?? [],
            pagesLeft: try values.decodeIfPresent(Int.self, forKey: .pagesLeft),
            ticketSupport: try values.decodeIfPresent(TicketSupport.self, forKey: .ticketSupport),
            pages: try values.decodeIfPresent(PageSupport.self, forKey: .pages),
            learned: try values.decodeIfPresent(LearnedBehavior.self, forKey: .learned)
        )
    }
}

/// A supply of a printer, as the printer reports it: toner, ink, a ribbon, a waste box.
public struct Supply: Hashable, Sendable, Codable {
    /// The printer's own name for it; escape it before display.
    public var name: String
    /// A keyword of PWG 5100.9's `marker-types`: `toner`, `ink-cartridge`, `waste-toner`.
    public var type: String?
    /// `#RRGGBB`, or several of them in a row.
    public var color: String?
    /// Percent, 0 to 100; nil where the printer does not know it.
    public var level: Int?
    /// The level at or below which it needs attention; for a waste container, the level at or above which.
    public var lowLevel: Int?

    /// Creates a supply.
    public init(name: String, type: String? = nil, color: String? = nil, level: Int? = nil, lowLevel: Int? = nil) {
        self.name = name
        self.type = type
        self.color = color
        self.level = level
        self.lowLevel = lowLevel
    }

    enum CodingKeys: String, CodingKey {
        case name, type, color, level
        case lowLevel = "low-level"
    }
}

/// The kinds of job that a printer is made for: AirPrint's list, spelled as in PWG 5100.13 `printer-kind` where that
/// has the keyword.
public struct JobTypes: OptionSet, Hashable, Sendable {
    /// The bits of the job types.
    public let rawValue: UInt16
    /// Creates job types from their bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `general`: no kind in particular.
    public static let general = JobTypes(rawValue: 1 << 0)
    /// `document`: sheets of text and graphics.
    public static let document = JobTypes(rawValue: 1 << 1)
    /// `photo`: pictures on photo paper.
    public static let photo = JobTypes(rawValue: 1 << 2)
    /// `label`: labels, such as for goods and shipping.
    public static let label = JobTypes(rawValue: 1 << 3)
    /// `envelope`.
    public static let envelope = JobTypes(rawValue: 1 << 4)
    /// `postcard`.
    public static let postcard = JobTypes(rawValue: 1 << 5)
    /// `receipt`: receipts on a narrow roll.
    public static let receipt = JobTypes(rawValue: 1 << 6)
    /// `roll`: continuous paper that is cut to length.
    public static let roll = JobTypes(rawValue: 1 << 7)
    /// `large-format`: sheets or rolls larger than A3.
    public static let largeFormat = JobTypes(rawValue: 1 << 8)

    /// Every job type and its keyword, in listing order.
    public static let keywords: [(keyword: String, jobType: JobTypes)] = [
        ("general", .general), ("document", .document), ("photo", .photo), ("label", .label),
        ("envelope", .envelope), ("postcard", .postcard), ("receipt", .receipt), ("roll", .roll),
        ("large-format", .largeFormat),
    ]

    /// The job type with this keyword; nil when there is none.
    public init?(keyword: String) {
        guard let match = Self.keywords.first(where: { $0.keyword == keyword }) else { return nil }
        self = match.jobType
    }

    /// The keywords of this set, in listing order.
    public var keywords: [String] {
        Self.keywords.filter { contains($0.jobType) }.map(\.keyword)
    }
}

extension JobTypes: CustomStringConvertible {
    /// The keywords, separated by commas.
    public var description: String { keywords.joined(separator: ", ") }
}

extension JobTypes: Codable {
    /// Decodes a list of keywords.
    /// - Throws: `DecodingError` for a keyword that is not a job type.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        self = []
        while !container.isAtEnd {
            let keyword = try container.decode(String.self)
            guard let jobType = JobTypes(keyword: keyword) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\"\(keyword)\" is not a job type"
                )
            }
            insert(jobType)
        }
    }

    /// Encodes the list of keywords.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(contentsOf: keywords)
    }
}
