import Testing

@testable import KioskSimulatedPaper

/// The same eight by eight dots, with every command for pictures.
@Suite struct ESCPOSImageTests {
    static let dots = Bitmap(drawing: [
        "########", "#......#", "#.##...#", "#.#....#", "#......#", "#...##.#", "#......#", "########",
    ])
    static let rows = Part(dots.bytes)
    static let columns = Part(dots.columnBytes)

    /// The picture on the paper, cropped to its black dots. Nothing may be refused.
    private func picture(_ bytes: [UInt8]) throws -> Bitmap {
        let paper = try printed(bytes)
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        return try #require(paper.picture.cutOut)
    }

    @Test(arguments: [(0, 1, 1), (1, 2, 1), (2, 1, 2), (3, 2, 2), (48, 1, 1), (51, 2, 2)])
    func `GS v 0 prints rows`(_ mode: Int, _ across: Int, _ down: Int) throws {
        let expected = Self.dots.scaled(across, down)
        #expect(try picture(job(.gs, "v0", Part([UInt8(mode)]), [1, 0, 8, 0], Self.rows)) == expected)
    }

    @Test(arguments: [(0, 2, 3), (1, 1, 3)]) func `ESC * prints columns of eight`(
        _ mode: Int, _ across: Int, _ down: Int
    ) throws {
        let expected = Self.dots.scaled(across, down)
        #expect(try picture(job(.esc, "*", Part([UInt8(mode)]), [8, 0], Self.columns, "\n")) == expected)
    }

    @Test(arguments: [(32, 2), (33, 1)]) func `ESC * prints columns of 24`(_ mode: Int, _ across: Int) throws {
        let columns = Part(Self.dots.columnBytes.flatMap { [$0, 0, 0] })
        #expect(try picture(job(.esc, "*", Part([UInt8(mode)]), [8, 0], columns, "\n")) == Self.dots.scaled(across, 1))
    }

    @Test func `strips of ESC * join where the line spacing is theirs`() throws {
        let strip: [UInt8] = Array(repeating: 0xFF, count: 30)
        let paper = try printed(
            job(.esc, "3", 24, .esc, "*", 33, [10, 0], Part(strip), "\n", .esc, "*", 33, [10, 0], Part(strip), "\n"))
        #expect(paper.picture.inkBounds?.y == 0...47)
        #expect((0..<48).allSatisfy { paper.picture[32, $0] })
    }

    @Test func `GS * keeps columns until GS / prints them`() throws {
        #expect(try picture(job(.gs, "*", [1, 1], Self.columns, .gs, "/", 3)) == Self.dots.scaled(2, 2))
    }

    @Test func `FS q keeps logos for FS p`() throws {
        let other = Part([UInt8](repeating: 0xFF, count: 8))
        let logos = job(.fs, "q", 2, [1, 0, 1, 0], other, [1, 0, 1, 0], Self.columns)
        #expect(try picture(logos + job(.fs, "p", [2, 0])) == Self.dots)
        var printer = try ReceiptPrinter.forTests()
        _ = printer.print(logos)
        #expect(printer.print(job(.fs, "p", [2, 1])).picture.cutOut == Self.dots.scaled(2, 1))
        #expect(printer.print(job(.fs, "p", [3, 0], .fs, "p", [0, 0])).faults.count == 2)
    }

    @Test func `GS ( L stores for one print`() throws {
        let store = job(.gs, "(L", .block([48, 112, 48, 1, 2, 49, 8, 0, 8, 0], Self.rows))
        #expect(try picture(store + job(.gs, "(L", .block([48, 50]))) == Self.dots.scaled(1, 2))
        let columns = job(.gs, "(L", .block([48, 113, 48, 1, 1, 49, 8, 0, 8, 0], Self.columns))
        #expect(try picture(columns + job(.gs, "(L", .block([48, 2]))) == Self.dots)
        let twice = try printed(store + job(.gs, "(L", .block([48, 50]), .gs, "(L", .block([48, 50])))
        #expect(twice.faults.count == 1)
    }

    @Test func `GS 8 L is the same with a longer length`() throws {
        let bytes = job([48, 112, 48, 1, 1, 49, 8, 0, 8, 0], Self.rows)
        #expect(
            try picture(job(.gs, "8L", [UInt8(bytes.count), 0, 0, 0].part, bytes.part, .gs, "(L", .block([48, 50])))
                == Self.dots)
    }

    @Test(arguments: [(UInt8(67), UInt8(69)), (83, 85)]) func `GS ( L keeps pictures by their keys`(
        _ define: UInt8, _ printing: UInt8
    ) throws {
        let keep = job(.gs, "(L", .block([48, define, 48, 0x47, 0x31, 1, 8, 0, 8, 0, 49].part, Self.rows))
        let show = job(.gs, "(L", .block([48, printing, 0x47, 0x31, 2, 1].part))
        #expect(try picture(keep + show) == Self.dots.scaled(2, 1))
        var printer = try ReceiptPrinter.forTests()
        _ = printer.print(keep)
        // Only NV memory lasts.
        #expect(printer.print(show).faults.isEmpty == (define == 67))
        #expect(try printed(job(.gs, "(L", .block([48, printing, 0x47, 0x32, 1, 1].part))).faults.count == 1)
    }

    @Test func `stored pictures can be deleted`() throws {
        let keep = job(.gs, "(L", .block([48, 67, 48, 0x47, 0x31, 1, 8, 0, 8, 0, 49].part, Self.rows))
        let show = job(.gs, "(L", .block([48, 69, 0x47, 0x31, 1, 1]))
        #expect(try printed(keep + job(.gs, "(L", .block([48, 66, 0x47, 0x31])) + show).faults.count == 1)
        #expect(try printed(keep + job(.gs, "(L", .block([48, 65], "CLR")) + show).faults.count == 1)
        #expect(try printed(keep + job(.gs, "(L", .block([48, 65], "XXX")) + show).faults.count == 1)
    }

    @Test func `pictures are justified, and cut off at the print area`() throws {
        let centred = try printed(job(.esc, "a", 1, .gs, "v0", 0, [1, 0, 8, 0], Self.rows))
        #expect(centred.picture.inkBounds?.x == 32 + 284...32 + 291)
        let wide = try printed(job(.gs, "v0", 0, [100, 0, 1, 0], [UInt8](repeating: 0xFF, count: 100).part))
        #expect(wide.picture.inkBounds?.x == 32...607)
        #expect(wide.meanings == ["800×1 dots, cut off at 576"])
    }

    @Test func `pictures of their own are refused within a line`() throws {
        let paper = try printed(job("x", .gs, "v0", 0, [1, 0, 8, 0], Self.rows, "\n"))
        #expect(paper.faults.count == 1)
        #expect(paper.texts == ["x"])
    }
}
