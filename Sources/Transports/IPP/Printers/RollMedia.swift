import KioskIPPCodec
import KioskPrintModel

/// The sizes of a printer's media, as far as pages for a roll need them: what is loaded (`media-col-ready`) and what
/// the printer accepts (`media-size-supported`, `media-supported`).
struct RollMedia: Sendable {
    /// The sizes given as numbers; what is loaded comes first.
    private let sizes: [RollSize]
    private let loaded: [RollSize]
    /// The sizes given as names.
    private let named: [RollSize]
    /// The smallest margins that the printer supports.
    private let margins: [IPPAttribute]

    /// The attribute that a job requests its medium with, and a remark for people, as a sentence without a full stop.
    struct Selection: Hashable {
        var attribute: IPPAttribute?
        var remark: String?
    }

    /// PWG 5100.7 §6.3.1, the members of `media-col`.
    static let marginNames = ["media-bottom-margin", "media-left-margin", "media-right-margin", "media-top-margin"]
    static let marginLists = marginNames.map { "\($0)-supported" }

    /// More sizes than any printer with a roll has.
    private static let maximumCount = 500

    init(_ attributes: IPPGroup) {
        let ready =
            attributes["media-col-ready"]?.collections.prefix(Self.maximumCount).compactMap { RollSize(loaded: $0) }
            ?? []
        let supported =
            attributes["media-size-supported"]?.collections.prefix(Self.maximumCount).compactMap { RollSize($0) } ?? []
        named = RollSize.named(attributes["media-supported"]?.strings.prefix(Self.maximumCount) ?? [])
        let listed = ready + supported
        // LPrint states its ranges among the names alone.
        (sizes, loaded) = (listed.isEmpty ? [] : listed + named.filter(\.isRange), ready)
        margins = Self.marginNames.compactMap { name in
            attributes["\(name)-supported"]?.integers.filter { $0 >= 0 }.min().map { IPPAttribute(name, .integer($0)) }
        }
    }

    /// Selects the page's own size, or the nearest that the printer has. `members` are those it accepts in `media-col`.
    func selection(for page: RollPage, members: [String], acceptsNames: Bool) -> Selection {
        let acceptsSizes = members.contains("media-size")
        guard acceptsSizes || acceptsNames else {
            return Selection(remark: "the printer accepts no size of paper: it has its own for pages")
        }
        // A printer asked for another width than the loaded ones would wait for somebody to change the roll; on wider
        // paper the page has room.
        let isLoaded = loaded.isEmpty || loaded.contains { $0.fit(page) != nil }
        let wider = isLoaded ? nil : loaded.filter { $0.isWider(than: page) }.min { $0.width < $1.width }
        let page = wider.map { RollPage(width: $0.width, length: page.length) } ?? page
        let listed = !isLoaded && wider == nil ? [] : acceptsSizes && !sizes.isEmpty ? sizes : named
        let fits = listed.compactMap { size in size.fit(page).map { (size: size, fit: $0) } }
        guard let best = fits.min(by: { $0.fit < $1.fit }) else {
            return Selection(
                remark:
                    "the printer has no paper that is about \(RollSize.millimetres(page.width)) mm wide: it has its own size for pages"
            )
        }
        let (width, length) = (best.fit.width, best.fit.length)
        guard acceptsSizes else {
            let name =
                best.size.name ?? "custom_receipt_\(RollSize.millimetres(width))x\(RollSize.millimetres(length))mm"
            return Selection(attribute: IPPAttribute("media", keyword: name), remark: best.fit.remark)
        }
        let size: IPPCollection = [
            IPPAttribute("x-dimension", .integer(Int32(clamping: width))),
            IPPAttribute("y-dimension", .integer(Int32(clamping: length))),
        ]
        let margins = (best.size.margins.isEmpty ? self.margins : best.size.margins).filter {
            members.contains($0.name)
        }
        return Selection(
            attribute: IPPAttribute(
                "media-col", .collection(IPPCollection([IPPAttribute("media-size", .collection(size))] + margins))),
            remark: best.fit.remark)
    }
}

/// A size that a printer lists, or a range of sizes, in hundredths of a millimetre.
private struct RollSize: Sendable {
    private let widths: ClosedRange<Int>
    private let lengths: ClosedRange<Int>
    /// The PWG 5101.1 name, where the printer gave a single size by its name.
    private(set) var name: String?
    /// The margins, for loaded media.
    private(set) var margins: [IPPAttribute] = []

    private init(_ widths: ClosedRange<Int>, _ lengths: ClosedRange<Int>, name: String? = nil) {
        (self.widths, self.lengths, self.name) = (widths, lengths, name)
    }

