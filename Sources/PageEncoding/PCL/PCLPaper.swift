/// A paper size that PCL has a number for.
struct PCLPaper: Hashable, Sendable {
    /// The parameter of `ESC & l # A`.
    var number: Int
    /// The value of PJL's PAPER; nil where it has none.
    var pjlName: String?
    /// The extents in hundredths of a millimetre.
    var width: Int
    var height: Int
    /// The unaddressable border at the left and the right of an upright page, in 300ths of an inch: the logical page
    /// lies between ("PCL 5 Printer Language Technical Reference Manual", chapter 2, "Logical Page").
    var sideBorder: Int

    /// The sizes of the manual's chapter 5 ("Page Size Command"), and those that later printers have added.
    private static let known = [
        PCLPaper(1, "EXECUTIVE", 18_415, 26_670, 75), PCLPaper(2, "LETTER", 21_590, 27_940, 75),
        PCLPaper(3, "LEGAL", 21_590, 35_560, 75), PCLPaper(6, "LEDGER", 27_940, 43_180, 75),
        PCLPaper(10, nil, 21_590, 33_020, 75), PCLPaper(24, "A6", 10_500, 14_800, 71),
        PCLPaper(25, "A5", 14_800, 21_000, 71), PCLPaper(26, "A4", 21_000, 29_700, 71),
        PCLPaper(27, "A3", 29_700, 42_000, 71), PCLPaper(45, "JISB5", 18_200, 25_700, 71),
        PCLPaper(46, "JISB4", 25_700, 36_400, 71), PCLPaper(71, "JPOST", 10_000, 14_800, 71),
        PCLPaper(72, "JPOSTD", 14_800, 20_000, 71), PCLPaper(80, "MONARCH", 9_842, 19_050, 75),
        PCLPaper(81, "COM10", 10_477, 24_130, 75), PCLPaper(90, "DL", 11_000, 22_000, 71),
        PCLPaper(91, "C5", 16_200, 22_900, 71), PCLPaper(100, "B5", 17_600, 25_000, 71),
    ]

    /// A larger difference is another size: hundredths of a millimetre.
    private static let tolerance = 100

    private init(_ number: Int, _ pjlName: String?, _ width: Int, _ height: Int, _ sideBorder: Int) {
        self.number = number
        self.pjlName = pjlName
        self.width = width
        self.height = height
        self.sideBorder = sideBorder
    }

    /// The size of a page's paper.
    init(of page: RasterPage) throws(PageEncodingError) {
        let width = page.paperWidth > 0 ? page.paperWidth : page.width * 2540 / page.dpi
        let height = page.paperHeight > 0 ? page.paperHeight : page.height * 2540 / page.dpi
        func distance(_ paper: PCLPaper) -> Int { max(abs(paper.width - width), abs(paper.height - height)) }
        guard let nearest = Self.known.min(by: { distance($0) < distance($1) }), distance(nearest) <= Self.tolerance
        else {
            throw PageEncodingError(
                .unsupported,
                "PCL has no number for paper of \(width / 100) × \(height / 100) mm; choose a standard size, upright")
        }
        self = nearest
    }
}
