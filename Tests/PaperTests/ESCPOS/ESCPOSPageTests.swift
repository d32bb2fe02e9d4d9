import Testing

@testable import KioskSimulatedPaper

@Suite struct ESCPOSPageTests {
    private let area: [UInt8] = job(.esc, "W", [100, 0, 0, 0, 200, 0, 100, 0])

    @Test func `prints an area at its place`() throws {
        let paper = try printed(job(.esc, "L") + area + job(.gs, "B", 1, "xx", 0x0C))
        #expect(paper.faults.isEmpty)
        #expect(paper.picture.height == 100)
        #expect(paper.picture.inkBounds?.x == 132...155)
        #expect(paper.picture.inkBounds?.y == 0...23)
    }

    @Test func `the four directions start in the four corners`() throws {
        // From the corner, 24 dots away from the edge that the text hangs from.
        let expected: [(x: ClosedRange<Int>, y: ClosedRange<Int>)] = [
            (132...155, 0...23), (132...155, 76...99), (308...331, 76...99), (308...331, 0...23),
        ]
        for (direction, place) in expected.enumerated() {
            let paper = try printed(
                job(.esc, "L") + area + job(.esc, "T", [UInt8(direction)].part, .gs, "B", 1, "xx", 0x0C))
            let ink = try #require(paper.picture.inkBounds)
            #expect((ink.x, ink.y) == place, "direction \(direction)")
        }
    }

    @Test func `baselines are moved to`() throws {
        let paper = try printed(
            job(.esc, "L") + area + job(.gs, "B", 1, .gs, "$", [71, 0], .esc, "$", [50, 0], "x", 0x0C))
        #expect(paper.picture.inkBounds?.y == 50...73)
        #expect(paper.picture.inkBounds?.x == 182...193)
    }

    @Test func `what is cleared or left behind is not printed`() throws {
        #expect(try printed(job(.esc, "L", "gone\n", 0x18, 0x0C)).picture.isBlank)
        #expect(try printed(job(.esc, "L", "gone\n", .esc, "S", "\n")).picture.isBlank)
        #expect(try printed(job(.esc, "L", "never\n")).faults.count == 1)
    }

    /// A line of page mode is dot for dot what standard mode prints, turned by the direction.
    @Test func `turned lines on a page are the lines of standard mode, turned`() throws {
        let lines = job("Lb 1", 0x0A, "x", 0x0A)
        let upright = try printed(lines).picture.cropped(width: 32 + 60, height: 60)
        let expected = try #require(upright.cutOut)
        let page = job(.esc, "L", .esc, "W", [0, 0, 0, 0, 200, 0, 60, 0])
        let half = try printed(page + job(.esc, "T", 2) + lines + job(0x0C)).picture
        #expect(half.cutOut == expected.turnedUpsideDown)
        let sideways = job(.esc, "L", .esc, "W", [0, 0, 0, 0, 60, 0, 200, 0])
        let quarter = try printed(sideways + job(.esc, "T", 3) + lines + job(0x0C)).picture
        #expect(quarter.cutOut == expected.turnedClockwise)
        let back = try printed(sideways + job(.esc, "T", 1) + lines + job(0x0C)).picture
        #expect(back.cutOut == expected.turned(quarters: 3))
    }

    @Test func `baselines move by distances, and not out of the area`() throws {
        let start = job(.esc, "L") + area + job(.gs, "B", 1, .gs, "$", [71, 0])
        let moved = try printed(start + job(.gs, "\\", [10, 0], "x", .gs, "\\", [0xF6, 0xFF], "x", 0x0C))
        #expect(moved.faults.isEmpty)
        #expect(moved.picture.inkBounds?.y == 50...83)
        let outside = try printed(start + job(.gs, "\\", [200, 0], .gs, "$", [101, 0], "x", 0x0C))
        #expect(outside.faults.count == 2)
        #expect(outside.picture.inkBounds?.y == 50...73)
        for command in [job(.gs, "$", [1, 0]), job(.gs, "\\", [1, 0]), job(.esc, 0x0C), job(0x18)] {
            #expect(try printed(command).faults.count == 1)
        }
    }

