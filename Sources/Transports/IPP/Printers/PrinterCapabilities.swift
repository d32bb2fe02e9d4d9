import KioskIPPCodec
import KioskPrintModel

/// What a printer supports, as its own attributes say: what a delivery needs beyond the description.
struct PrinterCapabilities: Sendable {
    /// The attributes to request: only those needed, since some printers time out over `all`, and a
    /// `media-col-database` is long.
    static let requestedAttributes =
        [
            "printer-name", "printer-dns-sd-name", "printer-info", "printer-location", "printer-make-and-model",
            "printer-uuid", "printer-device-id", "printer-kind", "printer-state", "printer-state-reasons",
            "printer-state-message", "printer-is-accepting-jobs", "printer-up-time", "operations-supported",
            "document-format-supported", "document-format-default", "media-supported", "media-ready", "media-default",
            "color-supported", "print-color-mode-supported", "sides-supported", "job-creation-attributes-supported",
            "copies-supported", "page-ranges-supported", "number-up-supported", "orientation-requested-supported",
            "print-quality-supported", "job-priority-supported", "printer-resolution-supported", "media-size-supported",
            "media-col-supported", "media-col-ready", "finishings-supported", "finishing-template-supported",
            "finishings-col-supported",
            "compression-supported", "notify-pull-method-supported", "marker-names", "marker-types", "marker-colors",
            "marker-levels", "marker-low-levels", "marker-high-levels", "media-source-supported",
            "media-type-supported", "output-bin-supported", "print-scaling-supported", "job-account-id-supported",
            "job-accounting-user-id-supported", "job-password-supported", "job-password-encryption-supported",
            "printer-mandatory-job-attributes", "identify-actions-supported", "multiple-document-handling-supported",
            "page-border-supported", "print-content-optimize-supported",
        ] + RollMedia.marginLists + PrintServer.requestedAttributes + PageSupport.requestedAttributes

    /// Its `…-supported` attributes, without the lists of media, which can have thousands of values.
    private let supported: IPPGroup
    private let operations: Set<Int32>
    private let creationAttributes: Set<String>
    let formats: [DocumentFormat]
    private let media: Set<String>
    private let mediaRanges: [MediaSizeRange]
    private let rollMedia: RollMedia
    /// The attributes without which it takes no job (PWG 5100.13 §6.6.5).
    let mandatoryJobAttributes: [String]
    /// Whether it is a spooler, which passes jobs on to another device.
    let isPrintServer: Bool

    private static let mediaLists: Set = ["media-supported", "media-size-supported"]

    init(_ attributes: IPPGroup) {
        supported = IPPGroup(
            .printer,
            attributes.attributes.filter {
                $0.name.hasSuffix("-supported") && !Self.mediaLists.contains($0.name)
                    && Self.requestedAttributes.contains($0.name)
            }
        )
        operations = Set(attributes["operations-supported"]?.integers ?? [])
        creationAttributes = Set(attributes["job-creation-attributes-supported"]?.strings ?? [])
        formats = attributes["document-format-supported"]?.strings.compactMap { DocumentFormat($0) } ?? []
        media = Set(attributes["media-supported"]?.strings ?? [])
        mediaRanges = MediaSizeRange.all(attributes)
        rollMedia = RollMedia(attributes)
        mandatoryJobAttributes = Array(
            attributes["printer-mandatory-job-attributes"]?.strings.prefix(Self.maximumMandatory) ?? [])
        isPrintServer = PrintServer.isOne(attributes)
    }

    private static let maximumMandatory = 32

    func supports(_ operation: IPPOperation) -> Bool { operations.contains(Int32(operation.rawValue)) }

    /// The compression to send documents with (RFC 8011 §5.4.32); nil where the printer lists none that is known.
    var compression: CompressedDocument.Coding? {
        let listed = supported["compression-supported"]?.strings ?? []
        return CompressedDocument.Coding.allCases.first { listed.contains($0.rawValue) }
    }

    /// Whether clients can fetch its events (RFC 3995, RFC 3996).
    var offersNotifications: Bool {
        (supports(.createPrinterSubscriptions) || supports(.createJobSubscriptions)) && supports(.getNotifications)
            && supported["notify-pull-method-supported"]?.strings.contains("ippget") == true
    }
}

// Job template attributes.
extension PrinterCapabilities {
    /// Whether a job may have this template attribute: what `job-creation-attributes-supported` (PWG 5100.11) lists, or
    /// else whatever has a `-supported` attribute (RFC 8011 §5.2).
    func accepts(_ jobAttribute: String) -> Bool {
        creationAttributes.isEmpty
            ? supported["\(jobAttribute)-supported"].map { !$0.isOutOfBand && $0.boolean != false } ?? false
            : creationAttributes.contains(jobAttribute)
    }

    /// Whether this number is among the supported ones, or in one of the supported ranges; where none are listed, the
    /// printer is left to judge.
    func accepts(_ jobAttribute: String, integer: Int32) -> Bool {
        guard accepts(jobAttribute) else { return false }
        let ranges = supported["\(jobAttribute)-supported"]?.values.compactMap(\.range) ?? []
        return ranges.isEmpty || ranges.contains { $0.closed?.contains(integer) == true }
    }

    /// The most copies of a document that one job can ask for; 1 where the printer makes none.
    func copies(of format: DocumentFormat) -> Int { format.isRaster ? 1 : copies }

