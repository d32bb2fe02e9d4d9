import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskPageEncoding

@Suite struct PostScriptEncoderTests {
    private static func page(
        _ color: PageColor, sides: Ticket.Sides = .oneSided, isBack: Bool = false, width: Int = 620,
        height: Int = 876, dpi: Int = 75, paper: (Int, Int) = (21_000, 29_700)
    ) -> RasterPage {
        var page = RasterPage(width: width, height: height, dpi: dpi, color: color)
        (page.paperWidth, page.paperHeight) = paper
        page.sides = sides
        page.isBack = isBack
        return page
    }

    /// The pages that Ghostscript draws, as rows of colours: its device for grey loses the lowest bit of dark tones.
    private static func drawn(_ bytes: [UInt8], dpi: Int) async throws -> [Picture] {
        let folder = try TemporaryFolder("postscript")
        let file = try folder.write(bytes, to: "document.ps")
        let program = try InstalledProgram.path("gs", package: "ghostscript")
        let result = try await ChildProcess.run(
            program,
            [
                "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-dUseFastColor=true", "-r\(dpi)",
                "-sDEVICE=ppmraw", "-sOutputFile=\(folder.appending("page-%03d"))", file,
            ])
        guard result.end.isSuccess else {
            throw TestSupportError("gs: \(result.standardOutput) \(result.standardError)")
        }
        #expect(result.standardOutput.isEmpty && result.standardError.isEmpty)
        return try folder.names().filter { $0.hasPrefix("page-") }.map { try Picture(folder.read($0)) }
    }

    /// A PPM file.
    private struct Picture {
        var width: Int
        var height: Int
        var rows: [UInt8]

        init(_ file: [UInt8]) throws {
            var words: [String] = []
            var position = 0
            while words.count < 4 {
                let end = try #require(file[position...].firstIndex { $0 == 0x0A || $0 == 0x20 })
                if file[position] == UInt8(ascii: "#") {
                    position = try #require(file[position...].firstIndex(of: 0x0A)) + 1
                    continue
                }
                words.append(String(decoding: file[position..<end], as: UTF8.self))
                position = end + 1
            }
            width = try #require(Int(words[1]))
            height = try #require(Int(words[2]))
            rows = Array(file[position...])
        }
    }

    /// The colours of a side's dots.
    private static func pixels(_ side: TestSide) -> [UInt8] {
        switch side.page.color {
        case .rgb24: side.rows
        case .gray8: side.rows.flatMap { [$0, $0, $0] }
        case .black1:
            (0..<side.page.height).flatMap { y in
                (0..<side.page.width * 3).map { side.isBlack($0 / 3, y) ? 0 : 0xFF }
            }
        }
    }

