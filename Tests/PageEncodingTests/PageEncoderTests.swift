import KioskPageEncoding
import KioskPrintModel
import KioskTestSupport
import Testing

/// What holds for every language.
@Suite struct PageEncoderTests {
    private static func page(_ color: PageColor, width: Int = 620, height: Int = 100) -> RasterPage {
        var page = RasterPage(width: width, height: height, dpi: 75, color: color)
        (page.paperWidth, page.paperHeight) = (21_000, 29_700)
        return page
    }

    private static let combinations: [(PageLanguage, PageColor)] = PageLanguage.allCases.flatMap { language in
        PageColor.allCases.filter { language.takes($0) }.map { (language, $0) }
    }

    @Test(arguments: combinations)
    func `the bytes do not depend on the bands`(_ language: PageLanguage, _ color: PageColor) throws {
        let sides = [TestSide(Self.page(color, height: 700), seed: 1), TestSide(Self.page(color), seed: 2)]
        let document = RasterDocument(language, sideCount: 2)
        let whole = try encoded(sides, document)
        for (band, padding) in [(1, 0), (3, 1), (255, 0), (256, 8), (257, 64), (10_000, 3)] {
            #expect(same(try encoded(sides, document, band: band, padding: padding), whole), "\(band), \(padding)")
        }
    }

    @Test(arguments: PageLanguage.allCases)
    func `bits beyond the width are ignored`(_ language: PageLanguage) throws {
        guard language.takes(.black1) else { return }
        let side = TestSide(Self.page(.black1, width: 617), seed: 3)
        var noisy = side
        for y in 0..<side.page.height { noisy.rows[(y + 1) * side.page.bytesPerRow - 1] |= 0x05 }
        let document = RasterDocument(language, sideCount: 1)
        #expect(same(try encoded([noisy], document, band: 7), try encoded([side], document)))
    }

    @Test(arguments: PageColor.allCases)
    func `dots are the rows alone`(_ color: PageColor) throws {
        let sides = [4, 5].map { TestSide(Self.page(color, width: 77), seed: $0) }
        #expect(same(try encoded(sides, RasterDocument(.dots), band: 9, padding: 2), sides.flatMap(\.rows)))
    }

    @Test(arguments: [
        (PageLanguage.appleRaster, PageColor.black1), (.pcl5e, .rgb24),
    ])
    func `pixels that a language lacks are refused`(_ language: PageLanguage, _ color: PageColor) throws {
        var encoder = PageEncoder(RasterDocument(language))
        var bytes: [UInt8] = []
        encoder.begin(into: &bytes)
        let error = #expect(throws: PageEncodingError.self) { try encoder.beginSide(Self.page(color), into: &bytes) }
        #expect(error?.code == .unsupported)
    }

    @Test(arguments: [
        (0, 1, 300), (1, 0, 300), (-1, 5, 300), (5, -1, 300), (Int.max, 1, 300), (1, Int.max, 300), (1, 1, 0),
        (1, 1, -300), (1, 1, Int.max), (Int.min, 1, 300),
    ])
    func `sizes that no printer has are refused`(_ width: Int, _ height: Int, _ dpi: Int) {
        for language in PageLanguage.allCases {
            var encoder = PageEncoder(RasterDocument(language))
            var bytes: [UInt8] = []
            encoder.begin(into: &bytes)
            let page = RasterPage(width: width, height: height, dpi: dpi, color: .gray8)
            let error = #expect(throws: PageEncodingError.self) { try encoder.beginSide(page, into: &bytes) }
            #expect(error?.code == .invalidSize)
        }
    }

