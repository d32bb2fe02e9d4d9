import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskPageEncoding

@Suite struct PCLEncoderTests {
    private static func page(
        _ width: Int, _ height: Int, dpi: Int = 300, color: PageColor = .black1, paper: (Int, Int) = (21_000, 29_700),
        sides: Ticket.Sides = .oneSided, isBack: Bool = false
    ) -> RasterPage {
        var page = RasterPage(width: width, height: height, dpi: dpi, color: color)
        (page.paperWidth, page.paperHeight) = paper
        page.sides = sides
        page.isBack = isBack
        return page
    }

    /// The dots of a side that a printer prints: from `left` on, `width` columns; others are white.
    private static func printed(_ side: TestSide, left: Int, width: Int, rows: Range<Int>) -> [[UInt8]] {
        (0..<rows.upperBound).map { y in
            var row = [UInt8](repeating: 0, count: (width + 7) / 8)
            guard rows.contains(y) else { return row }
            for x in 0..<width where side.isBlack(left + x, y) { row[x >> 3] |= 0x80 >> UInt8(x & 7) }
            return row
        }
    }

    /// The size in dots, the resolution, PCL's number of the size, and the border of the logical page at the left: the
    /// manual's figures for 300 dpi.
    @Test(arguments: [
        (2480, 3507, 300, (21_000, 29_700), 26, 71), (2550, 3300, 300, (21_590, 27_940), 2, 75),
        (637, 1050, 75, (21_590, 35_560), 3, 18), (825, 1275, 75, (27_940, 43_180), 6, 18),
        (877, 1240, 75, (29_700, 42_000), 27, 17), (1748, 2480, 300, (14_800, 21_000), 25, 71),
        (433, 866, 100, (11_000, 22_000), 90, 23), (3496, 4960, 600, (14_800, 21_000), 25, 142),
        (1240, 1753, 150, (21_000, 29_700), 26, 35), (619, 876, 75, (20_990, 29_690), 26, 17),
    ])
    func `dots of the logical page come out, less a sixth of an inch above and below`(
        _ width: Int, _ height: Int, _ dpi: Int, _ paper: (Int, Int), _ number: Int, _ left: Int
    ) throws {
        let side = TestSide(Self.page(width, height, dpi: dpi, paper: paper), seed: UInt64(width))
        let reader = try PCLReader(encoded([side], RasterDocument(.pcl5e, sideCount: 1), band: 1000))
        let page = try #require(reader.pages.first)
        #expect(reader.pages.count == 1)
        #expect((page.size, page.dpi, page.sides, page.copies) == (number, dpi, 0, 1))
        #expect(page.width == width - 2 * left)
        let rows = dpi / 6..<height - dpi / 6
        #expect(same(page.rows, Self.printed(side, left: left, width: width - 2 * left, rows: rows)))
        #expect(page.methods[2] != nil && page.methods[3] != nil, "\(page.methods)")
    }

    @Test func `margins of the printer's own hold instead`() throws {
        var page = Self.page(620, 876, dpi: 75)
        page.margins = Medium.Margins(top: 0, left: 0, bottom: 1000, right: 0)
        let side = TestSide(page, seed: 5)
        let reader = try PCLReader(encoded([side], RasterDocument(.pcl5e)))
        // 10 mm are 29.5 dots.
        #expect(same(reader.pages.map(\.rows), [Self.printed(side, left: 17, width: 586, rows: 0..<846)]))
    }

    @Test(arguments: [300, 600])
    func `grey is screened`(_ dpi: Int) throws {
        let page = Self.page(2480 * dpi / 300, 240, dpi: dpi, color: .gray8)
        let side = TestSide(page, seed: 6)
        let reader = try PCLReader(encoded([side], RasterDocument(.pcl5e), band: 33))
        let (left, width, rows) = (71 * dpi / 300, 2338 * dpi / 300, dpi / 6..<240 - dpi / 6)
        var halftone = Halftone(dpi == 600 ? .clustered : .dispersed, width: width)
        let stride = page.width
        let printable = rows.flatMap { side.rows[$0 * stride + left..<$0 * stride + left + width] }
        var bits: [UInt8] = []
        halftone.append(printable.span, rowBytes: width, into: &bits)
        let length = (width + 7) / 8
        let expected = rows.indices.map {
            Array(bits[($0 - rows.lowerBound) * length..<($0 - rows.lowerBound + 1) * length])
        }
        #expect(reader.pages.count == 1)
        #expect(same(reader.pages.first.map { Array($0.rows.dropFirst(rows.lowerBound)) }, expected))
    }

    private static func sheets(_ sides: Ticket.Sides, _ isBack: [Bool]) -> [TestSide] {
        isBack.enumerated().map { index, isBack in
            TestSide(page(620, 876, dpi: 75, sides: sides, isBack: isBack), seed: UInt64(index))
        }
    }

    @Test(arguments: [
        (Ticket.Sides.oneSided, [false, false], 0), (.twoSidedLongEdge, [false, true, false, true], 1),
        (.twoSidedShortEdge, [false, true, false], 2), (.twoSidedLongEdge, [false], 1),
    ])
    func `sides come out where they belong`(_ sides: Ticket.Sides, _ isBack: [Bool], _ number: Int) throws {
        let document = Self.sheets(sides, isBack)
        let reader = try PCLReader(encoded(document, RasterDocument(.pcl5e, sideCount: isBack.count)))
        #expect(reader.pages.map(\.isBack) == isBack)
        #expect(reader.pages.map(\.sides) == isBack.map { _ in number })
        let expected = document.map { Self.printed($0, left: 17, width: 586, rows: 12..<864) }
        #expect(same(reader.pages.map(\.rows), expected))
    }

