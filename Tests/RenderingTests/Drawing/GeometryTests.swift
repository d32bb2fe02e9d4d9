import KioskPageEncoding
import KioskRenderingMessages
import KioskTestSupport
import Testing

/// Where pages are drawn.
@Suite(.enabled(if: Renderer.isComplete)) struct GeometryTests {
    /// A page of 100.9 × 200.9 points with a black rectangle of 10 × 20 points, 30 from the left and 40 from the top.
    private static let page: [UInt8] = {
        var pdf = PDFWriter()
        pdf.addPage(width: 100.9, height: 200.9, "30 140.9 10 20 re f")
        return pdf.bytes
    }()

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var matrix: PageMatrix
        /// Left, top, right, bottom.
        var box: [Int]
        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "as it is", matrix: PageMatrix(1, 0, 0, 1, 0, 0), box: [30, 40, 40, 60]),
        Case(name: "ten times as large", matrix: PageMatrix(10, 0, 0, 10, 0, 0), box: [300, 400, 400, 600]),
        Case(name: "moved", matrix: PageMatrix(2, 0, 0, 2, 100, 50), box: [160, 130, 180, 170]),
        Case(name: "turned by 90° clockwise", matrix: PageMatrix(0, 2, -2, 0, 500, 10), box: [380, 70, 420, 90]),
        Case(name: "turned by 180°", matrix: PageMatrix(-2, 0, 0, -2, 500, 600), box: [420, 480, 440, 520]),
        Case(name: "mirrored", matrix: PageMatrix(-2, 0, 0, 2, 500, 0), box: [420, 80, 440, 120]),
        Case(name: "upside-down", matrix: PageMatrix(2, 0, 0, -2, 0, 600), box: [60, 480, 80, 520]),
        Case(name: "stretched", matrix: PageMatrix(3, 0, 0, 1, 0, 0), box: [90, 40, 120, 60]),
    ])
    func `a page is where its matrix says`(_ row: Case) async throws {
        for color in PageColor.allCases {
            var side = SideDrawing.page(width: 503, height: 701, color: color)
            side.cells[0].matrix = row.matrix
            let drawn = try await Renderer.draw(Self.page, side)
            #expect(drawn.isComplete)
            #expect(
                drawn.darkBox
                    == DotRectangle(left: row.box[0], top: row.box[1], right: row.box[2], bottom: row.box[3]),
                "\(color)")
        }
    }

    @Test(arguments: [
        (0, [15, 130, 25, 150]), (90, [40, 15, 60, 25]), (180, [55, 40, 65, 60]), (270, [130, 55, 150, 65]),
    ])
    func `CropBox and Rotate are heeded`(_ rotation: Int, _ box: [Int]) async throws {
        var pdf = PDFWriter()
        pdf.addPage(width: 300, height: 400, "25 60 10 20 re f", "/CropBox [10 20 90 210] /Rotate \(rotation)")
        let drawn = try await Renderer.draw(pdf.bytes, .page(width: 250, height: 250))
        #expect(drawn.darkBox == DotRectangle(left: box[0], top: box[1], right: box[2], bottom: box[3]))
    }

    @Test func `nothing is drawn outside of a cell, and cells show their pages`() async throws {
        var pdf = PDFWriter()
        pdf.addPage(width: 100, height: 100, "0 0 1000 1000 re f")
        pdf.addPage(width: 100, height: 100, "1 0 0 rg 0 0 1000 1000 re f")
        var side = SideDrawing.page(width: 200, height: 100, color: .rgb24)
        side.cells[0].clip = DotRectangle(left: 10, top: 10, right: 90, bottom: 90)
        side.cells.append(
            PageDrawing(
                page: 1, matrix: PageMatrix(1, 0, 0, 1, 100, 0),
                clip: DotRectangle(left: 110, top: 10, right: 190, bottom: 90)))
        side.frames = [
            SideDrawing.Frame(DotRectangle(left: 105, top: 5, right: 195, bottom: 95), lineWidth: 2)
        ]
        let drawn = try await Renderer.draw(pdf.bytes, side)
        #expect(drawn.pixel(9, 50) == [255, 255, 255] && drawn.pixel(10, 50) == [0, 0, 0])
        #expect(drawn.pixel(89, 89) == [0, 0, 0] && drawn.pixel(90, 89) == [255, 255, 255])
        #expect(drawn.pixel(110, 10) == [255, 0, 0] && drawn.pixel(189, 89) == [255, 0, 0])
        for (x, y) in [(105, 5), (106, 50), (194, 94), (150, 6), (150, 93)] { #expect(drawn.pixel(x, y) == [0, 0, 0]) }
        for (x, y) in [(107, 50), (192, 50), (150, 7), (150, 92), (104, 50), (195, 50)] {
            #expect(drawn.pixel(x, y) == [255, 255, 255])
        }
    }
}
