import KioskPaperPictures
import KioskPrintModel
import KioskSimulatedPaper
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Whatever a receipt contains and a printer lacks: nothing is refused, nothing is cut off, and the paper is as long as
/// the layout.
@Suite struct PrintedBoundsTests {
    /// Printers by name, on any paper.
    static let targets: [(String, @Sendable (ReceiptPaper) -> ReceiptTarget)] = [
        ("ESC/POS, rows", { .escPos(EscPosCapabilities(paper: $0, symbologies: [])) }),
        (
            "ESC/POS, graphics",
            {
                .escPos(
                    EscPosCapabilities(
                        paper: $0, codePages: [.cp437: 0], symbologies: [], raster: .graphics, bandRows: 100))
            }
        ),
        (
            "ESC/POS, nothing of its own",
            {
                .escPos(
                    EscPosCapabilities(paper: $0, codePages: [:], initialCodePage: nil, symbologies: [], bandRows: 7))
            }
        ),
        ("Star", { .star(StarCapabilities(paper: $0, symbologies: [])) }),
        ("Star, raster mode", { .star(StarCapabilities(paper: $0, symbologies: [], raster: .rasterMode)) }),
        ("Star, pictures only", { .star(StarCapabilities(paper: $0, hasText: false)) }),
        ("ZPL", { .label(LabelCapabilities(paper: $0, language: .zpl)) }),
        ("PWG", { .raster(RasterCapabilities(paper: $0, format: .pwgBlack, dotsPerInch: 203)) }),
    ]

    /// Only elements that print on every printer.
    private static func receipt(_ generator: inout RandomReceipt) -> Receipt {
        Receipt(
            generator.receipt().elements.filter { element in
                switch element {
                case .command, .cut, .drawer: false
                default: true
                }
            })
    }

    private static func paper(_ target: Int, _ columns: Int) -> ReceiptPaper {
        var paper = ReceiptPaper(columns: columns)
        if targets[target].0.hasPrefix("Star") { paper.fontB = StarCapabilities.usualPaper.fontB }
        return paper
    }

    @Test(arguments: targets.indices) func `random receipts`(_ target: Int) throws {
        var generator = RandomReceipt(random: SeededRandom(UInt64(31 + target)))
        for round in 0..<rounds(12, long: 1000) {
            let receipt = Self.receipt(&generator)
            // 58 and 80 mm, and others.
            let paper = Self.paper(target, [32, 48, 42, 64, 20][round % 5])
            // The simulated label printer prints no longer pages.
            guard let layout = try? ReceiptLayout(receipt, on: paper), (1...4000).contains(layout.height) else {
                continue
            }
            let printed = try PrintedReceipt(layout, for: Self.targets[target].1(paper))
            #expect(printed.faults == [], "\(String(decoding: ReceiptJSON.write(receipt), as: UTF8.self))")
            #expect(
                printed.picture.height == layout.height,
                "\(String(decoding: ReceiptJSON.write(receipt), as: UTF8.self))")
        }
    }

    /// Strips of 24 rows may make pictures longer, but never shorter.
    @Test func `in strips`() throws {
        var generator = RandomReceipt(random: SeededRandom(47))
        for _ in 0..<rounds(12, long: 1000) {
            let paper = Self.paper(0, 48)
            guard let layout = try? ReceiptLayout(Self.receipt(&generator), on: paper), layout.height > 0 else {
                continue
            }
            let printed = try PrintedReceipt(
                layout, for: .escPos(EscPosCapabilities(paper: paper, symbologies: [], raster: .strips)))
            #expect(printed.faults == [])
            #expect((layout.height...layout.height + 24 * layout.lines.count).contains(printed.picture.height))
        }
    }

    @Test func `each drawer is kicked once, and every cut is done, on both languages of receipts`() throws {
        let rules = ReceiptMarkup.Rules(privileges: Set(ReceiptPrivilege.allCases))
        let receipt = try ReceiptMarkup.read(
            "日本\n{drawer:1}\n=\n|a\n{drawer:1}\n{drawer:2}\n{cut:full}\n日本\n{drawer:2}", rules: rules
        ).receipt
        for (target, kicks) in [(0, ["ESC p", "ESC p"]), (3, ["BEL", "SUB"]), (5, ["BEL", "SUB"])] {
            let paper = Self.paper(target, 48)
            let printed = try PrintedReceipt(ReceiptLayout(receipt, on: paper), for: Self.targets[target].1(paper))
            #expect(printed.papers.first?.cuts.map(\.isPartial) == [true, false])
            let names = printed.papers[0].events.compactMap {
                if case .command(let name, _, _) = $0.kind { name } else { nil }
            }
            #expect(names.filter(Set(["ESC p", "BEL", "SUB"]).contains) == kicks)
        }
    }

    @Test func `a printer without a drawer is remarked`() throws {
        let layout = try ReceiptLayout(
            Receipt([.drawer(DrawerKick()), .feed(lines: 1)]), on: ReceiptPaper(columns: 48))
        #expect(
            try ReceiptDocument(layout, for: Self.targets[7].1(layout.paper)).remarks == [
                "the printer has no drawer: none was opened"
            ])
        #expect(try ReceiptDocument(layout, for: Self.targets[0].1(layout.paper)).remarks == [])
    }
}
