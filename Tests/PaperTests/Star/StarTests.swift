import KioskTestSupport
import Testing

@testable import KioskSimulatedPaper

@Suite struct StarTests {
    private func printed(_ parts: Part...) throws -> PrintedPaper {
        try PaperTests.printed(parts.flatMap(\.bytes), as: .star)
    }

    @Test(arguments: [
        (UInt8(1), [0x80] as [UInt8], "Ç"), (4, [0xD5], "€"), (32, [0x80], "€"), (10, [0x80], "А"), (2, [0xB1], "ｱ"),
        (34, [0xC0], "А"),
    ])
    func `a code page gives bytes their characters`(_ number: UInt8, _ bytes: [UInt8], _ text: String) throws {
        let paper = try printed(.esc, .gs, "t", [number].part, bytes.part, "\n")
        #expect(paper.texts == [text])
        #expect(paper.faults.isEmpty)
    }

    @Test func `text in UTF-8 and in Shift JIS, where it was chosen`() throws {
        #expect(try printed(.esc, .gs, ")U", .block(48, 1), "Grüße 中\n").texts == ["Grüße 中"])
        #expect(try printed(.esc, "$", 1, [0x93, 0xFA], .esc, "$", 0, "\n").texts == ["日"])
    }

    @Test func `international characters by number, digit and letter`() throws {
        for (parameter, text) in [(UInt8(2), "Ä"), (0x32, "Ä"), (0x41, "Æ"), (10, "Æ"), (0x38, "[")] {
            let paper = try printed(.esc, "R", [parameter].part, "[\n")
            #expect(paper.texts == [text] && paper.faults.isEmpty, "\(parameter)")
        }
        #expect(try printed(.esc, "R", 0x4F, "[\n").faults.count == 1)
    }

