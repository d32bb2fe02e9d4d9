/// What a printer says of itself when it is contacted. Nothing here is known before the first contact.
///
/// Every text comes from the printer: it is hostile until shown escaped.
public struct PrinterDescription: Hashable, Sendable, Codable {
    public var name: String?
    public var location: String?
    public var makeAndModel: String?
    public var uuid: String?
    /// The IEEE 1284 device id, where the printer gives one.
    public var deviceID: String?
    public var jobTypes: JobTypes
    /// The formats that it takes; `application/octet-stream` means "I look for myself".
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
    /// What our user may still print there, where somebody counts.
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

    /// The format to announce for a document, or nil when the printer does not take it: the document's own where it
    /// is listed or nothing is listed; `application/octet-stream` for a printer language where only that is listed.
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
            // Descriptions that were stored before these were read do not have them.
            resolutions: try values.decodeIfPresent([Int].self, forKey: .resolutions) ?? [],
            supplies: try values.decodeIfPresent([Supply].self, forKey: .supplies) ?? [],
            pagesLeft: try values.decodeIfPresent(Int.self, forKey: .pagesLeft)
        )
    }
}

extension DocumentFormat {
    /// Whether documents of this format are commands for a printer, which it may take as raw data without naming them.
    public var isPrinterLanguage: Bool {
        [.escPOS, .starPRNT, .zpl, .octetStream].contains(self)
    }
}
