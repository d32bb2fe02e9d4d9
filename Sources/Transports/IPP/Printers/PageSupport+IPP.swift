import KioskIPPCodec
import KioskPrintModel

extension PageSupport {
    /// The attributes that it is read from, beside those of `media`.
    static let requestedAttributes = [
        "media-col-default", "pwg-raster-document-resolution-supported", "pwg-raster-document-sheet-back",
        "pwg-raster-document-type-supported", "urf-supported", "landscape-orientation-requested-preferred",
        "jpeg-k-octets-supported", "jpeg-x-dimension-supported", "jpeg-y-dimension-supported",
    ]

    /// More media than a plan of sheets needs; the ready ones come first.
    private static let maximumCount = 128

    /// Reads the response to Get-Printer-Attributes; nil where the printer says nothing of pages.
    init?(_ attributes: IPPGroup) {
        let usual = Medium.Margins(of: attributes)
        let database = attributes["media-col-database"]?.collections.prefix(Self.maximumCount).compactMap {
            Medium($0)
        }
        let listed =
            database ?? Medium.named(attributes["media-supported"]?.strings.prefix(Self.maximumCount) ?? [], usual)
        let ready = attributes["media-col-ready"]?.collections.prefix(Self.maximumCount).compactMap { Medium($0) }
        self.init(
            ready: ready ?? Medium.named(attributes["media-ready"]?.strings.prefix(Self.maximumCount) ?? [], usual),
            supported: listed,
            standard: attributes["media-col-default"]?.collection.flatMap { Medium($0) }
                ?? Medium.named([attributes["media-default"]?.string].compactMap(\.self), usual).first,
            sheetBack: attributes["pwg-raster-document-sheet-back"]?.string.flatMap { SheetBack(rawValue: $0) },
            rasterTypes: Self.keywords(attributes["pwg-raster-document-type-supported"]),
            rasterResolutions: Self.resolutions(attributes["pwg-raster-document-resolution-supported"]),
            appleRaster: Self.keywords(attributes["urf-supported"]),
            landscape: attributes["landscape-orientation-requested-preferred"]?.integer.flatMap(Self.orientation),
            jpeg: JPEGLimits(attributes))
        if ready == nil, self.ready.isEmpty, supported.isEmpty, standard == nil, rasterTypes.isEmpty,
            appleRaster.isEmpty
        {
            return nil
        }
    }

    private static func keywords(_ attribute: IPPAttribute?) -> [String] {
        attribute?.strings.prefix(maximumCount).map(\.cleaned) ?? []
    }

    private static func resolutions(_ attribute: IPPAttribute?) -> [Int] {
        let dots = (attribute?.resolutions.prefix(maximumCount) ?? []).compactMap(\.dotsPerInch)
        return Set(dots.filter { $0.crossFeed == $0.feed }.map { Int(min($0.feed, 10_000).rounded()) }).sorted()
    }

    /// RFC 8011 §5.2.10.
    private static func orientation(_ number: Int32) -> Ticket.Orientation? {
        switch number {
        case 4: .landscape
        case 5: .reverseLandscape
        default: nil
        }
    }
}

extension PageSupport.JPEGLimits {
    /// The upper ends of the printer's ranges; nil where it states none.
    fileprivate init?(_ attributes: IPPGroup) {
        func limit(_ name: String) -> Int? {
            attributes[name]?.values.compactMap(\.range).map { Int($0.upper) }.max().flatMap { $0 > 0 ? $0 : nil }
        }
        self.init(
            kilobytes: limit("jpeg-k-octets-supported"), width: limit("jpeg-x-dimension-supported"),
            height: limit("jpeg-y-dimension-supported"))
        if kilobytes == nil, width == nil, height == nil { return nil }
    }
}

extension Medium.Margins {
    /// The widest that the printer lists, for media without margins of their own: the narrower ones may hold for others
    /// only. Nil where one of the four is not listed.
    fileprivate init?(of attributes: IPPGroup) {
        func widest(_ edge: String) -> Int? {
            attributes["media-\(edge)-margin-supported"]?.integers.filter { $0 >= 0 }.max().map(Int.init)
        }
        guard let top = widest("top"), let left = widest("left"), let bottom = widest("bottom"),
            let right = widest("right")
        else { return nil }
        self.init(top: top, left: left, bottom: bottom, right: right)
    }

    /// The margins of one `media-col` (PWG 5100.7 §6.3.1); nil where it does not have all four.
    fileprivate init?(_ medium: IPPCollection) {
        func margin(_ edge: String) -> Int? {
            medium["media-\(edge)-margin"]?.integer.flatMap { $0 >= 0 ? Int($0) : nil }
        }
        guard let top = margin("top"), let left = margin("left"), let bottom = margin("bottom"),
            let right = margin("right")
        else { return nil }
        self.init(top: top, left: left, bottom: bottom, right: right)
    }
}

extension Medium {
    /// Reads a `media-col`; nil without a size.
    fileprivate init?(_ medium: IPPCollection) {
        guard let size = medium["media-size"]?.collection,
            let widths = size["x-dimension"]?.range?.closed, let heights = size["y-dimension"]?.range?.closed,
            widths.upperBound > 0, heights.upperBound > 0, widths.lowerBound >= 0, heights.lowerBound >= 0
        else { return nil }
        let name = (medium["media-size-name"]?.string ?? medium["media-key"]?.string)?.cleaned
        self.init(
            name: name.flatMap { PWGMediaSize(mediaName: $0) == nil ? nil : $0 },
            width: max(1, Int(widths.lowerBound)), height: max(1, Int(heights.lowerBound)),
            maximumWidth: widths.count > 1 ? Int(widths.upperBound) : nil,
            maximumHeight: heights.count > 1 ? Int(heights.upperBound) : nil,
            margins: Margins(medium), source: medium["media-source"]?.string?.cleaned,
            type: medium["media-type"]?.string?.cleaned,
            // Only a roll's length varies while its width does not.
            isRoll: name?.hasPrefix("roll_") == true || widths.count == 1 && heights.count > 1)
    }

    /// Reads PWG 5101.1 names. `custom_min_…` and `custom_max_…`, or `roll_min_…` and `roll_max_…`, are the ends of one
    /// range (PWG 5101.1 §5.3).
    fileprivate static func named(_ names: some Collection<String>, _ margins: Margins?) -> [Medium] {
        var media: [Medium] = []
        var ends: [String: (width: Int, height: Int)] = [:]
        for name in names {
            guard let size = PWGMediaSize(mediaName: name), let width = Int(exactly: (size.width * 100).rounded()),
                let height = Int(exactly: (size.height * 100).rounded()), width > 0, height > 0
            else { continue }
            if let end = Self.ends.first(where: { name.hasPrefix("\($0)_") }) {
                ends[end] = (width, height)
            } else {
                media.append(
                    Medium(
                        name: name.cleaned, width: width, height: height, margins: margins,
                        isRoll: name.hasPrefix("roll_")))
            }
        }
        for kind in ["roll", "custom"] {
            guard let least = ends["\(kind)_min"], let most = ends["\(kind)_max"], least.width <= most.width,
                least.height <= most.height
            else { continue }
            media.append(
                Medium(
                    width: least.width, height: least.height, maximumWidth: most.width, maximumHeight: most.height,
                    margins: margins, isRoll: kind == "roll"))
        }
        return media
    }

    private static let ends = ["roll_min", "roll_max", "custom_min", "custom_max"]
}
