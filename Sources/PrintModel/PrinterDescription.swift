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

    public var isDuplex: Bool { sides.contains { $0 != "one-sided" } }

    /// Whether the printer takes this format. One that lists none, or takes octet-stream for its raw data, is asked by sending.
    public func accepts(_ format: DocumentFormat) -> Bool {
        formats.isEmpty || formats.contains(format)
    }
}