    /// Epson, "TM-T88III series Specification", ESC L, ESC S and ESC T.
    @Test func `a direction lasts from page to page, and spaces are those of each mode`() throws {
        let turned = try printed(job(.esc, "L") + area + job(.esc, "T", 2, .gs, "B", 1, "xx", 0x0C)).picture
        for direction in [
            job(.esc, "T", 2), job(.esc, "L", .esc, "T", 2, .esc, "S"), job(.esc, "L", .esc, "T", 2, 0x0C),
        ] {
            let paper = try printed(direction + job(.esc, "L") + area + job(.gs, "B", 1, "xx", 0x0C))
            #expect(paper.faults.isEmpty)
            #expect(paper.picture == turned)
        }
        #expect(
            try printed(job(.esc, "T", 2, .esc, "@", .esc, "L") + area + job(.gs, "B", 1, "xx", 0x0C)).picture != turned
        )
        func ink(_ bytes: [UInt8]) throws -> Bitmap? { try printed(bytes).picture.cutOut }
        let plain = try ink(job("x\nx\n"))
        #expect(try ink(job(.esc, "L", .esc, "3", 80, .esc, " ", 20, .esc, "S", "x\nx\n")) == plain)
        let onPage = try ink(job(.esc, "L", "x\nx\n", 0x0C))
        #expect(try ink(job(.esc, "3", 80, .esc, " ", 20, .esc, "L", "x\nx\n", 0x0C)) == onPage)
        let kept = try ink(job(.esc, "L", .esc, "3", 80, .esc, "S", .esc, "L", "x\nx\n", 0x0C))
        #expect(try kept == ink(job(.esc, "L", .esc, "3", 80, "x\nx\n", 0x0C)) && kept != onPage)
    }

    @Test func `what a page does not take is marked, and what it keeps for later is not done`() throws {
        let rows: Part = [0xFF, 0xFF]
        for command in [
            job(.gs, "v0", 0, [1, 0, 2, 0], rows), job(.fs, "q", 1, [1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1]),
            job(.fs, "p", 1, 0), job(.gs, "VA", 0),
        ] {
            let paper = try printed(job(.esc, "L") + area + command + job(0x0C))
            #expect(paper.faults.count == 1)
            #expect(paper.picture.isBlank)
        }
        let stored = job(.gs, "(L", .block([48, 112, 48, 1, 1, 49, 8, 0, 2, 0], rows), .gs, "(L", .block([48, 50]))
        #expect(try printed(job(.esc, "L") + area + stored + job(0x0C)).faults.count == 1)
        let justified = try printed(job(.esc, "L") + area + job(.esc, "a", 1, "x", 0x0C, "x\n"))
        #expect(justified.faults.isEmpty)
        #expect(justified.picture.cropped(width: 640, height: 100).inkBounds.map { $0.x.upperBound < 132 + 12 } == true)
        #expect(justified.picture.inkBounds.map { $0.x.upperBound > 310 } == true)
    }

    @Test func `lines and rectangles are drawn from the corner of the area`() throws {
        let line = job(.gs, "(Q", .block([48, 10, 0, 5, 0, 59, 0, 5, 0, 1, 2, 48].part))
        let box = job(.gs, "(Q", .block([49, 10, 0, 5, 0, 59, 0, 44, 0, 1, 1, 48, 48, 1].part))
        let paper = try printed(job(.esc, "L") + area + line + job(0x0C))
        #expect(paper.faults.isEmpty)
        #expect(paper.picture.inkBounds.map { [$0.x, $0.y] } == [142...191, 5...6])
        let framed = try printed(job(.esc, "L") + area + box + job(0x0C)).picture
        #expect(framed.inkBounds.map { [$0.x, $0.y] } == [142...191, 5...44] && !framed[150, 20])
        for refused in [
            [48, 10, 0, 5, 0, 59, 0, 6, 0, 1, 2, 48], [48, 10, 0, 5, 0, 250, 0, 5, 0, 1, 2, 48], [48, 1],
        ] as [[UInt8]] {
            let paper = try printed(job(.esc, "L") + area + job(.gs, "(Q", .block(refused.part), 0x0C))
            #expect(paper.faults.count == 1)
        }
        #expect(try printed(line).faults.count == 1)
    }

    @Test func `a page is printed again, and symbols are on the baseline`() throws {
        let paper = try printed(
            job(.esc, "L") + area
                + job(
                    .gs, "$", [90, 0], .esc, "$", [20, 0], .gs, "h", 50, .gs, "k", 4, "A", 0, .esc, 0x0C, .esc, 0x0C,
                    .esc, "S"))
        #expect(paper.faults.isEmpty)
        #expect(paper.picture.inkBounds?.x.lowerBound == 152)
        #expect(paper.picture.height == 200)
        #expect(paper.picture.inkBounds?.y == 40...189)
    }
}
