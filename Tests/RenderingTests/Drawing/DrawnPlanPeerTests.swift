import KioskDocuments
import KioskPageEncoding
import KioskPaperPictures
import KioskPrintModel
import KioskRenderingMessages
import KioskRenderingService
import KioskSimulatedPaper
import KioskTestSupport
import Testing

/// Drawn plans in the printers' languages, read by programs that others wrote: each finds the arrows where they were
/// meant to be.
@Suite(.enabled(if: Renderer.isComplete)) struct DrawnPlanPeerTests {
    private static let fitted = "a4-wide on Letter, scaling=fit"
    private static let rotated =
        "a4 ×4 on A4, scaling=fit, number-up=2, two-sided-long-edge, back=rotated"
    private static let flipped =
        "a4-wide ×2 on A4, scaling=fit, number-up=1, two-sided-short-edge, back=flipped"
    private static let mirrored =
        "a4 ×4 on A4, scaling=fit, number-up=2, two-sided-long-edge, back=flipped"

    /// A row of the golden plans, and how it is sent.
    struct Case: Sendable, CustomTestStringConvertible {
        var title: String
        var language: PageLanguage
        var color: PageColor
        var testDescription: String { "\(title), \(language) \(color)" }

        init(_ title: String, _ language: PageLanguage, _ color: PageColor) {
            (self.title, self.language, self.color) = (title, language, color)
        }

        fileprivate var mediaType: String { language == .pwgRaster ? "image/pwg-raster" : "image/urf" }
    }

    /// A row of the table with its document.
    private struct Drawn {
        var golden: GoldenPlan
        var plan: DocumentPlan
        var document: ArrowDocument
        /// In the printer's language.
        var bytes: [UInt8] = []

        init(_ row: Case) async throws {
            let (language, color) = (row.language, row.color)
            golden = try GoldenPlan.row(row.title)
            plan = try golden.plan()
            document = ArrowDocument(page: try golden.page, count: golden.pageCount)
            let service = try Renderer.service()
            let session = try await service.open(.bytes(document.bytes), as: .pdf)
            let (plan, dpi) = (plan, golden.dpi)
            let encoded = session.render(RasterDocument(language, sideCount: plan.sideCount), sides: plan.sideCount) {
                SideDrawing($0, of: plan, dpi: dpi, color: color)
            }
            for try await part in encoded {
                if case .bytes(let chunk) = part { bytes += chunk }
            }
            await service.shutDown()
        }

        /// The dots of a point of the pages on a side.
        func dotsPerPoint(_ side: Int) -> Double {
            golden.sides[side].cells[0].percent / 100 * Double(golden.dpi) / 72
        }

        /// Checks that each page of a side is found where the plan has it, among the pixels as they are sent, moved by
        /// so many dots.
        func check(
            _ shapes: [DotPicture.Shape], side: Int, tolerance: Double = 1.5, movedBy step: (Double, Double) = (0, 0)
        ) {
            for cell in plan.side(side).cells {
                let own = shapes.filter { shape in
                    let (x, y) = (shape.centre.x + step.0, shape.centre.y + step.1)
                    return x > Double(cell.clip.left) && x < Double(cell.clip.right) && y > Double(cell.clip.top)
                        && y < Double(cell.clip.bottom)
                }
                guard let found = FoundPage(own, of: document, dotsPerPoint: dotsPerPoint(side)) else {
                    Issue.record("page \(cell.page + 1) is not found on side \(side)")
                    continue
                }
                #expect(found.page == cell.page)
                for mark in ArrowDocument.Mark.allCases {
                    let place = document.middle(mark)
                    let meant = cell.matrix.point(x: place.x, y: place.y)
                    let seen = found.marks[mark]?.centre ?? DotPicture.Point(-1, -1)
                    #expect(
                        abs(seen.x + step.0 - meant.x) <= tolerance && abs(seen.y + step.1 - meant.y) <= tolerance,
                        "\(mark) of page \(cell.page + 1) is at \(seen), not at \(meant)")
                }
            }
        }

        /// Checks that each page is found, upright and unmirrored, where its front has it.
        func checkRead(_ shapes: [DotPicture.Shape], side: Int) {
            let front = golden.sides[side].isBack ? side - 1 : side
            for (cell, planned) in zip(golden.sides[front].cells, plan.side(front).cells) {
                let own = shapes.filter { shape in
                    shape.centre.x > Double(cell.clip[0]) && shape.centre.x < Double(cell.clip[2])
                        && shape.centre.y > Double(cell.clip[1]) && shape.centre.y < Double(cell.clip[3])
                }
                guard let found = FoundPage(own, of: document, dotsPerPoint: dotsPerPoint(side)) else {
                    Issue.record("no page is found on side \(side)")
                    continue
                }
                #expect(found.page == planned.page + (side - front) * golden.sides[front].cells.count)
                #expect(!found.isMirrored && found.up == cell.up && found.arrow == cell.up)
            }
        }
    }

    @Test(arguments: [
        Case(fitted, .pwgRaster, .rgb24), Case(rotated, .pwgRaster, .black1), Case(mirrored, .pwgRaster, .gray8),
        Case(flipped, .pwgRaster, .black1), Case(rotated, .appleRaster, .gray8),
        Case(flipped, .appleRaster, .rgb24),
    ])
    func `libcups reads arrows that are right once its header's transforms are undone`(_ row: Case) async throws {
        let drawn = try await Drawn(row)
        let sides = try await RasterPeers.libcups(drawn.bytes)
        #expect(sides.count == drawn.golden.sides.count)
        for (index, side) in sides.enumerated() {
            let (width, height) = (side.picture.width, side.picture.height)
            #expect((width, height) == (drawn.golden.sides[index].width, drawn.golden.sides[index].height))
            #expect(side.isDuplex == (drawn.golden.sheetSides != .oneSided))
            #expect(side.isTumble == (drawn.golden.sheetSides == .twoSidedShortEdge))
            var shapes = side.picture.shapes
            drawn.check(shapes, side: index)
            if row.language == .pwgRaster {
                // PWG 5102.4 §4.2: what was done to the pixels.
                for place in shapes.indices {
                    if side.crossFeedTransform < 0 { shapes[place].mirror(Double(width)) }
                    if side.feedTransform < 0 { shapes[place].mirrorVertically(Double(height)) }
                }
            } else if drawn.golden.sides[index].isBack, let back = drawn.golden.sheetBack {
                shapes = PaperPath(back, drawn.golden.sheetSides).seen(shapes, width: width, height: height)
            }
            drawn.checkRead(shapes, side: index)
        }
    }

    @Test(arguments: [
        Case(fitted, .pwgRaster, .rgb24), Case(rotated, .pwgRaster, .black1), Case(flipped, .pwgRaster, .gray8),
        Case(mirrored, .appleRaster, .gray8),
    ])
    func `rastertopdf makes the same pages of it`(_ row: Case) async throws {
        let drawn = try await Drawn(row)
        // What is installed with CUPS alone.
        guard
            let pages = try await RasterPeers.rasterToPDF(drawn.bytes, row.mediaType, dpi: drawn.golden.dpi)
        else { return }
        #expect(pages.count == drawn.golden.sides.count)
        for (index, page) in pages.enumerated() {
            // The PDF's pages are whole points.
            #expect(abs(page.width - drawn.golden.sides[index].width) <= 5)
            #expect(abs(page.height - drawn.golden.sides[index].height) <= 5)
            drawn.check(page.shapes, side: index, tolerance: 5)
        }
    }

    /// CUPS 2.4.2's turns black into white where there is one bit.
    @Test(arguments: [
        Case(rotated, .pwgRaster, .gray8), Case(flipped, .pwgRaster, .rgb24), Case(mirrored, .appleRaster, .rgb24),
    ])
    func `ippeveps and Ghostscript put them on the same place`(_ row: Case) async throws {
        let drawn = try await Drawn(row)
        let pages = try await RasterPeers.ippeveps(drawn.bytes, row.mediaType, dpi: drawn.golden.dpi)
        #expect(pages.count == drawn.golden.sides.count)
        for (index, page) in pages.enumerated() { drawn.check(page.shapes, side: index, tolerance: 3) }
    }

    /// It takes one bit and grey alone.
    @Test(arguments: [
        Case(rotated, .pwgRaster, .black1), Case(flipped, .pwgRaster, .gray8), Case(mirrored, .appleRaster, .gray8),
    ])
    func `ippevepcl makes PCL with the same dots of it`(_ row: Case) async throws {
        let drawn = try await Drawn(row)
        let pages = try await RasterPeers.ippevepcl(drawn.bytes, row.mediaType)
        #expect(pages.count == drawn.golden.sides.count)
        for (index, page) in pages.enumerated() {
            // CUPS 2.4.2's begins with the first row, and where there is no dithering with the column at the left
            // border.
            let left = row.color == .black1 ? (drawn.golden.sides[index].width - page.width) / 2 : 0
            drawn.check(page.shapes, side: index, tolerance: 3, movedBy: (Double(left), 0))
        }
    }

    @Test(arguments: [
        Case(fitted, .postScript, .black1), Case("letter on A4, scaling=fill", .postScript, .rgb24),
        Case("a4 ×4 on A4, scaling=fit, number-up=2, two-sided-long-edge, back=normal", .postScript, .gray8),
    ])
    func `Ghostscript draws the PostScript with the arrows at their place`(_ row: Case) async throws {
        let drawn = try await Drawn(row)
        let pages = try await RasterPeers.ghostscript(drawn.bytes, dpi: drawn.golden.dpi)
        #expect(pages.count == drawn.golden.sides.count)
        for (index, page) in pages.enumerated() {
            // A dot more or less by rounding the sheet.
            #expect(abs(page.width - drawn.golden.sides[index].width) <= 1)
            #expect(abs(page.height - drawn.golden.sides[index].height) <= 1)
            drawn.check(page.shapes, side: index, tolerance: 2.5)
        }
    }

    @Test(arguments: ["4x6in on label-4x6in", "6x4in on label-4x6in"], [PageColor.black1, .gray8])
    func `LPrint prints it on a label`(_ title: String, _ color: PageColor) async throws {
        let server = try await LPrintServer()
        let drawn = try await Drawn(Case(title, .pwgRaster, color))
        let folder = try TemporaryFolder("label")
        let file = try folder.write(drawn.bytes, to: "label.pwg")
        let result = try await Ipptool.run(
            "print-job.test", on: server.uri, file: file, variables: ["filetype": "image/pwg-raster"])
        #expect(result.end.isSuccess, "\(result.standardOutput)")
        try await eventually("a label") { try Self.label(server) != nil }
        let label = try #require(try Self.label(server))
        var shapes = label.shapes
        // Its printer lays labels out with their feet first.
        let corner = drawn.document.middle(.topLeft)
        let meant = drawn.plan.side(0).cells[0].matrix.point(x: corner.x, y: corner.y)
        let turned = DotPicture.Point(Double(label.width) - meant.x, Double(label.height) - meant.y)
        let isTurned = shapes.contains { shape in
            drawn.document.mark(shape, dotsPerPoint: drawn.dotsPerPoint(0)) == .topLeft
                && shape.centre.distance(to: turned) < 5
        }
        if isTurned {
            for place in shapes.indices {
                shapes[place].mirror(Double(label.width))
                shapes[place].mirrorVertically(Double(label.height))
            }
        }
        drawn.check(shapes, side: 0, tolerance: 3)
    }

    /// The label that it printed whole, as a printer of ZPL lays its dots.
    private static func label(_ server: LPrintServer) throws -> DotPicture? {
        var model = PaperModel()
        model.width = 812
        var printer = try PaperPrinter(model)
        // LPrint leaves the length of labels to the printer.
        let bytes = Array("^XA^LL1218^XZ".utf8) + (try server.output)
        for paper in printer.print(bytes, as: .zpl) {
            let picture = paper.picture
            let tones = (0..<picture.width * picture.height).map { index -> UInt8 in
                picture[index % picture.width, index / picture.width] ? 0 : 0xFF
            }
            // Formats that print nothing delete the picture.
            if tones.contains(0) {
                return try DotPicture(width: picture.width, height: picture.height, tones: tones)
            }
        }
        return nil
    }
}
