import KioskTestSupport
import Testing

@testable import KioskSimulatedPaper

@Suite struct ESCPOSSymbolTests {
    private func qr(_ data: String, _ settings: [UInt8] = []) -> [UInt8] {
        settings + job(.gs, "(k", .block("1P0", .text(data)), .gs, "(k", .block("1Q0"))
    }

    @Test(arguments: ["https://example.org/r/2026-11-22?n=1", "0123456789", "ABC-123", "日本語"], [UInt8(48), 51])
    func `zbar reads a QR code back`(_ text: String, _ level: UInt8) async throws {
        let paper = try printed(qr(text, job(.gs, "(k", .block("1C", 5), .gs, "(k", .block("1E", [level].part))))
        #expect(paper.faults.isEmpty)
        #expect(try await SymbolReader.zbar(paper.picture).map(\.data) == [text])
    }

    @Test func `the size is that of a module`() throws {
        for size in UInt8(1)...16 {
            let paper = try printed(qr("x", job(.gs, "(k", .block("1C", [size].part))))
            #expect(paper.picture.inkBounds?.x.count == 21 * Int(size))
        }
    }

    @Test func `what was kept prints twice, until the printer is initialized`() throws {
        let again = job(.gs, "(k", .block("1Q0"))
        #expect(try printed(qr("x") + again).faults.isEmpty)
        #expect(try printed(qr("x") + job(.esc, "@") + again).faults.count == 1)
    }

    @Test func `PDF417 and Data Matrix are read back`() async throws {
        let text = "M1 receipt 2026-11-22, 3,50 EUR"
        let paper = try printed(
            job(
                .gs, "(k", .block("0A", 4), .gs, "(k", .block("0C", 2), .gs, "(k", .block("0P0", .text(text)), .gs,
                "(k", .block("0Q0"),
                .esc, "d", 4, .gs, "(k", .block("6C", 5), .gs, "(k", .block("6P0", .text(text)), .gs, "(k",
                .block("6Q0"), .esc, "d", 4,
                .gs, "(k", .block("5C", 5), .gs, "(k", .block("5P0", .text(text)), .gs, "(k", .block("5Q0")))
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        guard let read = try await SymbolReader.zxing(paper.picture) else { return }
        #expect(read.map(\.data) == [text, text, text])
        #expect(Set(read.map { $0.kind.filter { $0 != " " } }) == ["PDF417", "DataMatrix", "Aztec"])
    }

