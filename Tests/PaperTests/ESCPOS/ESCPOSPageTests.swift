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
