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
