import IPPCodec
import PrintModel

extension Ticket {
    /// The job template attributes (RFC 8011 §5.2) of this ticket that the printer says it takes; the rest is left out,
    /// since some printers refuse a whole job over an attribute that they do not know.
    func jobAttributes(for printer: PrinterFacts, format: DocumentFormat) -> [IPPAttribute] {
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

        // A raster stream says itself how often each page is to be printed (PWG 5102.4); both would multiply.
        if format != .pwgRaster, format != .appleRaster { add("copies", number: copies) }
        add("sides", keyword: sides?.rawValue)
        if let media, printer.takes("media") { add("media", .keyword(IPPText(media))) }
        if let pageRanges, printer.takes("page-ranges") {
            let ranges = pageRanges.map { IPPRange(Int32(clamping: $0.first), Int32(clamping: $0.last)) }
            attributes.append(IPPAttribute("page-ranges", ranges.map { .rangeOfInteger($0) }))
        }
        add("number-up", number: numberUp)
        add("orientation-requested", enumValue: orientation?.ippEnum)
        add("print-color-mode", keyword: colorMode?.rawValue)
        add("print-quality", enumValue: quality?.ippEnum)
        add("job-priority", number: priority)
        return attributes
    }
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
