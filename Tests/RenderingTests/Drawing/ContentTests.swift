import Foundation
import KioskPageEncoding
import KioskRenderingMessages
import KioskTestSupport
import Testing

@testable import KioskPageRendering

/// What pages show: pictures, forms, annotations, fonts, grey on one-bit heads.
@Suite(.enabled(if: Renderer.isComplete)) struct ContentTests {
    // MARK: Bands

    @Test(arguments: [
        (1_000, [], [0..<160, 160..<320, 320..<480, 480..<640, 640..<800, 800..<960, 960..<1_000]),
        (300, [300..<400], [0..<160, 160..<299, 299..<300]),
        (400, [10..<20, 300..<310], [0..<9, 9..<21, 21..<181, 181..<299, 299..<311, 311..<400]),
        (1_000, [100..<200, 150..<900, 901..<950], [0..<99, 99..<951, 951..<1_000]),
        (9_000, [0..<9_000], [0..<4_096, 4_096..<8_192, 8_192..<9_000]), (10, [-50..<(-20)], [0..<10]),
    ])
    func `pictures are in one band, and all rows in some`(
        _ height: Int, _ pictures: [Range<Int>], _ bands: [Range<Int>]
    ) {
        let rectangles = pictures.map {
            DotRectangle(left: 0, top: $0.lowerBound, right: 9, bottom: $0.upperBound)
        }
        #expect(BandPlan(height: height, stride: 1 << 14, pictures: rectangles).bands == bands)
    }

    /// Drawn once in the bands of the renderer, the second of which begins at row 1,057, and once in sides of other
    /// heights.
    private func drawnTwice(_ content: String) async throws -> (whole: [UInt8], parts: [UInt8]) {
        var pdf = PDFWriter()
        let font = pdf.add("<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>")
        pdf.addPage(content, "/Resources << /Font << /F \(font) 0 R >> >>")
        let (width, part) = (2_480, 400)
        let scale = 300.0 / 72
        let parts = (0..<3).map { index in
            var side = SideDrawing.page(width: width, height: part, scale: scale)
            side.cells[0].matrix.f = Double(-index * part)
            return side
        }
        let whole = SideDrawing.page(width: width, height: 3 * part, scale: scale)
        let drawn = try await Renderer.draw(pdf.bytes, [whole] + parts)
        return (drawn[0].bytes, drawn[1...].flatMap(\.bytes))
    }

    @Test func `text is the same in all bands`() async throws {
        let text = (0..<60).map { "(Hamburgefonstiv \($0)) Tj 7 -13.3 Td" }.joined(separator: "\n")
        let drawn = try await drawnTwice("BT /F 11 Tf 30 810 Td \(text) ET")
        #expect(drawn.whole == drawn.parts)
    }

    /// The edges of sloping lines are rounded anew in each band.
    @Test func `lines do not show where bands meet`() async throws {
        let lines = (0..<40).map { "\($0 * 15) 0 m \(595 - $0 * 7) 842 l S" }.joined(separator: "\n")
        let drawn = try await drawnTwice("0.7 w \(lines)")
        #expect(drawn.whole.count == drawn.parts.count)
        let rows = (1_050 * 2_480)..<(1_064 * 2_480)
        #expect(zip(drawn.whole[rows], drawn.parts[rows]).allSatisfy { abs(Int($0) - Int($1)) <= 4 })
        #expect(drawn.whole[rows].contains(0))
    }

    /// The file is opened anew on the way.
    @Test func `each of many pages is drawn as itself`() async throws {
        var pdf = PDFWriter()
        let count = 600
        for page in 0..<count { pdf.addPage(width: 30, height: 30, "\(page % 25) \(page / 25) 5 5 re f") }
        let sides = (0..<count).map { SideDrawing.page($0, width: 30, height: 30) }
        let drawn = try await Renderer.draw(pdf.bytes, sides)
        for (page, side) in drawn.enumerated() {
            let (left, bottom) = (page % 25, 30 - page / 25)
            #expect(
                side.darkBox == DotRectangle(left: left, top: bottom - 5, right: left + 5, bottom: bottom),
                "page \(page)")
        }
        #expect(drawn.count == count)
    }

    // MARK: Pictures

    private static let picture: [UInt8] = {
        var pdf = PDFWriter()
        // Half black, half white, from left to right.
        let samples = (0..<16).flatMap { _ in (0..<16).map { UInt8($0 < 8 ? 0 : 255) } }
        let image = pdf.addPicture(width: 16, height: 16, samples)
        let inner = pdf.addStream(
            "q 40 0 0 40 0 0 cm /I Do Q".utf8,
            "/Type /XObject /Subtype /Form /BBox [0 0 50 50] /Resources << /XObject << /I \(image) 0 R >> >>")
        pdf.addPage(
            width: 200, height: 200, "q 1 0 0 1 100 50 cm /F Do Q",
            "/Rotate 90 /Resources << /XObject << /F \(inner) 0 R >> >>")
        return pdf.bytes
    }()

    @Test func `a picture inside a form on a turned page is found where it is drawn`() async throws {
        let side = SideDrawing.page(width: 400, height: 400, scale: 2)
        let drawn = try await Renderer.draw(Self.picture, side)
        // Turned clockwise, its left edge is on top.
        let box = try #require(drawn.darkBox)
        #expect(abs(box.left - 100) <= 1 && abs(box.right - 180) <= 1)
        #expect(abs(box.top - 200) <= 1 && abs(box.bottom - 240) <= 1)
    }

    @Test func `pictures are dithered within their bounds, and text and areas are not`() async throws {
        var pdf = PDFWriter()
        let image = pdf.addPicture(width: 1, height: 1, [128])
        let font = pdf.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>")
        pdf.addPage(
            width: 300, height: 200,
            "0.3 g 0 0 100 100 re f 0.7 g 100 0 100 100 re f q 100 0 0 100 200 0 cm /I Do Q"
                + " 0 g BT /F 40 Tf 20 130 Td (Text) Tj ET",
            "/Resources << /XObject << /I \(image) 0 R >> /Font << /F \(font) 0 R >> >>")
        var side = SideDrawing.page(width: 600, height: 400, scale: 2, color: .black1)
        let drawn = try await Renderer.draw(pdf.bytes, side)
        func share(_ columns: Range<Int>, _ rows: Range<Int>) -> Double {
            let dark = rows.reduce(0) { count, y in count + columns.count { drawn.grey($0, y) < 128 } }
            return Double(dark) / Double(columns.count * rows.count)
        }
        #expect(share(2..<198, 202..<398) == 1)
        #expect(share(202..<398, 202..<398) == 0)
        #expect((0.45...0.55).contains(share(402..<598, 202..<398)))
        #expect(share(0..<600, 0..<190) > 0.02)
        // On a head that dithers everything, the areas are grey as well.
        side.halftone = .diffusion
        let grey = try await Renderer.draw(pdf.bytes, side)
        #expect(grey.darkCount != drawn.darkCount)
    }

    @Test(arguments: PageColor.allCases)
    func `the white of a picture that lies askew is white`(_ color: PageColor) async throws {
        var pdf = PDFWriter()
        let picture = pdf.addPicture(width: 100, height: 100, [UInt8](repeating: 255, count: 10_000))
        pdf.addPage(
            width: 100, height: 100, "79.9 4 -4 79.9 10 10 cm /P Do",
            "/Resources << /XObject << /P \(picture) 0 R >> >>")
        let drawn = try await Renderer.draw(pdf.bytes, .page(width: 200, height: 200, scale: 2, color: color))
        #expect(drawn.isComplete && drawn.greys.allSatisfy { $0 == 255 })
    }

    @Test func `text on one-bit heads has no grey to lose`() async throws {
        var pdf = PDFWriter()
        // Modules of a barcode at 203 dpi, none of which is a whole number of dots.
        let bars = stride(from: 0.0, to: 60, by: 2.3).map { "\($0) 0 1.15 40 re f" }.joined(separator: " ")
        pdf.addPage(width: 100, height: 50, bars)
        let scale = 203.0 / 72
        let crisp = SideDrawing.page(width: 280, height: 140, scale: scale, color: .black1)
        let drawn = try await Renderer.draw(pdf.bytes, crisp)
        let row = (0..<180).map { drawn.grey($0, 100) }
        let widths = row.split { $0 == 255 }.map(\.count)
        #expect(widths.count == 27)
        #expect(Set(widths).isSubset(of: [3, 4]), "\(widths)")
    }

    @Test func `colours come in their order`() async throws {
        var pdf = PDFWriter()
        pdf.addPage(width: 30, height: 10, "1 0 0 rg 0 0 10 10 re f 0 1 0 rg 10 0 10 10 re f 0 0 1 rg 20 0 10 10 re f")
        let drawn = try await Renderer.draw(pdf.bytes, .page(width: 30, height: 10, color: .rgb24))
        #expect(drawn.pixel(5, 5) == [255, 0, 0] && drawn.pixel(15, 5) == [0, 255, 0])
        #expect(drawn.pixel(25, 5) == [0, 0, 255])
    }

    // MARK: Forms and annotations

    /// A page with one annotation over its whole width.
    private static func annotated(_ entries: String, _ flags: Int) -> [UInt8] {
        var pdf = PDFWriter()
        let font = pdf.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
        let black = pdf.addStream("0 0 80 20 re f".utf8, "/Type /XObject /Subtype /Form /BBox [0 0 80 20]")
        let annotation = pdf.add(
            "<< /Type /Annot /Rect [10 10 90 30] /F \(flags) \(entries.replacing("BLACK", with: "\(black) 0 R")) >>")
        pdf.catalog =
            "/AcroForm << /Fields [\(annotation) 0 R] /DA (/Helv 12 Tf 0 g) /DR << /Font << /Helv \(font) 0 R >> >> >>"
        pdf.addPage(width: 100, height: 100, "", "/Annots [\(annotation) 0 R]")
        return pdf.bytes
    }

    private static let field = "/Subtype /Widget /FT /Tx /T (a) /V (HELLO) /DA (/Helv 12 Tf 0 g)"

    // Flag 4 is "print", 2 is "hidden" (PDF 2.0 §12.5.3).
    @Test(arguments: [
        ("\(field)", 4, true), ("\(field)", 0, false), ("\(field)", 6, false), ("\(field) /AP << /N BLACK >>", 4, true),
        ("/Subtype /Stamp /AP << /N BLACK >>", 4, true), ("/Subtype /Stamp /AP << /N BLACK >>", 0, false),
        ("/Subtype /Square /C [0 0 0] /IC [0 0 0]", 4, true), ("/Subtype /Link /Border [0 0 1]", 4, false),
        ("/Subtype /Popup /Open true /AP << /N BLACK >>", 4, false),
    ])
    func `form fields and annotations are drawn where they are to be printed`(
        _ entries: String, _ flags: Int, _ isDrawn: Bool
    ) async throws {
        let drawn = try await Renderer.draw(
            Self.annotated(entries, flags), .page(width: 200, height: 200, scale: 2))
        #expect((drawn.darkCount > 0) == isDrawn)
        if let box = drawn.darkBox {
            #expect(box.left >= 19 && box.top >= 139 && box.right <= 181 && box.bottom <= 181)
        }
    }

    // MARK: Fonts

    @Test func `a font that is not embedded is found from inside the sandbox`() async throws {
        var pdf = PDFWriter()
        let descendant = pdf.add(
            "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>"
        )
        let font = pdf.add(
            "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [\(descendant) 0 R] >>"
        )
        // Two ideographs.
        pdf.addPage(
            width: 100, height: 50, "BT /F 40 Tf 5 10 Td <4E2D6587> Tj ET",
            "/Resources << /Font << /F \(font) 0 R >> >>")
        let drawn = try await Renderer.draw(pdf.bytes, .page(width: 100, height: 50))
        let box = try #require(drawn.darkBox)
        #expect(box.width > 60 && box.height > 25)
        #expect(drawn.darkCount > 400)
    }

    // MARK: Another renderer

    @Test func `pages look as another renderer draws them`() async throws {
        var pdf = PDFWriter()
        let samples = (0..<64).flatMap { y in (0..<64).map { x in UInt8((x * 3 + y) % 256) } }
        let image = pdf.addPicture(width: 64, height: 64, samples)
        let curves = (0..<30).map { "0 \($0 * 20) m 100 \($0 * 30) 300 \(700 - $0 * 20) 400 \($0 * 25) c S" }
        pdf.addPage(
            width: 200, height: 300,
            "0.5 0 0 0.5 0 0 cm 1.5 w \(curves.joined(separator: " ")) q 150 20 -20 150 200 300 cm /I Do Q 0.4 g 20 20 100 60 re f",
            "/Resources << /XObject << /I \(image) 0 R >> >>")
        pdf.addPage(width: 200, height: 300, "2 w 0.2 g 25 25 m 175 275 l S", "/Rotate 270 /CropBox [10 15 190 295]")
        let folder = try TemporaryFolder("pdftoppm")
        let file = try folder.write(pdf.bytes, to: "pages.pdf")
        let pdftoppm = try InstalledProgram.path("pdftoppm", package: "poppler-utils")
        for (page, size) in [(200.0, 300.0), (280, 180)].enumerated() {
            let theirs = folder.appending("page\(page)")
            let result = try await ChildProcess.run(
                pdftoppm,
                [
                    "-gray", "-cropbox", "-f", "\(page + 1)", "-l", "\(page + 1)", "-singlefile", "-r", "144", file,
                    theirs,
                ])
            #expect(result.end.isSuccess, "\(result.standardError)")
            let other = try #require(GreyMap(try readFile("\(theirs).pgm")))
            #expect(other.width == Int(size.0 * 2) && other.height == Int(size.1 * 2))
            let side = SideDrawing.page(page, width: other.width, height: other.height, scale: 2)
            let own = try await Renderer.draw(pdf.bytes, side)
            let ours = GreyMap(width: other.width, height: other.height, tones: own.bytes)
            let ratio = ours.blurred.signalToNoise(other.blurred)
            #expect(ratio >= 30, "page \(page + 1): \(ratio) dB")
        }
    }
}