    @Test(arguments: PageColor.allCases, [false, true])
    func `Ghostscript draws every pixel`(_ color: PageColor, _ isEightBitClean: Bool) async throws {
        let sides = [(false, 31), (true, 32)].map { isBack, seed in
            TestSide(Self.page(color, sides: .twoSidedLongEdge, isBack: isBack), seed: UInt64(seed))
        }
        var document = RasterDocument(.postScript, sideCount: 2)
        document.isEightBitClean = isEightBitClean
        let bytes = try encoded(sides, document, band: 100, padding: 3)
        if !isEightBitClean { #expect(bytes.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) }) }
        let pages = try await Self.drawn(bytes, dpi: 75)
        #expect(pages.count == 2)
        for (page, side) in zip(pages, sides) {
            // The sheet has 876.97 rows.
            #expect((page.width, page.height) == (620, 877))
            let expected = Self.pixels(side)
            #expect(same(Array(page.rows.prefix(expected.count)), expected))
            #expect(page.rows.dropFirst(expected.count).allSatisfy { $0 == 0xFF })
        }
    }

    @Test(arguments: [
        (1748, 2480, 300, (14_800, 21_000)), (1275, 1650, 150, (21_590, 27_940)), (812, 1218, 203, (10_160, 15_240)),
        (100, 100, 72, (0, 0)),
    ])
    func `sheets of every size lie on whole dots`(
        _ width: Int, _ height: Int, _ dpi: Int, _ paper: (Int, Int)
    ) async throws {
        let page = Self.page(.gray8, width: width, height: height, dpi: dpi, paper: paper)
        let side = TestSide(page, seed: 33)
        let pages = try await Self.drawn(try encoded([side], RasterDocument(.postScript)), dpi: dpi)
        let drawn = try #require(pages.first)
        #expect((width...width + 1).contains(drawn.width) && (height...height + 1).contains(drawn.height))
        let expected = Self.pixels(side)
        let isSame = (0..<height).allSatisfy { y in
            let start = y * drawn.width * 3
            return same(drawn.rows[start..<start + width * 3], expected[y * width * 3..<(y + 1) * width * 3])
        }
        #expect(isSame)
    }

    /// psutils find pages by the comments alone.
    @Test func `a page can be taken out by its comments`() async throws {
        let sides = [41, 42, 43].map { TestSide(Self.page(.gray8, width: 620, height: 876, dpi: 75), seed: $0) }
        let folder = try TemporaryFolder("postscript")
        for count in [0, 3] {
            let file = try folder.write(
                encoded(sides, RasterDocument(.postScript, sideCount: count)), to: "document.ps")
            let program = try InstalledProgram.path("psselect", package: "psutils")
            let result = try await ChildProcess.run(program, ["-q", "-p2", file, folder.appending("second.ps")])
            #expect(result.end.isSuccess, "\(result.standardError)")
            let pages = try await Self.drawn(try folder.read("second.ps"), dpi: 75)
            #expect(pages.count == 1)
            #expect(same(pages.first.map { Array($0.rows.prefix(620 * 876 * 3)) }, Self.pixels(sides[1])))
        }
    }

    @Test func `the header says what the document needs`() throws {
        var document = RasterDocument(.postScript, sideCount: 1)
        document.usesPJL = true
        document.jobName = "Rechnung (7) \\ für\n%%EOF"
        document.copies = 2
        var page = Self.page(.black1, sides: .twoSidedShortEdge, width: 8, height: 1)
        page.mediaSource = "manual"
        page.dpi = 150
        let side = TestSide(page, rows: [0xA5])
        let text = String(decoding: try encoded([side], document), as: UTF8.self)
        #expect(
            text == """
                \u{1B}%-12345X@PJL\r
                @PJL SET JOBNAME="Rechnung (7) \\ f?r?%%EOF"\r
                @PJL ENTER LANGUAGE=POSTSCRIPT\r
                %!PS-Adobe-3.0
                %%Title: (Rechnung \\(7\\) \\\\ f?r?%%EOF)
                %%BoundingBox: 0 0 596 842
                %%LanguageLevel: 2
                %%DocumentData: Clean7Bit
                %%Pages: 1
                %%PageOrder: Ascend
                %%Orientation: Portrait
                %%Requirements: numcopies(2) collate duplex(tumble)
                %%EndComments
                %%BeginSetup
                [{<</NumCopies 2>>setpagedevice}stopped cleartomark
                [{<</Collate true>>setpagedevice}stopped cleartomark
                %%EndSetup
                %%Page: 1 1
                %%BeginPageSetup
                [{<</PageSize[595.28 841.89]/ImagingBBox null>>setpagedevice}stopped cleartomark
                [{<</ManualFeed true>>setpagedevice}stopped cleartomark
                [{<</Duplex true/Tumble true>>setpagedevice}stopped cleartomark
                %%EndPageSetup
                save
                0 841.89 transform round exch round exch itransform translate
                72 150 div dup neg scale
                /DeviceGray setcolorspace
                {/A currentfile/ASCII85Decode filter def/R A/RunLengthDecode filter def
                <</ImageType 1/Width 8/Height 1/BitsPerComponent 1/Decode[1 0]
                /ImageMatrix[1 0 0 1 0 0]/DataSource R>>image R flushfile A flushfile}exec
                !2Y2~>
                restore
                showpage
                %%Trailer
                %%EOF
                \u{1B}%-12345X
                """)
    }

    /// Where the page device is set, a new sheet begins.
    @Test func `a back side sets up no sheet`() throws {
        let sides = [false, true, false, true].map {
            TestSide(Self.page(.gray8, sides: .twoSidedLongEdge, isBack: $0, width: 62, height: 87, dpi: 7), seed: 3)
        }
        let text = String(decoding: try encoded(sides, RasterDocument(.postScript, sideCount: 4)), as: UTF8.self)
        #expect(text.components("/PageSize[") == 1)
        #expect(text.components("showpage\n") == 4)
        let changed = sides + [TestSide(Self.page(.gray8, width: 62, height: 87, dpi: 7), seed: 4)]
        let other = String(decoding: try encoded(changed, RasterDocument(.postScript, sideCount: 5)), as: UTF8.self)
        #expect(other.components("/PageSize[") == 2)
        #expect(other.components("/Duplex false") == 1)
    }

    @Test func `no line of data looks like a comment`() {
        var writer = ASCII85Writer()
        var text: [UInt8] = []
        // The first character of each group is "%".
        for _ in 0..<1000 { writer.append([0x0C, 0x80, 0, 0], to: &text) }
        writer.finish(to: &text)
        let lines = text.split(separator: 0x0A)
        #expect(lines.contains { $0.contains(UInt8(ascii: "%")) })
        #expect(lines.allSatisfy { $0.first != UInt8(ascii: "%") && $0.count <= 80 })
    }
}

extension String {
    /// How often a text is in this one.
    fileprivate func components(_ part: String) -> Int {
        var (count, rest) = (0, self[...])
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
