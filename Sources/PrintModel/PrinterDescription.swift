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

    public init(
        name: String? = nil, location: String? = nil, makeAndModel: String? = nil, uuid: String? = nil,
        deviceID: String? = nil, jobTypes: JobTypes = [], formats: [DocumentFormat] = [],
        defaultFormat: DocumentFormat? = nil, media: [String] = [], mediaReady: [String] = [],
        mediaDefault: String? = nil, isColor: Bool? = nil, sides: [String] = []
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
        case sides
    }

    public var isDuplex: Bool { sides.contains { $0 != "one-sided" } }

    /// The format to announce for a document, or nil when the printer does not take it: the document's own where it
    /// is listed or nothing is listed; `application/octet-stream` for a printer language where only that is listed.
    public func announcedFormat(for format: DocumentFormat) -> DocumentFormat? {
        if formats.isEmpty || formats.contains(format) { return format }
        return format.isPrinterLanguage && formats.contains(.octetStream) ? .octetStream : nil
    }
}

extension DocumentFormat {
    /// Whether documents of this format are commands for a printer, which it may take as raw data without naming them.
    public var isPrinterLanguage: Bool {
        [.escPOS, .starPRNT, .zpl, .octetStream].contains(self)
    }
}