/// A grey picture, as PGM files hold it.
private struct GreyMap {
    var width: Int
    var height: Int
    var tones: [UInt8]

    init(width: Int, height: Int, tones: [UInt8]) { (self.width, self.height, self.tones) = (width, height, tones) }

    init?(_ file: [UInt8]) {
        var fields: [Int] = []
        var place = 3
        guard file.starts(with: Array("P5\n".utf8)) else { return nil }
        while fields.count < 3, place < file.count {
            let digits = file[place...].prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard let field = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
            fields.append(field)
            place += digits.count + 1
        }
        guard fields.count == 3, file.count - place == fields[0] * fields[1] else { return nil }
        self.init(width: fields[0], height: fields[1], tones: Array(file[place...]))
    }

    /// Each tone the average of those around it.
    var blurred: GreyMap {
        var blurred = self
        for y in 1..<(height - 1) {
            for x in 1..<(width - 1) {
                var sum = 0
                for row in (y - 1)...(y + 1) {
                    let place = row * width + x
                    sum += Int(tones[place - 1]) + Int(tones[place]) + Int(tones[place + 1])
                }
                blurred.tones[y * width + x] = UInt8(sum / 9)
            }
        }
        return blurred
    }

    /// In decibels (PSNR).
    func signalToNoise(_ other: GreyMap) -> Double {
        let sum = zip(tones, other.tones).reduce(0.0) { sum, pair in
            let difference = Double(pair.0) - Double(pair.1)
            return sum + difference * difference
        }
        return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(tones.count) / sum)
    }
}
