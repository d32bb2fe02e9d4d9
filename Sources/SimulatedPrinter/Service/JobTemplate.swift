import KioskIPPCodec

/// The Job Template attributes of a printer (RFC 8011 §5.2): what it advertises, and which of the values that clients
/// ask for it supports.
struct JobTemplate {
    private let capabilities: SimulatedModel
    private let resolutions: [IPPResolution]

    init(_ capabilities: SimulatedModel) {
        self.capabilities = capabilities
        resolutions = capabilities.resolutions.map { IPPResolution($0, $0) }
    }

    private static let holdKeywords = ["no-hold", "indefinite"]
    private static let documentHandling = [
        "separate-documents-uncollated-copies", "separate-documents-collated-copies",
    ]
    private var colorModes: [String] {
        capabilities.isColor ? ["auto", "color", "monochrome"] : ["auto", "monochrome"]
    }

    /// Splits a client's attributes into those that the printer supports and those that it does not, which belong into
    /// the unsupported-attributes group. `ignoringAll`: the printer keeps none of those that it advertises.
    func partition(
        _ attributes: [IPPAttribute], ignoringAll: Bool = false
    ) -> (supported: [IPPAttribute], unsupported: [IPPAttribute]) {
        if ignoringAll { return ([], attributes) }
        var supported: [IPPAttribute] = []
        var unsupported: [IPPAttribute] = []
        for attribute in attributes {
            switch isSupported(attribute) {
            case true?: supported.append(attribute)
            case false?: unsupported.append(attribute)
            // RFC 8011 §4.1.7: an unknown attribute is named with the out-of-band value 'unsupported'.
            case nil: unsupported.append(IPPAttribute(attribute.name, .unsupported))
            }
        }
        return (supported, unsupported)
    }

    /// Whether the printer supports the attribute's values; nil for an attribute that it does not know.
    private func isSupported(_ attribute: IPPAttribute) -> Bool? {
        func all(_ check: (IPPValue) -> Bool) -> Bool {
            !attribute.values.isEmpty && attribute.values.allSatisfy(check)
        }
        func keyword(in list: [String]) -> Bool {
            attribute.values.count == 1 && all { value in value.string.map(list.contains) ?? false }
        }
        func number(in range: ClosedRange<Int32>) -> Bool {
            attribute.values.count == 1 && all { value in value.integer.map(range.contains) ?? false }
        }
        switch attribute.name {
        case "copies": return number(in: 1...999)
        case "finishings": return all { value in value.integer.map(capabilities.finishings.contains) ?? false }
        case "finishings-col":
            return all { value in
                value.collection?["finishing-template"]?.string.map(capabilities.finishingTemplates.contains) ?? false
            }
        case "job-hold-until": return keyword(in: Self.holdKeywords)
        case "job-sheets": return keyword(in: ["none"])
        case "media": return keyword(in: capabilities.media.map(\.name))
        case "media-col": return attribute.collection.map(isSupportedMedia) ?? false
        case "multiple-document-handling": return keyword(in: Self.documentHandling)
        case "number-up": return number(in: 1...1)
        case "orientation-requested": return number(in: 3...6)
        case "output-bin": return keyword(in: [capabilities.outputBin])
        case "overrides": return all { $0.collection != nil }
        case "page-ranges":
            return capabilities.supportsPageRanges
                ? all { value in value.range.map { $0.lower >= 1 && $0.closed != nil } ?? false } : nil
        case "print-color-mode": return keyword(in: colorModes)
        case "print-content-optimize", "print-rendering-intent": return keyword(in: ["auto"])
        case "print-quality": return number(in: 3...5)
        case "printer-resolution": return attribute.resolution.map(resolutions.contains) ?? false
        case "sides": return keyword(in: capabilities.sides)
        default: return nil
        }
    }

    private func isSupportedMedia(_ media: IPPCollection) -> Bool {
        if let name = media["media-size-name"]?.string { return capabilities.media.contains { $0.name == name } }
        guard let size = media["media-size"]?.collection else { return true }
        let (width, length) = (size["x-dimension"]?.integer, size["y-dimension"]?.integer)
        return capabilities.media.contains { $0.width == width && $0.length == length }
    }
}