    @Test(arguments: [
        (0, 10), (9, 10), (11, 10), (16, 10), (24, 10), (-1, 10), (Int.max, 10), (Int.min, 10),
    ])
    func `rows that are not whole are refused`(_ rowBytes: Int, _ width: Int) throws {
        // 25 bytes are two rows of 10 with 5 bytes between them, and not at these distances.
        let rows = [UInt8](repeating: 0, count: 25)
        var encoder = PageEncoder(RasterDocument(.pwgRaster))
        var bytes: [UInt8] = []
        encoder.begin(into: &bytes)
        try encoder.beginSide(Self.page(.gray8, width: width, height: 100), into: &bytes)
        let error = #expect(throws: PageEncodingError.self) {
            try encoder.append(rows.span, rowBytes: rowBytes, into: &bytes)
        }
        #expect(error?.code == .wrongRows)
        try encoder.append(rows.span, rowBytes: 15, into: &bytes)
        try encoder.append([UInt8]().span, rowBytes: 10, into: &bytes)
    }

    @Test(arguments: PageLanguage.allCases)
    func `more rows than the page has and fewer are refused`(_ language: PageLanguage) throws {
        let side = TestSide(Self.page(.gray8), seed: 6)
        var encoder = PageEncoder(RasterDocument(language))
        var bytes: [UInt8] = []
        encoder.begin(into: &bytes)
        try encoder.beginSide(side.page, into: &bytes)
        let length = side.page.bytesPerRow
        try encoder.append(side.rows.span.extracting(0..<99 * length), rowBytes: length, into: &bytes)
        let missing = #expect(throws: PageEncodingError.self) { try encoder.endSide(into: &bytes) }
        #expect(missing?.code == .wrongRows)
        let surplus = #expect(throws: PageEncodingError.self) {
            try encoder.append(side.rows.span.extracting(0..<2 * length), rowBytes: length, into: &bytes)
        }
        #expect(surplus?.code == .wrongRows)
        try encoder.append(side.rows.span.extracting(99 * length..<100 * length), rowBytes: length, into: &bytes)
        try encoder.endSide(into: &bytes)
        try encoder.end(into: &bytes)
        #expect(same(bytes, try encoded([side], RasterDocument(language))))
    }

    @Test func `calls out of order are refused`() throws {
        let side = TestSide(Self.page(.gray8, height: 1), seed: 7)
        var encoder = PageEncoder(RasterDocument(.pwgRaster))
        var bytes: [UInt8] = []
        func refused(_ call: (inout PageEncoder, inout [UInt8]) throws -> Void) {
            let before = bytes
            let error = #expect(throws: PageEncodingError.self) { try call(&encoder, &bytes) }
            #expect(error?.code == .wrongOrder)
            #expect(bytes == before)
        }
        refused { try $0.beginSide(side.page, into: &$1) }
        encoder.begin(into: &bytes)
        encoder.begin(into: &bytes)
        #expect(bytes == Array("RaS2".utf8))
        refused { try $0.endSide(into: &$1) }
        refused { try $0.append(side.rows.span, rowBytes: side.rows.count, into: &$1) }
        try encoder.beginSide(side.page, into: &bytes)
        refused { try $0.beginSide(side.page, into: &$1) }
        refused { try $0.end(into: &$1) }
        try encoder.append(side.rows.span, rowBytes: side.rows.count, into: &bytes)
        try encoder.endSide(into: &bytes)
        try encoder.end(into: &bytes)
        refused { try $0.beginSide(side.page, into: &$1) }
        refused { try $0.end(into: &$1) }
    }

    /// The values come from the daemon, but nothing of them is to end the process that draws.
    @Test(arguments: PageLanguage.allCases)
    func `no value of a page traps`(_ language: PageLanguage) throws {
        var random = SeededRandom(UInt64(language.rawValue))
        func number() -> Int {
            [0, 1, -1, 2, 75, 300, 620, 876, 100_000, Int(Int32.max), Int.max, Int.min].randomElement(using: &random)!
        }
        func text() -> String? {
            ["", "iso_a4_210x297mm", "(\\", "\0\u{1B}E", String(repeating: "ü", count: 200), nil].randomElement(
                using: &random)!
        }
        var encodedCount = 0
        for _ in 0..<rounds(3000, long: 200_000) {
            var document = RasterDocument(language, sideCount: number())
            document.copies = number()
            document.jobName = text()
            document.usesPJL = Bool.random(using: &random)
            var page = RasterPage(
                width: [620, number()].randomElement(using: &random)!,
                height: [40, 876, number()].randomElement(using: &random)!,
                dpi: [75, number()].randomElement(using: &random)!,
                color: PageColor.allCases.randomElement(using: &random)!)
            (page.paperWidth, page.paperHeight) = (
                [21_000, number()].randomElement(using: &random)!, [29_700, number()].randomElement(using: &random)!
            )
            (page.crossFeedTransform, page.feedTransform, page.sideCount) = (number(), number(), number())
            page.imageBox = DotRectangle(left: number(), top: number(), right: number(), bottom: number())
            page.margins = Medium.Margins(top: number(), left: number(), bottom: number(), right: number())
            (page.mediaName, page.mediaType, page.mediaSource) = (text(), text(), text())
            (page.contentOptimize, page.renderingIntent) = (text(), text())
            page.sides = Ticket.Sides.allCases.randomElement(using: &random)!
            page.isBack = Bool.random(using: &random)
            var encoder = PageEncoder(document)
            var bytes: [UInt8] = []
            encoder.begin(into: &bytes)
            guard (try? encoder.beginSide(page, into: &bytes)) != nil else { continue }
            let row = [UInt8](repeating: 0x5A, count: page.bytesPerRow)
            try encoder.append(row.span, rowBytes: row.count, into: &bytes)
            encodedCount += 1
        }
        #expect(encodedCount > 20)
    }

    @Test func `rectangles of any edges have a size`() {
        let edges = [Int.min, -1, 0, 1, Int.max]
        for (left, right) in edges.flatMap({ left in edges.map { (left, $0) } }) {
            let rectangle = DotRectangle(left: left, top: right, right: right, bottom: left)
            #expect(rectangle.width >= 0 && rectangle.height >= 0)
            #expect((rectangle.width == 0) == (right <= left) && rectangle.isEmpty)
        }
    }
}
