import IPPCodec
import PrintModel

/// A size that a printer lists, or all between two, in hundredths of a millimetre.
struct RollSize: Sendable {
    let widths: ClosedRange<Int>
    let lengths: ClosedRange<Int>
    /// PWG 5101.1's, where the printer gave just one size and that by its name.
    private(set) var name: String?
    /// Of what is loaded.
    private(set) var margins: [IPPAttribute] = []

    private init(_ widths: ClosedRange<Int>, _ lengths: ClosedRange<Int>, name: String? = nil) {
        (self.widths, self.lengths, self.name) = (widths, lengths, name)
    }

    /// A `media-size`: numbers or ranges (PWG 5100.7 §6.9.50). Nil for what is no size.
    init?(_ size: IPPCollection) {
        guard let widths = size["x-dimension"]?.range?.closed, let lengths = size["y-dimension"]?.range?.closed,
            widths.lowerBound > 0, lengths.upperBound > 0
        else { return nil }
        // Rolls are listed with lengths from 0 on.
        self.init(
            Int(widths.lowerBound)...Int(widths.upperBound), max(Int(lengths.lowerBound), 1)...Int(lengths.upperBound))
    }

    /// A `media-col` of what is loaded.
    init?(loaded medium: IPPCollection) {
        guard let size = medium["media-size"]?.collection else { return nil }
        self.init(size)
        margins = RollMedia.marginNames.compactMap { name in
            medium[name]?.integer.flatMap { $0 >= 0 ? IPPAttribute(name, .integer($0)) : nil }
        }
    }

    /// Names with sizes. `custom_min_…` and `custom_max_…`, or the same of `roll`, are a range's ends (PWG 5101.1
    /// §5.3).
    static func named(_ names: some Collection<String>) -> [RollSize] {
        var ends: [String: MediaSize] = [:]
        var sizes: [RollSize] = []
        for name in names {
            guard let size = MediaSize(mediaName: name), let (width, length) = hundredths(size) else { continue }
            if let end = ["custom_min", "custom_max", "roll_min", "roll_max"].first(where: { name.hasPrefix("\($0)_") })
            {
                ends[end] = size
            } else {
                sizes.append(RollSize(width...width, length...length, name: name))
            }
        }
        for kind in ["roll", "custom"] {
            guard let (least, shortest) = ends["\(kind)_min"].flatMap(hundredths),
                let (most, longest) = ends["\(kind)_max"].flatMap(hundredths),
                least <= most, shortest <= longest
            else { continue }
            sizes.append(RollSize(least...most, shortest...longest))
        }
        return sizes
    }

    private static func hundredths(_ size: MediaSize) -> (width: Int, length: Int)? {
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
}

extension RollSize {
    /// What of a size comes next to a page.
    struct Fit: Comparable {
        let page: RollPage
        let width: Int
        let length: Int

        /// The roll's width counts first, then that nothing is cut off, then that little is wasted.
        static func < (one: Fit, other: Fit) -> Bool { one.distance < other.distance }

        private var distance: (Int, Int, Int) {
            let aside = abs(width - page.width)
            return (aside <= Self.sameWidth ? 0 : aside, length < page.length ? 1 : 0, abs(length - page.length))
        }

        /// A roll of 80 mm may be called 79.5 mm or 80.
        private static let sameWidth = 100
        /// What is farther away is another roll.
        static let similarWidth = 1_000

        /// Nil where that is the page.
        var remark: String? {
            guard abs(width - page.width) > Self.sameWidth || length != page.length else { return nil }
            let end = length < page.length ? ", and what is longer may be missing" : ""
            return
                "the printer takes no page of \(Self.text(page.width, page.length)): it was asked for \(Self.text(width, length))\(end)"
        }

        private static func text(_ width: Int, _ length: Int) -> String {
            "\(millimetres(width)) × \(millimetres(length)) mm"
        }
    }

    /// Nil where the page is for another roll.
    func fit(_ page: RollPage) -> Fit? {
        let fit = Fit(
            page: page, width: min(max(page.width, widths.lowerBound), widths.upperBound),
            length: min(max(page.length, lengths.lowerBound), lengths.upperBound))
        return abs(fit.width - page.width) <= Fit.similarWidth ? fit : nil
    }
}
