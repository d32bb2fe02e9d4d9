/// The settings for printing a document. Nil leaves a choice to the role's defaults, and then to the printer.
///
/// Keys and values are those of IPP wherever IPP has them (RFC 8011 §5.2), in JSON and YAML.
public struct Ticket: Hashable, Sendable, Codable {
    /// The number of copies, 1 to 999.
    public var copies: Int?
    /// One or both sides of the sheet (RFC 8011 §5.2.8).
    public var sides: Sides?
    /// The paper, as a PWG 5101.1 media name: `iso_a4_210x297mm`.
    public var media: String?
    /// The pages to print, ascending, without overlap.
    public var pageRanges: [PageRange]?
    /// Pages on one side of a sheet, 1 to 16.
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

    /// Creates a ticket that leaves every choice open.
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
