import Testing

@testable import KioskSimulatedPaper

@Suite struct ESCPOSPositionTests {
    /// The columns of black cells, from the left margin of what can be printed.
    private func ink(_ parts: Part...) throws -> ClosedRange<Int>? {
        let paper = try printed(job(.gs, "B", 1) + parts.flatMap(\.bytes))
        #expect(paper.faults.isEmpty)
        return paper.picture.inkBounds.map { $0.x.lowerBound - 32...$0.x.upperBound - 32 }
    }

    @Test func `justifies within the print area`() throws {
        #expect(try ink("xx\n") == 0...23)
        #expect(try ink(.esc, "a", 1, "xx\n") == 276...299)
        #expect(try ink(.esc, "a", "2", "xx\n") == 552...575)
        #expect(try ink(.gs, "L", [100, 0], .gs, "W", [200, 0], .esc, "a", 2, "xx\n") == 276...299)
        #expect(try ink(.gs, "L", [100, 0], "x\n") == 100...111)
    }

    @Test func `moves to and by places`() throws {
        #expect(try ink(.esc, "$", [0x2C, 1], "x\n") == 300...311)
        #expect(try ink(.esc, "$", [100, 0], .esc, "\\", [0xF6, 0xFF], "x\n") == 90...101)
        let paper = try printed(job("x", .esc, "$", [0, 4], .esc, "\\", [0, 0x80], "\n"))
        #expect(paper.faults.count == 2)
    }

    @Test func `motion units change what places mean`() throws {
        #expect(try ink(.gs, "P", [101, 0], .esc, "$", [50, 0], "x\n") == 100...111)
        let paper = try printed(job(.gs, "P", [0, 101], .esc, "3", 30, "a\nb\n"))
        #expect(paper.picture.height == 120)
    }

    @Test func `tabs stop every eight columns, or where they were set`() throws {
        #expect(try ink("\tx\n") == 96...107)
        #expect(try ink(.esc, "D", [3, 10, 0], "\t\tx\n") == 120...131)
        let paper = try printed(job(.esc, "D", 0, "\tx\n"))
        #expect(paper.faults.map(\.line) == ["     3 ! HT                            no further tab stop: ignored"])
    }

    @Test func `a line takes its spacing, and at least its height`() throws {
        #expect(try printed(job("a\n")).picture.height == 30)
        #expect(try printed(job(.esc, "3", 0, "a\n")).picture.height == 24)
        #expect(try printed(job(.esc, "3", 100, "a\n\n")).picture.height == 200)
        #expect(try printed(job(.esc, "3", 100, .esc, "2", "\n")).picture.height == 30)
        #expect(try printed(job(.gs, "!", 0x07, "a\n")).picture.height == 192)
    }

    @Test func `feeds by dots and by lines`() throws {
        #expect(try printed(job("a", .esc, "J", 100)).picture.height == 100)
        #expect(try printed(job("a", .esc, "J", 0)).picture.height == 24)
        #expect(try printed(job("a", .esc, "d", 5)).picture.height == 150)
        #expect(try printed(job(.esc, "d", 5)).picture.height == 150)
    }

    @Test func `a line that is never printed is reported`() throws {
        let paper = try printed(job("lost"))
        #expect(paper.picture.isBlank)
        #expect(paper.faults.count == 1)
    }

    @Test func `the blade comes down where it is, above what was printed last`() throws {
        var model = PaperModel()
        model.cutterDistance = 100
        #expect(
            try printed(job("a", .esc, "d", 10, .gs, "V", 0), on: model).cuts == [PaperCut(row: 200, isPartial: false)])
        #expect(try printed(job("a\n", .gs, "V", 1), on: model).cuts == [PaperCut(row: 0, isPartial: true)])
        let fed = try printed(job("a\n", .gs, "V", 66, 20), on: model)
        #expect(fed.cuts == [PaperCut(row: 50, isPartial: true)])
        #expect(fed.picture.height == 150)
        #expect(try printed(job("a", .gs, "V", 0)).cuts.isEmpty)
    }

    @Test func `drawers, status and completion are listed`() throws {
        let paper = try printed(
            job(
                .esc, "p", [0, 50, 250], .dle, [0x14, 1, 1, 2], .dle, [4, 1], .gs, "a", 255, .gs, "(H",
                .block("00", "abcd"), .gs, "r", 1))
        #expect(
            paper.meanings == [
                "open drawer 1, 100 ms on, 500 ms off", "open drawer 2 at once, 200 ms",
                "asks for the printer's status",
                "automatic status of 255", "asks to be told when this is printed: 61 62 63 64",
                "asks for its paper sensors, once it is there",
            ])
        #expect(paper.faults.isEmpty)
    }
}
