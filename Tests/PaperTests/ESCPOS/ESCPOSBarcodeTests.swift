import KioskTestSupport
import Testing

@testable import KioskSimulatedPaper

@Suite struct ESCPOSBarcodeTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        var symbology: UInt8
        var data: String
        /// The symbology's name in zbar.
        var kind: String
        var read: String
        var testDescription: String { "\(symbology) \(data)" }

        init(_ symbology: UInt8, _ data: String, _ kind: String, _ read: String) {
            self.symbology = symbology
            self.data = data
            self.kind = kind
            self.read = read
        }
    }

    static let samples = [
        Sample(65, "01234567890", "UPC-A", "012345678905"), Sample(65, "012345678905", "UPC-A", "012345678905"),
        Sample(66, "123456", "UPC-E", "01234565"), Sample(66, "01234565", "UPC-E", "01234565"),
        Sample(66, "012345000058", "UPC-E", "01234558"), Sample(66, "01200000789", "UPC-E", "01278907"),
        Sample(67, "400638133393", "EAN-13", "4006381333931"), Sample(67, "9780201379624", "EAN-13", "9780201379624"),
        Sample(68, "9638507", "EAN-8", "96385074"), Sample(68, "96385074", "EAN-8", "96385074"),
        Sample(69, "CODE-39 $/+%.", "CODE-39", "CODE-39 $/+%."), Sample(69, "*0123456789*", "CODE-39", "0123456789"),
        Sample(69, "ABCDEFGHIJKLM", "CODE-39", "ABCDEFGHIJKLM"),
        Sample(69, "NOPQRSTUVWXYZ", "CODE-39", "NOPQRSTUVWXYZ"),
        Sample(70, "0123456789012345", "I2/5", "0123456789012345"), Sample(71, "A40156B", "Codabar", "A40156B"),
        Sample(71, "C0123456789-$:/.+D", "Codabar", "C0123456789-$:/.+D"), Sample(72, "CODE 93", "CODE-93", "CODE 93"),
        Sample(72, "abc XYZ,!?[]{}", "CODE-93", "abc XYZ,!?[]{}"),
        Sample(72, "0123456789-. $/+%", "CODE-93", "0123456789-. $/+%"),
        Sample(73, "{BNo. {{1}", "CODE-128", "No. {1}"), Sample(73, "{AABC 12", "CODE-128", "ABC 12"),
        Sample(73, "{C\u{0C}\u{22}\u{38}", "CODE-128", "123456"),
        Sample(73, "{BAb{C\u{01}\u{63}{Bz", "CODE-128", "Ab0199z"),
        Sample(73, "{BABCDEFGHIJKLMNOP", "CODE-128", "ABCDEFGHIJKLMNOP"),
        Sample(73, "{Bqrstuvwxyz~|_", "CODE-128", "qrstuvwxyz~|_"),
        Sample(74, "(01)09501101020917", "CODE-128", "0109501101020917"),
        Sample(74, "(01)0950110102091*(17)261231", "CODE-128", "010950110102091717261231"),
        Sample(79, "Order 20261122 x", "CODE-128", "Order 20261122 x"), Sample(79, "12345", "CODE-128", "12345"),
        Sample(75, "0950110153000", "DataBar", "0109501101530003"),
        Sample(76, "0950110153000", "DataBar", "0109501101530003"),
        Sample(78, "(01)09501101530003(3103)001750", "DataBar-Exp", "01095011015300033103001750"),
    ]

    @Test(arguments: samples) func `zbar reads it back`(_ sample: Sample) async throws {
        let data = Array(sample.data.utf8)
        for module in UInt8(2)...3 {
            let paper = try printed(
                job(
                    "above\n", .gs, "h", 80, .gs, "w", [module].part, .gs, "H", 2, .esc, "a", 1, .gs, "k",
                    [sample.symbology, UInt8(data.count)].part, data.part, "below\n"))
            let isTooWide = paper.faults.contains { $0.line.contains("which the print area is not") }
            #expect(paper.faults.isEmpty || (isTooWide && module == 3), "\(paper.dump)")
            guard !isTooWide else { continue }
            #expect(
                try await SymbolReader.zbar(paper.picture) == [DecodedSymbol(kind: sample.kind, data: sample.read)],
                "module \(module)")
        }
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6]) func `form A is the same with a NUL at its end`(_ symbology: UInt8) throws {
        let data = ["01234567890", "01234565", "4006381333931", "96385074", "CODE 39", "1234", "A12B"][Int(symbology)]
        let a = try printed(job(.gs, "k", [symbology].part, .text(data), 0, "x\n"))
        let b = try printed(job(.gs, "k", [symbology + 65, UInt8(data.utf8.count)].part, .text(data), "x\n"))
        #expect(a.picture == b.picture)
        #expect(a.faults.isEmpty)
    }

    @Test(
        arguments: [
            (65, "0123"), (65, "01234567890A"), (65, "012345678900"), (66, "12345"), (66, "099999999999"), (67, "123"),
            (67, "4006381333932"),
            (68, "96385075"), (69, "lower"), (69, "**"), (70, "123"), (70, "12x4"), (71, "A12"), (71, "AB12C"),
            (72, ""), (73, "no set"),
            (73, "{Blow{"), (73, "{Alow"), (73, "{C\u{64}"), (73, "{B"), (73, "{Bx{9"), (75, "letters"), (79, "é"),
            (80, "1"), (74, "{x"),
        ] as [(UInt8, String)]) func `data that cannot be is refused, and nothing is drawn`(
            _ symbology: UInt8, _ data: String
        ) throws
    {
        let paper = try printed(job(.gs, "k", [symbology, UInt8(data.utf8.count)].part, .text(data), "x\n"))
        #expect(paper.faults.count == 1, "\(paper.dump)")
        #expect(paper.picture == (try printed(job("x\n")).picture))
    }

    @Test func `the text is above, below or both, centred`() throws {
        let plain = try #require(try printed(job(.gs, "k", 4, "AB", 0)).picture.inkBounds)
        for (place, rows) in [(UInt8(1), 26), (2, 26), (3, 52)] {
            let paper = try printed(job(.gs, "H", [place].part, .gs, "k", 4, "AB", 0))
            #expect(paper.picture.height == plain.y.count + rows)
            #expect(paper.picture.inkBounds?.x == plain.x)
        }
        let small = try printed(job(.gs, "f", 1, .gs, "H", 2, .gs, "k", 4, "AB", 0))
        #expect(small.picture.height == plain.y.count + 19)
    }

    @Test func `a barcode wider than the paper isn't printed`() throws {
        let paper = try printed(job(.gs, "w", 6, .gs, "k", 4, .text(String(repeating: "A", count: 20)), 0))
        #expect(paper.picture.isBlank)
        #expect(paper.faults.count == 1)
    }
}
