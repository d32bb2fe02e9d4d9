/// The settings for printing a document. Nil leaves a choice to the role's defaults, and then to the printer.
///
/// Keys and values are those of IPP wherever IPP has them (RFC 8011 §5.2), in JSON and YAML.
public struct Ticket: Hashable, Sendable, Codable {
    /// 1 to 999.
    public var copies: Int?
    public var sides: Sides?
    /// A PWG 5101.1 media name.
    public var media: String?
    /// Ascending, without overlap.
    public var pageRanges: [PageRange]?
    /// Pages on one side of a sheet.
    public var numberUp: Int?
    public var orientation: Orientation?
    public var colorMode: ColorMode?
    public var quality: Quality?
    public var cut: Cut?
    /// Whether to open the cash drawer.
    public var drawer: Bool?
    /// 1 (least) to 100 (most), RFC 8011 §5.2.1.
    public var priority: Int?
    /// Seconds from acceptance after which the job expires.
    public var expiresAfter: Int?

    public enum Sides: String, Hashable, Sendable, Codable, CaseIterable {
        case oneSided = "one-sided"
        case twoSidedLongEdge = "two-sided-long-edge"
        case twoSidedShortEdge = "two-sided-short-edge"
    }
    public enum Orientation: String, Hashable, Sendable, Codable, CaseIterable {
        case portrait, landscape
        case reverseLandscape = "reverse-landscape"
        case reversePortrait = "reverse-portrait"
    }
    public enum ColorMode: String, Hashable, Sendable, Codable, CaseIterable {
        case auto, color, monochrome
    }
    public enum Quality: String, Hashable, Sendable, Codable, CaseIterable {
        case draft, normal, high
    }
    public enum Cut: String, Hashable, Sendable, Codable, CaseIterable {
        case none, partial, full
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case copies, sides, media
        case pageRanges = "page-ranges"
        case numberUp = "number-up"
        case orientation = "orientation-requested"
        case colorMode = "print-color-mode"
        case quality = "print-quality"
        case cut, drawer, priority
        case expiresAfter = "expires-after"
    }

    /// The keys in JSON, YAML and query parameters.
    public static let keys: [String] = CodingKeys.allCases.map(\.rawValue)

    public init() {}

    /// More ranges than any printer takes in one job.
    package static let maximumPageRanges = 256

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
        check(.numberUp, numberUp, in: 1...16)
        check(.priority, priority, in: 1...100)
        check(.expiresAfter, expiresAfter, in: 1...31_536_000)
        if let media, media.isEmpty || media.utf8.count > 255 || !media.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            problems.append("media is not a media name; write one such as iso_a4_210x297mm")
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
}

/// A range of pages, counted from 1, both ends included: `5` or `1-3`.
public struct PageRange: Hashable, Sendable, CustomStringConvertible {
    public let first: Int
    public let last: Int

    /// The largest IPP integer (RFC 8010 §3.9).
    private static let maximum = Int(Int32.max)

    public init?(first: Int, last: Int) {
        guard first >= 1, last >= first, last <= Self.maximum else { return nil }
        self.first = first
        self.last = last
    }

    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let first = Int(digits: parts[0]),
            let last = Int(digits: parts[parts.count - 1])
        else { return nil }
        self.init(first: first, last: last)
    }

    public var description: String { first == last ? "\(first)" : "\(first)-\(last)" }
}

extension PageRange: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText({ PageRange($0) }, problem: { "\"\($0)\" is not a page range; write 5 or 1-3" })
    }

    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
