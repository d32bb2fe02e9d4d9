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
            "marker-levels", "marker-low-levels", "marker-high-levels",
        ] + RollMedia.marginLists

    /// Its `…-supported` attributes, without the lists of media, which can have thousands of values.
    private let supported: IPPGroup
    private let operations: Set<Int32>
    private let creationAttributes: Set<String>
    let formats: [DocumentFormat]
    private let media: Set<String>
    private let mediaRanges: [MediaSizeRange]
    private let rollMedia: RollMedia

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
    }

    func supports(_ operation: IPPOperation) -> Bool { operations.contains(Int32(operation.rawValue)) }

    /// Whether the printer accepts documents with this compression (RFC 8011 §5.4.32).
    func acceptsCompression(_ keyword: String) -> Bool {
        supported["compression-supported"]?.strings.contains(keyword) ?? false
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
            ? supported["\(jobAttribute)-supported"].map { !$0.isOutOfBand } ?? false
            : creationAttributes.contains(jobAttribute)
    }

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
