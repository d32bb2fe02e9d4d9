import KioskPageEncoding
import KioskPrintModel
import KioskSimulatedPaper
import KioskTestSupport
import Testing

/// PWG and Apple Raster, read by the simulated printer's reader, which shares no code with the encoder.
@Suite struct RasterDocumentTests {
    @Test(
        arguments: [
            // A row repeated; runs; literals; a literal that ends at a pair; a single byte at the end.
            ([[1, 1, 1], [1, 1, 1]], [1, 2, 1]), ([[1, 2, 3]], [0, 254, 1, 2, 3]),
            ([[1, 2, 2, 2, 3, 4]], [0, 0, 1, 2, 2, 255, 3, 4]), ([[7], [7], [8]], [1, 0, 7, 0, 0, 8]),
            ([[1, 1, 2]], [0, 1, 1, 0, 2]), ([[1, 2, 1, 1]], [0, 255, 1, 2, 1, 1]),
            ([[UInt8](repeating: 9, count: 129)], [0, 127, 9, 0, 9]),
            ([[UInt8](repeating: 9, count: 130)], [0, 127, 9, 1, 9]),
        ] as [([[UInt8]], [UInt8])])
    func `rows of bytes are packed`(_ rows: [[UInt8]], _ packed: [UInt8]) throws {
        let page = RasterPage(width: rows[0].count, height: rows.count, dpi: 300, color: .gray8)
        let bytes = try encoded([TestSide(page, rows: rows.flatMap(\.self))], RasterDocument(.appleRaster))
        #expect(Array(bytes.dropFirst(44)) == packed)
    }

    @Test(
        arguments: [
            ([1, 2, 3, 1, 2, 3], [0, 1, 1, 2, 3]), ([1, 2, 3, 1, 2, 4], [0, 255, 1, 2, 3, 1, 2, 4]),
            ([0, 0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 0, 0, 0]),
            ([5, 5, 5, 5, 5, 6, 5, 6, 5], [0, 254, 5, 5, 5, 5, 5, 6, 5, 6, 5]),
        ] as [([UInt8], [UInt8])])
    func `rows of colours are packed by pixels`(_ row: [UInt8], _ packed: [UInt8]) throws {
        let page = RasterPage(width: row.count / 3, height: 1, dpi: 300, color: .rgb24)
        let bytes = try encoded([TestSide(page, rows: row)], RasterDocument(.appleRaster))
        #expect(Array(bytes.dropFirst(44)) == packed)
    }

    @Test func `at most 256 equal rows are one`() throws {
        let page = RasterPage(width: 1, height: 600, dpi: 300, color: .gray8)
        let side = TestSide(page, rows: [UInt8](repeating: 0xFF, count: 600))
        let bytes = try encoded([side], RasterDocument(.appleRaster), band: 100)
        #expect(Array(bytes.dropFirst(44)) == [255, 0, 0xFF, 255, 0, 0xFF, 87, 0, 0xFF])
    }

    private static func sheet() -> RasterPage {
        var page = RasterPage(width: 2480, height: 3507, dpi: 300, color: .rgb24)
        page.mediaName = "iso_a4_210x297mm"
        (page.paperWidth, page.paperHeight) = (21_000, 29_700)
        page.sides = .twoSidedShortEdge
        page.isBack = true
        (page.crossFeedTransform, page.feedTransform) = (-1, 1)
        page.quality = .high
        page.sideCount = 12
        page.imageBox = DotRectangle(left: 50, top: 60, right: 2400, bottom: 3400)
        page.mediaSource = "tray-2"
        page.mediaType = "labels"
        page.contentOptimize = "photo"
        page.renderingIntent = "perceptual"
        return page
    }

