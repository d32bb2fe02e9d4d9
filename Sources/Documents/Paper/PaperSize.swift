import KioskPrintModel

/// A size in hundredths of a millimetre, of a page or of paper.
struct PaperSize: Hashable, Sendable {
    /// The extent across the feed.
    var width: Int
    /// The extent along the feed.
    var height: Int

    /// This size, turned by 90°.
    var turned: PaperSize { PaperSize(width: height, height: width) }

    /// The size for people: `210 × 297 mm`.
    var text: String { "\(MediaName.millimetres(width)) × \(MediaName.millimetres(height)) mm" }

    /// How far the other size lies from this one; nil where an edge differs by more than the tolerance.
    func difference(to other: PaperSize, _ tolerance: Tolerance) -> Int? {
        let (across, along) = (abs(width - other.width), abs(height - other.height))
        return across <= tolerance.across && along <= tolerance.along ? across + along : nil
    }

    /// Whether all of the other size lies on this one, but for what nobody misses.
    func holds(_ other: PaperSize) -> Bool {
        other.width <= width + Tolerance.overhang && other.height <= height + Tolerance.overhang
    }

    /// How much two sizes may differ and still be the same, in hundredths of a millimetre.
    struct Tolerance: Hashable, Sendable {
        var across: Int
        var along: Int

        /// Names of one size, which vendors round differently: as CUPS's `_PWG_EQUIVALENT` (0.5 mm).
        static let names = Tolerance(across: 50, along: 50)
        /// A page and a sheet: as CUPS's close sizes (5 points). Letter and A4 lie farther apart, as do the ISO and JIS
        /// B sizes.
        static let sheets = Tolerance(across: 176, along: 176)
        /// A page and a label: printers report rolls of 62 mm as 62.2, and of 101.6 mm as 104.
        static let labels = Tolerance(across: 100, along: 200)
        /// How far a page reaches over its sheet, or into its border, and still fits.
        static let overhang = 100
    }
}

extension PaperSize {
    /// The size of a page, which is finite and not larger than `PageSize.edges` allow.
    init(_ page: PageSize) {
        self.init(width: Self.hundredths(page.width), height: Self.hundredths(page.height))
    }

    /// Points to hundredths of a millimetre.
    static func hundredths(_ points: Double) -> Int { Int(unrounded(points).rounded()) }

    /// The same, with its fraction.
    static func unrounded(_ points: Double) -> Double { points * 2540 / 72 }
}

extension Medium {
    /// Its size; the smallest of a range.
    var size: PaperSize { PaperSize(width: width, height: height) }

    /// Whether it stands for a range of sizes. A roll has a range of lengths anyway.
    var isRange: Bool { !isRoll && (maximumWidth ?? width > width || maximumHeight ?? height > height) }

    /// The widths of a range; nil where they are not in order, as a printer may state them.
    var widths: ClosedRange<Int>? {
        let largest = maximumWidth ?? width
        return width <= largest ? width...largest : nil
    }

    /// The size nearest to the wanted one, within the range.
    func nearest(to wanted: PaperSize) -> PaperSize {
        PaperSize(
            width: min(max(wanted.width, width), max(width, maximumWidth ?? width)),
            height: min(max(wanted.height, height), max(height, maximumHeight ?? height)))
    }
}
