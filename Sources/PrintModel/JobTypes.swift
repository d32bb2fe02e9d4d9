/// The kinds of job that a printer is made for: AirPrint's list, spelled as in PWG 5100.13 `printer-kind` where that
/// has the keyword.
public struct JobTypes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let general = JobTypes(rawValue: 1 << 0)
    public static let document = JobTypes(rawValue: 1 << 1)
    public static let photo = JobTypes(rawValue: 1 << 2)
    public static let label = JobTypes(rawValue: 1 << 3)
    public static let envelope = JobTypes(rawValue: 1 << 4)
    public static let postcard = JobTypes(rawValue: 1 << 5)
    public static let receipt = JobTypes(rawValue: 1 << 6)
    public static let roll = JobTypes(rawValue: 1 << 7)
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
    public var description: String { keywords.joined(separator: ", ") }
}

extension JobTypes: Codable {
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

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(contentsOf: keywords)
    }
}