    /// The same, of a document of a format that the printer lays out itself.
    var copies: Int {
        guard accepts("copies") else { return 1 }
        let limits = supported["copies-supported"]?.values.compactMap { $0.range?.closed?.upperBound } ?? []
        // One that takes the attribute, and does not say how many.
        return limits.max().map { max(1, Int($0)) } ?? Self.mostCopies
    }

    /// Those of a ticket.
    private static let mostCopies = 999

    /// Whether it prints in colours; nil where it does not say.
    var hasColor: Bool? { supported["color-supported"]?.boolean }

    /// Whether a member of `media-col` may have this value.
    func acceptsMediaMember(_ member: String, keyword: String) -> Bool {
        guard let listed = mediaMemberValues(member) else { return false }
        return listed.isEmpty || listed.contains(keyword)
    }

    /// The values that a member of `media-col` may have; nil where the printer takes no such member.
    func mediaMemberValues(_ member: String) -> [String]? {
        guard accepts("media-col"), supported["media-col-supported"]?.strings.contains(member) ?? false else {
            return nil
        }
        return supported["\(member)-supported"]?.strings ?? []
    }

    /// The keywords that an attribute's `-supported` lists; nil where the printer does not take the attribute.
    func values(_ jobAttribute: String) -> [String]? {
        accepts(jobAttribute) ? supported["\(jobAttribute)-supported"]?.strings ?? [] : nil
    }

    /// The octets of the longest PIN that it takes; nil where it has no PIN release.
    var maximumPasswordLength: Int? { supported["job-password-supported"]?.integer.map(Int.init) }

    /// Its `job-password-encryption-supported`.
    var passwordEncryptions: [String] { supported["job-password-encryption-supported"]?.strings ?? [] }

    /// Its `identify-actions-supported` (PWG 5100.13 §6.6.4).
    var identifyActions: [String] { supported["identify-actions-supported"]?.strings ?? [] }

    /// Whether this keyword is among the supported ones; where none are listed, the printer is left to judge.
    func accepts(_ jobAttribute: String, keyword: String) -> Bool {
        guard accepts(jobAttribute) else { return false }
        let listed = supported["\(jobAttribute)-supported"]?.strings ?? []
        return listed.isEmpty || listed.contains(keyword)
    }

    /// Whether this enum is among the supported ones; where none are listed, the printer is left to judge.
    func accepts(_ jobAttribute: String, number: Int32) -> Bool {
        guard accepts(jobAttribute) else { return false }
        let listed = supported["\(jobAttribute)-supported"]?.integers ?? []
        return listed.isEmpty || listed.contains(number)
    }

    /// Whether this resolution is among the supported ones, in dots per inch in both directions; where none are listed,
    /// the printer is left to judge.
    func accepts(resolution dpi: Int) -> Bool {
        guard accepts("printer-resolution") else { return false }
        let listed = resolutions
        return listed.isEmpty || listed.contains(dpi)
    }

    /// Its `printer-resolution-supported` that are equal in both directions, in dots per inch.
    var resolutions: [Int] {
        let listed = supported["printer-resolution-supported"]?.resolutions ?? []
        return listed.compactMap { resolution in
            resolution.dotsPerInch.flatMap { $0.crossFeed == $0.feed ? Int($0.feed.rounded()) : nil }
        }
    }

    /// The first of `enums` that an attribute's `-supported` lists; nil where it lists none of them.
    func firstListed(_ jobAttribute: String, _ enums: [Int32]) -> Int32? {
        guard accepts(jobAttribute) else { return nil }
        let listed = supported["\(jobAttribute)-supported"]?.integers ?? []
        return enums.first(where: listed.contains)
    }

    /// The first of `keywords` that `finishing-template-supported` lists (PWG 5100.1 §6.8).
    func template(_ keywords: [String]) -> String? {
        guard accepts("finishings-col") else { return nil }
        let listed = supported["finishing-template-supported"]?.strings ?? []
        return keywords.first(where: listed.contains)
    }

    /// The attribute that requests a page of a roll (PWG 5100.7 §6.3): by its size in `media-col`, or by a name where
    /// the printer accepts nothing else.
    func media(for page: RollPage) -> RollMedia.Selection {
        let members = accepts("media-col") ? supported["media-col-supported"]?.strings ?? ["media-size"] : []
        return rollMedia.selection(for: page, members: members, acceptsNames: acceptsMediaNames)
    }

    /// The attribute that requests a medium: by its name where the printer lists it or lists none; by its size where
    /// that lies in a range of sizes, which some printers state in `media-size-supported` only.
    func media(_ name: String) -> IPPAttribute? {
        let isListed = media.isEmpty || media.contains(name)
        if !isListed, accepts("media-col"), let size = PWGMediaSize(mediaName: name),
            let range = mediaRanges.first(where: { $0.contains(size) })
        {
            return IPPAttribute(
                "media-col", .collection([IPPAttribute("media-size", .collection(range.collection(of: size)))]))
        }
        return acceptsMediaNames ? IPPAttribute("media", .keyword(IPPText(name))) : nil
    }

    /// Whether a job may name its medium. `accepts` cannot tell: `supported` does not keep `media-supported`.
    private var acceptsMediaNames: Bool {
        creationAttributes.isEmpty ? !media.isEmpty : creationAttributes.contains("media")
    }
}
