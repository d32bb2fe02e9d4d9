import IPPCodec
import PrintModel

/// What a printer supports, as its own attributes say: what a delivery has to know beyond the description.
struct PrinterFacts: Sendable {
    /// The names asked for: needed ones only, since some printers time out over `all`, and a `media-col-database` is long.
    static let requestedAttributes = [
        "printer-name", "printer-dns-sd-name", "printer-info", "printer-location", "printer-make-and-model",
        "printer-uuid", "printer-device-id", "printer-kind", "printer-state", "printer-state-reasons",
        "printer-state-message", "printer-is-accepting-jobs", "printer-up-time", "operations-supported",
        "document-format-supported", "document-format-default", "media-supported", "media-ready", "media-default",
        "color-supported", "print-color-mode-supported", "sides-supported", "job-creation-attributes-supported",
        "copies-supported", "page-ranges-supported", "number-up-supported", "orientation-requested-supported",
        "print-quality-supported", "job-priority-supported",
    ]

    /// Its `…-supported` attributes, but for media, which can be thousands.
    private let supported: IPPGroup
    private let operations: Set<Int32>
    private let creationAttributes: Set<String>
    let formats: [DocumentFormat]

    init(_ attributes: IPPGroup) {
        supported = IPPGroup(
            .printer,
            attributes.attributes.filter {
                $0.name.hasSuffix("-supported") && $0.name != "media-supported" && Self.requestedAttributes.contains($0.name)
            }
        )
        operations = Set(attributes["operations-supported"]?.integers ?? [])
        creationAttributes = Set(attributes["job-creation-attributes-supported"]?.strings ?? [])
        formats = attributes["document-format-supported"]?.strings.compactMap { DocumentFormat($0) } ?? []
    }

    func supports(_ operation: IPPOperation) -> Bool { operations.contains(Int32(operation.rawValue)) }

    /// Whether a job may have this template attribute: what `job-creation-attributes-supported` (PWG 5100.11) lists,
    /// or else whatever has a `-supported` attribute (RFC 8011 §5.2).
    func takes(_ jobAttribute: String) -> Bool {
        creationAttributes.isEmpty
            ? supported["\(jobAttribute)-supported"].map { !$0.isOutOfBand } ?? false
            : creationAttributes.contains(jobAttribute)
    }

    /// Whether this keyword is among the supported ones; where none are listed, the printer is left to judge.
    func takes(_ jobAttribute: String, keyword: String) -> Bool {
        guard takes(jobAttribute) else { return false }
        let listed = supported["\(jobAttribute)-supported"]?.strings ?? []
        return listed.isEmpty || listed.contains(keyword)
    }

    /// As above, for an enum.
    func takes(_ jobAttribute: String, number: Int32) -> Bool {
        guard takes(jobAttribute) else { return false }
        let listed = supported["\(jobAttribute)-supported"]?.integers ?? []
        return listed.isEmpty || listed.contains(number)
    }
}