extension JobTemplate {
    /// The `-default`, `-supported` and `-ready` attributes.
    var advertised: [IPPAttribute] {
        let media = capabilities.media
        let finishings: [IPPCollection] = capabilities.finishingTemplates.map {
            [IPPAttribute("finishing-template", keyword: $0)]
        }
        let loaded = capabilities.loaded.map { capabilities.mediaCol($0.media, in: $0.source) }
        return [
            IPPAttribute("copies-default", .integer(1)),
            IPPAttribute("copies-supported", .rangeOfInteger(IPPRange(1, 999))),
            IPPAttribute("finishings-default", .enum(3)),
            IPPAttribute("finishings-supported", .enums(capabilities.finishings)),
            IPPAttribute("finishings-ready", .enums(capabilities.finishings)),
            IPPAttribute("finishing-template-supported", keywords: capabilities.finishingTemplates),
            IPPAttribute("finishings-col-database", .collections(finishings)),
            IPPAttribute("finishings-col-default", .collections(Array(finishings.prefix(1)))),
            IPPAttribute("finishings-col-ready", .collections(finishings)),
            IPPAttribute("finishings-col-supported", keyword: "finishing-template"),
            IPPAttribute("job-hold-until-default", keyword: Self.holdKeywords[0]),
            IPPAttribute("job-hold-until-supported", keywords: Self.holdKeywords),
            IPPAttribute("job-sheets-default", keyword: "none"),
            IPPAttribute("job-sheets-supported", keyword: "none"),
            IPPAttribute("media-default", keyword: media.first?.name ?? "none"),
            IPPAttribute("media-ready", .keywords(capabilities.loaded.map(\.media.name))),
            IPPAttribute("media-supported", .keywords(media.map(\.name))),
            IPPAttribute("media-col-default", .collections(Array(loaded.prefix(1)))),
            IPPAttribute("media-col-ready", .collections(loaded)),
            IPPAttribute(
                "media-col-supported",
                keywords: [
                    "media-bottom-margin", "media-left-margin", "media-right-margin", "media-size", "media-size-name",
                    "media-source", "media-top-margin", "media-type",
                ]),
            IPPAttribute("media-size-supported", .collections(media.map(\.mediaSize))),
            IPPAttribute("media-source-supported", keywords: capabilities.mediaSources),
            IPPAttribute("media-type-supported", keywords: capabilities.mediaTypes),
            IPPAttribute("media-bottom-margin-supported", .integer(capabilities.margin)),
            IPPAttribute("media-left-margin-supported", .integer(capabilities.margin)),
            IPPAttribute("media-right-margin-supported", .integer(capabilities.margin)),
            IPPAttribute("media-top-margin-supported", .integer(capabilities.margin)),
            IPPAttribute("multiple-document-handling-default", keyword: Self.documentHandling[1]),
            IPPAttribute("multiple-document-handling-supported", keywords: Self.documentHandling),
            IPPAttribute("number-up-default", .integer(1)),
            IPPAttribute("number-up-supported", .integer(1)),
            IPPAttribute("orientation-requested-default", .noValue),
            IPPAttribute("orientation-requested-supported", .enums([3, 4, 5, 6])),
            IPPAttribute("output-bin-default", keyword: capabilities.outputBin),
            IPPAttribute("output-bin-supported", keyword: capabilities.outputBin),
            IPPAttribute("overrides-supported", keywords: ["document-number", "pages"]),
            IPPAttribute("page-ranges-supported", .boolean(capabilities.supportsPageRanges)),
            IPPAttribute("print-color-mode-default", keyword: "auto"),
            IPPAttribute("print-color-mode-supported", keywords: colorModes),
            IPPAttribute("print-content-optimize-default", keyword: "auto"),
            IPPAttribute("print-content-optimize-supported", keyword: "auto"),
            IPPAttribute("print-quality-default", .enum(4)),
            IPPAttribute("print-quality-supported", .enums([3, 4, 5])),
            IPPAttribute("print-rendering-intent-default", keyword: "auto"),
            IPPAttribute("print-rendering-intent-supported", keyword: "auto"),
            IPPAttribute("printer-resolution-default", resolutions.prefix(1).map { .resolution($0) }),
            IPPAttribute("printer-resolution-supported", resolutions.map { .resolution($0) }),
            IPPAttribute("sides-default", keyword: "one-sided"),
            IPPAttribute("sides-supported", keywords: capabilities.sides),
        ]
    }

    /// The names that a client may send in the job-attributes group (`job-creation-attributes-supported`).
    var creationAttributes: [String] {
        [
            "copies", "finishings", "finishings-col", "job-hold-until", "job-name", "job-sheets", "media", "media-col",
            "multiple-document-handling", "number-up", "orientation-requested", "output-bin", "overrides",
            "print-color-mode", "print-content-optimize", "print-quality", "print-rendering-intent",
            "printer-resolution", "sides",
        ] + (capabilities.supportsPageRanges ? ["page-ranges"] : [])
    }
}

extension SimulatedModel {
    /// The `media-col` of a size in a tray (PWG 5100.7).
    func mediaCol(_ media: SimulatedMedia, in source: String) -> IPPCollection {
        [
            IPPAttribute("media-size", .collection(media.mediaSize)),
            IPPAttribute("media-size-name", keyword: media.name),
            IPPAttribute("media-bottom-margin", .integer(margin)),
            IPPAttribute("media-left-margin", .integer(margin)),
            IPPAttribute("media-right-margin", .integer(margin)),
            IPPAttribute("media-top-margin", .integer(margin)),
            IPPAttribute("media-source", keyword: source),
            IPPAttribute("media-type", keyword: mediaTypes.first ?? "other"),
        ]
    }
}

extension SimulatedMedia {
    /// The `media-size` member of a `media-col`.
    fileprivate var mediaSize: IPPCollection {
        [IPPAttribute("x-dimension", .integer(width)), IPPAttribute("y-dimension", .integer(length))]
    }
}