    @Test func `MaxiCode is read back`() async throws {
        let carrier = "[)>\u{1E}01\u{1D}96152382802\u{1D}840\u{1D}001\u{1D}1Z4951\u{1E}\u{04}"
        for (mode, text, expected) in [(UInt8(50), carrier, "152382802"), (52, "plain 4", "plain 4")] {
            let paper = try printed(
                job(
                    .gs, "(k", .block("2A", [mode].part), .gs, "(k", .block("2P0", .text(text)), .gs, "(k",
                    .block("2Q0")))
            #expect(paper.faults.isEmpty, "\(paper.dump)")
            guard let read = try await SymbolReader.zxing(try #require(paper.picture.cutOut)) else { return }
            #expect(read.count == 1 && read[0].data.contains(expected), "\(read)")
        }
        let refused = job(.gs, "(k", .block("2P0", "no fields"), .gs, "(k", .block("2Q0"))
        #expect(try printed(refused).faults.count == 1)
    }

    @Test func `Aztec has the layers and the correction that were asked for`() throws {
        func width(_ settings: [UInt8]) throws -> Int? {
            try printed(settings + job(.gs, "(k", .block("5P0x"), .gs, "(k", .block("5Q0"))).picture.inkBounds?.x.count
        }
        #expect(try width([]) == 3 * 15)
        #expect(try width(job(.gs, "(k", .block("5B", 49, 3))) == 3 * 23)
        #expect(try width(job(.gs, "(k", .block("5B", 48, 2))) == 3 * 23)
        #expect(try width(job(.gs, "(k", .block("5B", 48, 4))) == 3 * 31)
        #expect(try printed(job(.gs, "(k", .block("5E", 80))).faults.count == 1)
        #expect(try printed(job(.gs, "(k", .block("5B", 49, 5))).faults.count == 1)
    }

    /// ISO/IEC 24724 §5.3: rows of 5 and 7 modules with one between them, or of 33 with three.
    @Test(arguments: [(UInt8(72), 13), (73, 69)])
    func `the rows of stacked GS1 DataBar have their heights`(_ kind: UInt8, _ height: Int) async throws {
        let paper = try printed(
            job(.gs, "(k", .block("3P0", [kind].part, "0950110153000"), .gs, "(k", .block("3Q0")))
        #expect(paper.faults.isEmpty)
        #expect(paper.picture.inkBounds?.y.count == 2 * height)
        guard let read = try await SymbolReader.zxing(paper.picture) else { return }
        #expect(read.map { $0.data.filter { $0 != "(" && $0 != ")" } } == ["0109501101530003"])
    }

    @Test func `stacked GS1 DataBar is as wide as it may be`() async throws {
        func symbol(_ settings: [UInt8]) throws -> Bitmap {
            try printed(
                settings
                    + job(
                        .gs, "(k", .block("3P0", 76, "(01)09501101530003(10)ABCDEF"), .gs, "(k", .block("3Q0"))
            ).picture
        }
        let narrow = try symbol([]), wide = try symbol(job(.gs, "(k", .block("3G", [0x90, 1].part)))
        #expect(narrow.inkBounds.map { $0.x.count <= 141 } == true)
        #expect(wide.inkBounds.map { $0.x.count > 141 && $0.x.count <= 400 } == true)
        for picture in [narrow, wide] {
            guard let read = try await SymbolReader.zxing(picture) else { return }
            #expect(read.map { $0.data.filter { $0 != "(" && $0 != ")" } } == ["010950110153000310ABCDEF"])
        }
    }

    @Test func `Seiko's own commands print QR and PDF417 at once`() async throws {
        let paper = try printed(
            job(
                .gs, "p", 1, 2, "M", 0, "B", [5, 0], "kiosk", .esc, "d", 3, 0x12, ";", 6, .gs, "o", 9, .gs, "p", 0, 0,
                2, 0, 3, [3, 0], "pdf", .esc, "d", 3, 0x12, "q", 1))
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        #expect(try await SymbolReader.zbar(paper.picture).map(\.data) == ["kiosk"])
        if let read = try await SymbolReader.zxing(paper.picture) {
            #expect(Set(read.map(\.data)) == ["kiosk", "pdf"])
        }
        #expect(try printed(job(.gs, "p", 1, 1, "L", 0, "B", [1, 0], "x")).faults.count == 1)
        #expect(try printed(job(.gs, "p", 7)).faults.count == 1)
    }

    @Test func `PDF417 has the columns, the row height and the form that were asked for`() throws {
        func width(_ settings: [UInt8]) throws -> Int? {
            try printed(settings + job(.gs, "(k", .block("0P0", "PDF417"), .gs, "(k", .block("0Q0"))).picture.inkBounds?
                .x.count
        }
        // Start 17, two indicators of 17, each column 17, stop 18; truncated the right indicator is left out and the
        // stop is a dot.
        #expect(try width(job(.gs, "(k", .block("0A", 3))) == 3 * (17 * 6 + 18))
        #expect(try width(job(.gs, "(k", .block("0A", 3), .gs, "(k", .block("0F", 1))) == 3 * (17 * 5 + 1))
    }

    @Test func `data that is missing or too much is refused`() throws {
        #expect(try printed(job(.gs, "(k", .block("1Q0"))).faults.count == 1)
        #expect(try printed(qr(String(repeating: "x", count: 3000))).faults.count == 1)
        #expect(
            try printed(job(.gs, "(k", .block("1C", 0), .gs, "(k", .block("9P0"), .gs, "(k", .block())).faults.count
                == 3)
        #expect(
            try printed(qr(String(repeating: "x", count: 1000), job(.gs, "(k", .block("1C", 16)))).faults.count == 1)
    }
}
