import IPPCodec
import PrintModel

extension Ticket {
    /// The job template attributes (RFC 8011 §5.2) of this ticket that the printer says it takes. The rest is left out,
    /// since some printers refuse a whole job over an attribute that they do not know.
    func jobAttributes(for printer: PrinterCapabilities, format: DocumentFormat) -> [IPPAttribute] {
        var attributes: [IPPAttribute] = []
        func add(_ name: String, _ value: IPPValue) { attributes.append(IPPAttribute(name, value)) }
        func add(_ name: String, number: Int?) {
            if let number, printer.takes(name) { add(name, .integer(Int32(clamping: number))) }
        }
        func add(_ name: String, keyword: String?) {
            if let keyword, printer.takes(name, keyword: keyword) { add(name, .keyword(IPPText(keyword))) }
        }
        func add(_ name: String, enumValue: Int32?) {
            if let enumValue, printer.takes(name, number: enumValue) { add(name, .enum(enumValue)) }
        }

        // A raster stream says itself how often to print each page (PWG 5102.4); both would multiply.
        if format != .pwgRaster, format != .appleRaster { add("copies", number: copies) }
        add("sides", keyword: sides?.rawValue)
        if let media, let attribute = media.isEmpty ? nil : printer.media(media) { attributes.append(attribute) }
        if let pageRanges, printer.takes("page-ranges") {
            let ranges = pageRanges.map { IPPRange(Int32(clamping: $0.first), Int32(clamping: $0.last)) }
            attributes.append(IPPAttribute("page-ranges", ranges.map { .rangeOfInteger($0) }))
        }
        add("number-up", number: numberUp)
        add("orientation-requested", enumValue: orientation?.ippEnum)
        add("print-color-mode", keyword: colorMode?.rawValue)
        add("print-quality", enumValue: quality?.ippEnum)
        add("job-priority", number: priority)
        if let finishing = cut?.attribute(for: printer) { attributes.append(finishing) }
        return attributes
    }
}

extension Ticket.Cut {
    /// The `finishings` or `finishings-col`. PWG 5100.1 says when to cut and not how deep, so partial and full are the
    /// same here. Nil where the printer lists no cut.
    fileprivate func attribute(for printer: PrinterCapabilities) -> IPPAttribute? {
        switch self {
        case .none:
            guard printer.firstListed("finishings", Self.cuts) != nil else { return nil }
            return IPPAttribute("finishings", .enum(Self.noFinishing))
        case .partial, .full:
            if let number = printer.firstListed("finishings", Self.cuts) {
                return IPPAttribute("finishings", .enum(number))
            }
            return printer.template(Self.templates).map { template in
                IPPAttribute("finishings-col", .collection([IPPAttribute("finishing-template", keyword: template)]))
            }
        }
    }

    /// `none` of RFC 8011 §5.2.6.
    private static let noFinishing: Int32 = 3
    /// trim-after-job, trim-after-documents, trim-after-copies, trim: PWG 5100.1 §6.1.
    private static let cuts: [Int32] = [63, 61, 62, 11]
    private static let templates = ["trim-after-job", "trim-after-documents", "trim-after-copies", "trim"]
}

extension Ticket.Orientation {
    /// RFC 8011 §5.2.10.
    fileprivate var ippEnum: Int32 {
        switch self {
        case .portrait: 3
        case .landscape: 4
        case .reverseLandscape: 5
        case .reversePortrait: 6
        }
    }
}

extension Ticket.Quality {
    /// RFC 8011 §5.2.13.
    fileprivate var ippEnum: Int32 {
        switch self {
        case .draft: 3
        case .normal: 4
        case .high: 5
        }
    }
}
