import Testing

@testable import KioskSimulatedPaper

/// No job may end the process or fill its memory.
@Suite struct ESCPOSHostileTests {
    @Test(arguments: 0..<24) func `random bytes end in a bounded paper`(_ seed: Int) throws {
        let bytes = Noise.bytes(
            seed,
            starts: [
                [0x1B], [0x1D], [0x1C], [0x10], Array("\u{1D}(k".utf8), Array("\u{1D}(L".utf8), Array("\u{1D}k".utf8),
                [0x1B, 0x2A],
            ])
        let paper = try printed(bytes)
        #expect(paper.picture.height <= PaperModel.receipt80.maximumPaperLength)
        #expect(paper.events.count <= bytes.count + 3)
    }

    @Test func `too long a paper is cut short, and reported`() throws {
        let paper = try printed(job(.esc, "3", 255) + (0..<500).flatMap { _ in job("x\n") })
        #expect(paper.picture.height == 40_000)
        #expect(paper.faults.last?.line.contains("longer than 40000 dots") == true)
    }

    @Test func `lengths that were never sent take no memory`() throws {
        for bytes in [
            job(.gs, "8L", [255, 255, 255, 255]), job(.gs, "v0", 0, [255, 255, 255, 255], "x"),
            job(.fs, "q", 255, [255, 255, 255, 255]),
        ] {
            let paper = try printed(bytes)
            #expect(paper.faults.map { $0.line.contains("cut short") } == [true])
        }
    }

    @Test func `each command may end early`() throws {
        let whole = job(
            .esc, "a", 1, .gs, "k", 73, 4, "{B12", .gs, "(k", .block("1P0x"), .esc, "*", 33, [1, 0], [1, 2, 3], .esc,
            "W",
            [0, 0, 0, 0, 1, 0, 1, 0], .fs, "q", 1, [1, 0, 1, 0], [0, 0, 0, 0, 0, 0, 0, 0], .esc, "&",
            [1, 65, 65, 1, 9], .esc, "D", [1, 0])
        for count in 0...whole.count { _ = try printed(Array(whole.prefix(count))) }
    }

    @Test func `memory for logos is bounded`() throws {
        let rows = [UInt8](repeating: 0, count: 60_000)
        var bytes: [UInt8] = []
        for key in UInt8(0x30)..<0x40 {
            bytes += job(.gs, "(L", .block([48, 67, 48, 0x41, key, 1, 0x40, 0x1F, 60, 0, 49].part, rows.part))
        }
        let paper = try printed(bytes)
        #expect(paper.faults.count == 10)
        #expect(paper.faults.allSatisfy { $0.line.contains("no room") })
    }
}