    /// Reads a `media-size`: numbers or ranges (PWG 5100.7 §6.9.50). Nil where it is not a valid size.
    init?(_ size: IPPCollection) {
        guard let widths = size["x-dimension"]?.range?.closed, let lengths = size["y-dimension"]?.range?.closed,
            widths.lowerBound > 0, lengths.upperBound > 0
        else { return nil }
        // Rolls are listed with lengths from 0 on.
        self.init(
            Int(widths.lowerBound)...Int(widths.upperBound), max(Int(lengths.lowerBound), 1)...Int(lengths.upperBound))
    }

    /// Reads a `media-col` of a loaded medium.
    init?(loaded medium: IPPCollection) {
        guard let size = medium["media-size"]?.collection else { return nil }
        self.init(size)
        margins = RollMedia.marginNames.compactMap { name in
            medium[name]?.integer.flatMap { $0 >= 0 ? IPPAttribute(name, .integer($0)) : nil }
        }
    }

    /// Reads media names. `custom_min_…` and `custom_max_…`, or `roll_min_…` and `roll_max_…`, are a range's ends (PWG
    /// 5101.1 §5.3).
    static func named(_ names: some Collection<String>) -> [RollSize] {
        var ends: [String: PWGMediaSize] = [:]
        var sizes: [RollSize] = []
        for name in names {
            guard let size = PWGMediaSize(mediaName: name), let (width, length) = hundredths(size) else { continue }
            if let end = ["custom_min", "custom_max", "roll_min", "roll_max"].first(where: { name.hasPrefix("\($0)_") })
            {
                ends[end] = size
            } else {
                sizes.append(RollSize(width...width, length...length, name: name))
            }
        }
        for kind in ["roll", "custom"] {
            guard let (minimumWidth, minimumLength) = ends["\(kind)_min"].flatMap(hundredths),
                let (maximumWidth, maximumLength) = ends["\(kind)_max"].flatMap(hundredths),
                minimumWidth <= maximumWidth, minimumLength <= maximumLength
            else { continue }
            sizes.append(RollSize(minimumWidth...maximumWidth, minimumLength...maximumLength))
        }
        return sizes
    }

    private static func hundredths(_ size: PWGMediaSize) -> (width: Int, length: Int)? {
        guard let width = Int(exactly: (size.width * 100).rounded()),
            let length = Int(exactly: (size.height * 100).rounded()), width > 0, length > 0
        else { return nil }
        return (width, length)
    }

    static func millimetres(_ hundredths: Int) -> String {
        let rest = hundredths % 100
        let decimals = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)"
        return "\(hundredths / 100)\(decimals)"
    }

    var isRange: Bool { widths.count > 1 || lengths.count > 1 }
    /// The greatest.
    var width: Int { widths.upperBound }
    func isWider(than page: RollPage) -> Bool { width >= page.width }

    /// The size nearest to the page; nil where the page is for another roll.
    func fit(_ page: RollPage) -> Fit? {
        let fit = Fit(
            page: page, width: min(max(page.width, widths.lowerBound), widths.upperBound),
            length: min(max(page.length, lengths.lowerBound), lengths.upperBound))
        return abs(fit.width - page.width) <= Fit.similarWidth ? fit : nil
    }

    /// The nearest size to a page within a listed size or range.
    struct Fit: Comparable {
        let page: RollPage
        let width: Int
        let length: Int

        /// The roll's width counts first, then that nothing is cut off, then that little paper is wasted.
        static func < (one: Fit, other: Fit) -> Bool { one.distance < other.distance }

        private var distance: (Int, Int, Int) {
            let widthDifference = abs(width - page.width)
            return (
                widthDifference <= Self.sameWidth ? 0 : widthDifference, length < page.length ? 1 : 0,
                abs(length - page.length)
            )
        }

        /// A roll of 80 mm may be listed as 79.5 mm or 80.
        private static let sameWidth = 100
        /// A greater difference means another roll.
        static let similarWidth = 1_000

        /// Says how the size differs from the page; nil where it does not.
        var remark: String? {
            guard abs(width - page.width) > Self.sameWidth || length != page.length else { return nil }
            let end = length < page.length ? ", and what is longer may be missing" : ""
            return
                "the printer accepts no page of \(Self.text(page.width, page.length)): it was asked for \(Self.text(width, length))\(end)"
        }

        private static func text(_ width: Int, _ length: Int) -> String {
            "\(millimetres(width)) × \(millimetres(length)) mm"
        }
    }
}