    @Test func `the PWG header has every field at its place`() throws {
        let page = Self.sheet()
        var encoder = PageEncoder(RasterDocument(.pwgRaster, sideCount: 12))
        var bytes: [UInt8] = []
        encoder.begin(into: &bytes)
        try encoder.beginSide(page, into: &bytes)
        var expected = [UInt8](repeating: 0, count: 1796)
        func set(_ text: String, _ offset: Int) {
            expected.replaceSubrange(offset..<offset + text.utf8.count, with: Array(text.utf8))
        }
        func set(_ values: [UInt32], _ offset: Int) {
            let bytes = values.flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
            expected.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        set("PwgRaster", 0)
        set("labels", 128)
        set("photo", 192)
        // Duplex, HWResolution, MediaPosition, NumCopies, PageSize, Tumble.
        set([1, 300, 300], 272)
        set([21], 324)
        set([1], 340)
        set([595, 842], 352)
        // Tumble, Width, Height.
        set([1, 2480, 3507], 368)
        // BitsPerColor, BitsPerPixel, BytesPerLine, ColorOrder, ColorSpace, NumColors.
        set([8, 24, 7440, 0, 19], 384)
        set([3], 420)
        set([Float(595).bitPattern, Float(842).bitPattern], 428)
        // TotalPageCount, CrossFeedTransform, FeedTransform, ImageBox, AlternatePrimary, PrintQuality.
        set([12, 0xFFFF_FFFF, 1, 50, 60, 2400, 3400, 0xFF_FFFF, 5], 452)
        set("perceptual", 1668)
        set("iso_a4_210x297mm", 1732)
        #expect(bytes == Array("RaS2".utf8) + expected)
    }

    @Test func `the Apple Raster header has every field at its place`() throws {
        var encoder = PageEncoder(RasterDocument(.appleRaster, sideCount: 12))
        var bytes: [UInt8] = []
        encoder.begin(into: &bytes)
        try encoder.beginSide(Self.sheet(), into: &bytes)
        let page: [UInt8] =
            [24, 1, 2, 5, 5, 21] + [UInt8](repeating: 0, count: 6) + [0, 0, 0x09, 0xB0, 0, 0, 0x0D, 0xB3, 0, 0, 1, 44]
            + [UInt8](repeating: 0, count: 8)
        #expect(bytes == Array("UNIRAST\0\0\0\0\u{0C}".utf8) + page)
    }

    @Test(arguments: [
        (Ticket.Sides.oneSided, UInt8(1)), (.twoSidedShortEdge, 2), (.twoSidedLongEdge, 3),
    ])
    func `Apple Raster numbers the sides`(_ sides: Ticket.Sides, _ number: UInt8) throws {
        var page = RasterPage(width: 1, height: 1, dpi: 300, color: .gray8)
        page.sides = sides
        #expect(try encoded([TestSide(page, seed: 1)], RasterDocument(.appleRaster))[14] == number)
    }

    @Test func `names longer than their fields are cut`() throws {
        var page = Self.sheet()
        (page.width, page.height) = (1, 1)
        page.mediaName = String(repeating: "n", count: 300)
        page.mediaType = String(repeating: "t", count: 64)
        let bytes = try encoded([TestSide(page, seed: 1)], RasterDocument(.pwgRaster))
        let (sides, fault) = RasterReader.sides(bytes, as: .pwg)
        #expect(fault == nil)
        #expect(sides[0].header.mediaName == String(repeating: "n", count: 63))
        #expect(sides[0].header.mediaType == String(repeating: "t", count: 63))
    }

    private static let formats: [(PageLanguage, PageColor)] = [
        (.pwgRaster, .black1), (.pwgRaster, .gray8), (.pwgRaster, .rgb24), (.appleRaster, .gray8),
        (.appleRaster, .rgb24),
    ]

    @Test(arguments: formats)
    func `random pages of every width come back`(_ language: PageLanguage, _ color: PageColor) throws {
        var random = SeededRandom(UInt64(color.rawValue))
        let widths = Array(1...40) + (0..<rounds(12, long: 400)).map { _ in Int.random(in: 1...5000, using: &random) }
        for width in widths {
            let height = Int.random(in: 1...20, using: &random)
            let page = RasterPage(width: width, height: height, dpi: 203, color: color)
            let sides = (0..<2).map { _ in TestSide(page, seed: random.next()) }
            let band = Int.random(in: 1...20, using: &random)
            let bytes = try encoded(sides, RasterDocument(language, sideCount: 2), band: band, padding: 3)
            let read = RasterReader.sides(bytes, as: language == .pwgRaster ? .pwg : .urf)
            #expect(read.fault == nil, "\(width) × \(height)")
            #expect(same(read.sides.map(\.rows), sides.map(\.rows)), "\(width) × \(height)")
        }
    }

    @Test(arguments: formats)
    func `the simulated printer reads what the header says`(_ language: PageLanguage, _ color: PageColor) throws {
        var page = Self.sheet()
        page.color = color
        page.height = 3
        let bytes = try encoded([TestSide(page, seed: 8)], RasterDocument(language, sideCount: 12))
        let (sides, fault) = RasterReader.sides(bytes, as: language == .pwgRaster ? .pwg : .urf)
        #expect(fault == nil)
        let header = try #require(sides.first).header
        #expect((header.width, header.height, header.dotsPerInch) == (2480, 3, 300))
        #expect((header.isDuplex, header.isTumble) == (true, true))
        #expect((header.pageCount, header.quality, header.mediaPosition) == (12, 5, 21))
        guard language == .pwgRaster else { return }
        #expect((header.crossFeedTransform, header.feedTransform) == (-1, 1))
        #expect(header.imageBox == [50, 60, 2400, 3400])
        #expect(header.pageSize == [595, 842])
        #expect((header.mediaName, header.mediaType) == ("iso_a4_210x297mm", "labels"))
    }
}
