/// A printer's description of itself, read by a contact. Nothing here is known before the first contact.
///
/// Every text comes from the printer: treat it as hostile and escape it before display.
public struct PrinterDescription: Hashable, Sendable, Codable {
    public var name: String?
    public var location: String?
    public var makeAndModel: String?
    public var uuid: String?
    /// The IEEE 1284 device id, where the printer gives one.
    public var deviceID: String?
    public var jobTypes: JobTypes
    /// The formats that it accepts; `application/octet-stream` means that it detects the format itself.
    public var formats: [DocumentFormat]
    public var defaultFormat: DocumentFormat?
    /// PWG 5101.1 media names.
    public var media: [String]
    public var mediaReady: [String]
    public var mediaDefault: String?
    /// Nil where the printer does not say.
    public var isColor: Bool?
    /// IPP `sides` keywords; more than `one-sided` means duplex.
    public var sides: [String]
    /// Dots per inch, ascending; where the two directions differ, the coarser one.
    public var resolutions: [Int]
    public var supplies: [Supply]
    /// The pages that our user may still print there, where a quota is kept.
    public var pagesLeft: Int?

    public init(
        name: String? = nil, location: String? = nil, makeAndModel: String? = nil, uuid: String? = nil,
        deviceID: String? = nil, jobTypes: JobTypes = [], formats: [DocumentFormat] = [],
        defaultFormat: DocumentFormat? = nil, media: [String] = [], mediaReady: [String] = [],
        mediaDefault: String? = nil, isColor: Bool? = nil, sides: [String] = [],
        resolutions: [Int] = [], supplies: [Supply] = [], pagesLeft: Int? = nil
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
    }

    public var isDuplex: Bool { sides.contains { $0 != "one-sided" } }

    /// The `document-format` to send with a document, or nil when the printer does not accept it: the document's own
    /// format where it is listed or nothing is listed; `application/octet-stream` for a printer language where only
    /// that is listed.
    public func announcedFormat(for format: DocumentFormat) -> DocumentFormat? {
        if formats.isEmpty || formats.contains(format) { return format }
        return format.isPrinterLanguage && formats.contains(.octetStream) ? .octetStream : nil
    }
}

extension PrinterDescription {
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
            pagesLeft: try values.decodeIfPresent(Int.self, forKey: .pagesLeft)
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
    /// In percent, 0 to 100; nil where the printer does not know it.
    public var level: Int?
    /// The level at or below which it needs attention; for a waste container, the level at or above which.
    public var lowLevel: Int?

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