    @Test func `pitches and spaces of characters`() throws {
        func width(_ parts: Part...) throws -> Int? {
            let paper = try PaperTests.printed(job(.esc, "4") + parts.flatMap(\.bytes), as: .star)
            #expect(paper.faults.isEmpty, "\(paper.dump)")
            return paper.picture.inkBounds?.x.count
        }
        #expect(try width("xxxx\n") == 48)
        #expect(try width(.esc, ":", "xxxx\n") == 64)
        #expect(try width(.esc, "P", "xxxx\n") == 60)
        #expect(try width(.esc, "g", "xxxx\n") == 56)
        #expect(try width(.esc, ":", .esc, "M", "xxxx\n") == 48)
        // Without space two of them are 48 dots wide.
        #expect(
            try width(.esc, "$", 1, .esc, "s", [0, 0x41].map { UInt8($0) }.part, [0x93, 0xFA, 0x96, 0x7B], "\n") == 68)
        #expect(try printed(.esc, "s", [8, 0]).faults.count == 1)
    }

    @Test func `documents, counters and buzzers are listed`() throws {
        let paper = try printed(
            .esc, .gs, 3, [3, 0, 0], .esc, .gs, 3, [1, 0, 0], .esc, .gs, 3, [4, 0, 0], .esc, .gs, 0x19, 0x11,
            [1, 10, 5], .esc, .gs, 0x19, 0x12, [1, 3, 0])
        #expect(
            paper.meanings == [
                "begin of a document", "asks to be told when this is printed", "end of a document",
                "buzzer 1: 200 ms on, 100 ms off", "sound buzzer 1 3 times",
            ])
        #expect(paper.faults.isEmpty)
    }

    @Test func `red is printed in the mode of two colours`() throws {
        let paper = try printed(.esc, [0x1E], "C", 1, "b", .esc, [0x1E], "c", 1, "r", .esc, [0x1E], "c", 0, "b\n")
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        #expect(paper.red?.inkBounds.map { $0.x.lowerBound >= 44 && $0.x.upperBound < 56 } == true)
        #expect(paper.texts.joined() == "brb")
        #expect(try printed(.esc, [0x1E], "c", 1).faults.count == 1)
        let row = job("b", [1, 0], 0xFF)
        let raster = try PaperTests.printed(
            job(.esc, [0x1E], "C", 1, .esc, "*rA", .esc, "*rK1", 0) + row + job(.esc, "*rK0", 0) + row
                + job(.esc, "*rB"), as: .star)
        #expect(raster.faults.isEmpty && raster.red?.inkBounds?.y == 0...0 && raster.picture.inkBounds?.y == 0...1)
    }

    @Test func `a page prints its areas in their directions`() throws {
        let area: Part = [100, 0, 0, 0, 200, 0, 100, 0]
        for (direction, x, y) in [(UInt8(0), 132...155, 0...23), (2, 308...331, 76...99)] {
            let paper = try printed(
                .esc, .gs, "P0", .esc, .gs, "P3", area, .esc, .gs, "P2", [direction].part, .esc, "4", "xx", .esc, .gs,
                "P7", "after\n")
            #expect(paper.faults.isEmpty, "\(paper.dump)")
            #expect(paper.picture.cropped(width: 640, height: 100).inkBounds.map { [$0.x, $0.y] } == [x, y])
        }
        let moved = try printed(
            .esc, .gs, "P0", .esc, .gs, "P3", area, .esc, .gs, "P4", [71, 0], .esc, "4", "x", .esc, .gs, "P6", .esc,
            .gs,
            "P8", .esc, .gs, "P1")
        #expect(moved.faults.isEmpty && moved.picture.inkBounds?.y == 50...73)
        #expect(try printed(.esc, .gs, "P6").faults.count == 1)
    }

    @Test func `GS1-128 and GS1 DataBar are read back`() async throws {
        for (number, data, expected) in [
            (UInt8(0x39), "(01)09501101020917", "0109501101020917"), (0x3A, "0950110153000", "0109501101530003"),
            (0x3B, "0950110153000", "0109501101530003"), (0x3C, "0950110153000", "0109501101530003"),
            (0x3D, "(01)09501101530003(10)AB", "010950110153000310AB"),
        ] {
            let paper = try printed(.esc, "b", [number, 0x32, 0x32, 80].part, .text(data), 0x1E, "\n\n")
            #expect(paper.faults.isEmpty, "\(paper.dump)")
            guard let read = try await SymbolReader.zxing(paper.picture) else { return }
            let digits = read.map { $0.data.filter { $0 != "(" && $0 != ")" } }
            #expect(digits == [expected], "\(number)")
        }
        let stacked = try printed(.esc, .gs, "(k", .block("3P0", 72, "0950110153000"), .esc, .gs, "(k", .block("3Q0"))
        #expect(stacked.faults.isEmpty && !stacked.picture.isBlank)
    }

    @Test func `styles and sizes show`() throws {
        let paper = try printed(
            .esc, "4", .esc, "i", [1, 2], "x", .esc, "5", .esc, "i", "00", .esc, "E", "b", .esc, "F", .esc, "-", 1,
            "u\n")
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        // Twice as high, three times as wide.
        #expect((32..<68).allSatisfy { paper.picture[$0, 47] } && !paper.picture[68, 47])
        #expect(try printed(.esc, [0x1E], "F", 1, .esc, "4", "xx\n").picture.inkBounds?.x.count == 18)
        #expect(try printed(0x0E, .esc, "4", "x", 0x14, "x\n").picture.inkBounds?.x.count == 36)
    }

    @Test func `lines are four or three millimetres apart`() throws {
        #expect(try printed("a\nb\n").picture.height == 64)
        #expect(try printed(.esc, "z", "0", "a\nb\n").picture.height == 48)
        #expect(try printed("a", .esc, "J", 40).picture.height == 80)
        #expect(try printed("a", .esc, "a", 3).picture.height == 96)
    }

    @Test func `places and justification`() throws {
        func ink(_ parts: Part...) throws -> ClosedRange<Int>? {
            try PaperTests.printed(job(.esc, "4") + parts.flatMap(\.bytes), as: .star).picture.inkBounds.map {
                $0.x.lowerBound - 32...$0.x.upperBound - 32
            }
        }
        #expect(try ink(.esc, .gs, "a", 1, "xx\n") == 276...299)
        #expect(try ink(.esc, .gs, "A", [100, 0], "x\n") == 100...111)
        #expect(try ink(.esc, "D", [10, 0], "\tx\n") == 120...131)
        #expect(try ink(.esc, "l", 10, "x\n") == 120...131)
    }

    @Test func `cuts where the blade is, or feeds past it; opens drawers`() throws {
        #expect(try printed("a", .esc, "a", 5, .esc, "d", 0).cuts == [PaperCut(row: 48, isPartial: false)])
        #expect(try printed("a\n", .esc, "d", 3).cuts == [PaperCut(row: 32, isPartial: true)])
        #expect(
            try printed(0x07, 0x1A, .fs, .esc, 0x07, [20, 50]).meanings.prefix(3) == [
                "open drawer 1", "open drawer 2", "open drawer 1 at once",
            ])
    }

    @Test(
        arguments: [
            (0, "01234565", "UPC-E", "01234565"), (1, "01234567890", "UPC-A", "012345678905"),
            (2, "9638507", "EAN-8", "96385074"),
            (3, "400638133393", "EAN-13", "4006381333931"), (4, "KIOSK 39", "CODE-39", "KIOSK 39"),
            (5, "12345678", "I2/5", "12345678"),
            (6, "Code 128 %050", "CODE-128", "Code 128 %50"), (7, "CODE 93", "CODE-93", "CODE 93"),
            (8, "A40156B", "Codabar", "A40156B"),
        ] as [(UInt8, String, String, String)])
    func `zbar reads a barcode back`(_ symbology: UInt8, _ data: String, _ kind: String, _ read: String) async throws {
        for mode in UInt8(1)...2 {
            let paper = try printed(.esc, "b", [symbology + 0x30, 0x32, mode + 0x30, 80].part, .text(data), 0x1E, "\n")
            #expect(paper.faults.isEmpty, "\(paper.dump)")
            #expect(
                try await SymbolReader.zbar(paper.picture) == [DecodedSymbol(kind: kind, data: read)],
                "mode \(mode)")
        }
    }

    @Test func `QR and PDF417 are read back`() async throws {
        let qr = job(
            .esc, .gs, "yS0", 2, .esc, .gs, "yS1", 1, .esc, .gs, "yS2", 5, .esc, .gs, "yD1", 0, [5, 0], "kiosk", .esc,
            .gs, "yP")
        let pdf = job(
            .esc, .gs, "xS0", [1, 0, 4], .esc, .gs, "xS1", 2, .esc, .gs, "xS2", 3, .esc, .gs, "xS3", 3, .esc, .gs, "xD",
            .block("pdf"), .esc, .gs, "xP")
        let paper = try PaperTests.printed(job("\n\n") + qr + job("\n\n") + pdf + job("\n\n"), as: .star)
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        #expect(try await SymbolReader.zbar(paper.picture).map(\.data) == ["kiosk"])
        if let read = try await SymbolReader.zxing(paper.picture) {
            #expect(Set(read.map(\.data)) == ["kiosk", "pdf"])
        }
    }

    @Test func `pictures in every form show the same dots`() throws {
        let dots = ESCPOSImageTests.dots
        let tall = Bitmap(width: 8, height: 24, rows: dots.bytes)
        #expect(try printed(.esc, .gs, "S", 1, [1, 0, 8, 0, 0], dots.bytes.part).picture.cutOut == dots)
        #expect(try printed(.esc, "k", [1, 0], tall.bytes.part, "\n").picture.cutOut == dots)
        #expect(
            try printed(.esc, "X", [8, 0], dots.columnBytes.flatMap { [$0, 0, 0] }.part, "\n").picture.cutOut == dots)
        #expect(try printed(.esc, "L", [8, 0], dots.columnBytes.part, "\n").picture.cutOut == dots.scaled(1, 3))
        #expect(try printed(.esc, "K", [8, 0], dots.columnBytes.part, "\n").picture.cutOut == dots.scaled(2, 3))
        #expect(
            try printed(.esc, .fs, "q", 1, [1, 0, 1, 0], dots.columnBytes.part, .esc, .fs, "p", [1, 0]).picture.cutOut
                == dots)
        let rows = dots.bytes.flatMap { job("b", [1, 0], [$0].part) }
        let raster = try PaperTests.printed(
            job(.esc, "*rA", .esc, "*rP0", 0, .esc, "*rE13", 0) + rows + job(.esc, "*rB", "text\n"), as: .star)
        #expect(raster.faults.isEmpty, "\(raster.dump)")
        #expect(raster.cuts == [PaperCut(row: 8, isPartial: true)])
        #expect(raster.texts == ["text"])
        #expect(raster.picture.cropped(width: 640, height: 8).cutOut == dots)
    }

    @Test func `random bytes end in a bounded paper`() throws {
        for seed in 0..<20 {
            let paper = try PaperTests.printed(
                Noise.bytes(
                    seed, starts: [[0x1B], [0x1B, 0x1D], [0x1B, 0x1E], Array("\u{1B}*r".utf8), Array("\u{1B}b".utf8)]),
                as: .star)
            #expect(paper.picture.height <= PaperModel.receipt80.maximumPaperLength)
        }
    }
}