    @Test func `a front without a back is followed by an empty back`() throws {
        let reader = try PCLReader(encoded(Self.sheets(.twoSidedLongEdge, [false, false]), RasterDocument(.pcl5e)))
        #expect(reader.pages.map(\.isBack) == [false, false])
    }

    @Test func `white sides come out too`() throws {
        let white = [UInt8](repeating: 0, count: 78 * 876)
        let pages = [false, true].map { Self.page(620, 876, dpi: 75, sides: .twoSidedLongEdge, isBack: $0) }
        let reader = try PCLReader(encoded(pages.map { TestSide($0, rows: white) }, RasterDocument(.pcl5e)))
        #expect(reader.pages.map(\.isBack) == [false, true])
        #expect(reader.pages.allSatisfy { $0.rows.joined().allSatisfy { $0 == 0 } })
        let single = try PCLReader(
            encoded([TestSide(Self.page(620, 876, dpi: 75), rows: white)], RasterDocument(.pcl5e)))
        #expect(single.pages.count == 1)
    }

    @Test(
        arguments: [
            ("main", 1), ("tray-2", 4), ("manual", 2), ("auto", 7), ("envelope", 6), ("roll-1", nil), (nil, nil),
        ] as [(String?, Int?)])
    func `trays have numbers`(_ source: String?, _ number: Int?) throws {
        var page = Self.page(620, 876, dpi: 75)
        page.mediaSource = source
        #expect(
            try PCLReader(encoded([TestSide(page, seed: 1)], RasterDocument(.pcl5e))).pages.map(\.source) == [number])
    }

    @Test func `PJL says what holds for the job, and each copy is asked for once`() throws {
        var document = RasterDocument(.pcl5e, sideCount: 2)
        document.usesPJL = true
        document.jobName = "Bill \"7\" für\u{1B}%-12345X@PJL\r\n"
        document.copies = 3
        let sides = Self.sheets(.twoSidedShortEdge, [false, true])
        let collated = try PCLReader(encoded(sides, document))
        #expect(
            collated.jobLines == [
                "", "SET JOBNAME=\"Bill ?7? f?r?%-12345X@PJL??\"", "SET DUPLEX=ON", "SET BINDING=SHORTEDGE",
                "SET QTY=3", "SET RESOLUTION=75", "SET PAPER=A4", "ENTER LANGUAGE=PCL",
            ])
        #expect(collated.endsLanguage)
        #expect(collated.pages.map(\.copies) == [1, 1])
        document.isCollated = false
        let uncollated = try PCLReader(encoded(sides, document))
        #expect(!uncollated.jobLines.contains { $0.contains("QTY") || $0.contains("COPIES") })
        #expect(uncollated.pages.map(\.copies) == [3, 3])
        document.usesPJL = false
        let plain = try PCLReader(encoded(sides, document))
        #expect(plain.jobLines.isEmpty && !plain.endsLanguage)
        #expect(plain.pages.map(\.copies) == [3, 3])
    }

    @Test(arguments: [
        (21_000, 20_000, 300), (29_700, 21_000, 300), (5_000, 3_000, 300), (21_000, 29_700, 203),
        (21_000, 29_700, 1000),
    ])
    func `sizes and resolutions that PCL lacks are refused`(_ width: Int, _ height: Int, _ dpi: Int) throws {
        let page = Self.page(width * dpi / 2540, height * dpi / 2540, dpi: dpi, paper: (width, height))
        var encoder = PageEncoder(RasterDocument(.pcl5e))
        var bytes: [UInt8] = []
        encoder.begin(into: &bytes)
        let error = #expect(throws: PageEncodingError.self) { try encoder.beginSide(page, into: &bytes) }
        #expect(error?.code == .unsupported)
        #expect(bytes.isEmpty)
    }

    @Test func `rows of every kind come back`() throws {
        var random = SeededRandom(9)
        for round in 0..<rounds(6, long: 200) {
            let page = Self.page(Int.random(in: 610...630, using: &random), 300, dpi: 75)
            let side = TestSide(page, seed: random.next())
            let reader = try PCLReader(encoded([side], RasterDocument(.pcl5e), band: 17, padding: 1))
            let expected = Self.printed(side, left: 17, width: page.width - 34, rows: 12..<288)
            #expect(same(reader.pages.map(\.rows), [expected]), "\(round)")
        }
    }

    @Test func `offsets of changes may be long`() throws {
        let length = 24_000
        var first = [UInt8](repeating: 0x11, count: length)
        let places = [0, 30, 62, 94, 95, 350, 382, 700, 2000, 20_000]
        var rows = PCLRows()
        var bytes: [UInt8] = []
        rows.append(first.span, into: &bytes)
        for place in places { first[place] ^= 0xFF }
        let start = bytes.count
        rows.append(first.span, into: &bytes)
        let change = Array(bytes[start...])
        #expect(change.starts(with: "\u{1B}*b3M\u{1B}*b".utf8))
        let page = Array("\u{1B}E\u{1B}&l26A\u{1B}*t600R\u{1B}*r\(length * 8)S\u{1B}*r2T\u{1B}*r1A".utf8)
        let reader = try PCLReader(page + bytes + Array("\u{1B}*rC\u{0C}".utf8))
        #expect(same(reader.pages.first?.rows.last, first))
    }
}
