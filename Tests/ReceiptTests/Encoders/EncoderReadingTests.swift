import KioskPaperPictures
import KioskSimulatedPaper
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// A printer that shares no code with the encoder understands every command, prints every character, and prints codes
/// and lines where the layout has them.
@Suite struct EscPosReadingTests {
    private static func model(_ paper: ReceiptPaper) -> PaperModel {
        var model = PaperModel()
        model.width = paper.dots
        return model
    }

    private static func printed(_ layout: ReceiptLayout, _ symbologies: Set<Symbology>) throws -> PrintedPaper {
        let document = try EscPosDocument(
            layout, for: EscPosCapabilities(paper: layout.paper, symbologies: symbologies))
        var printer = try PaperPrinter(model(layout.paper))
        return try #require(printer.print(document.bytes, as: .escPOS).first)
    }

    private static func text(of layout: ReceiptLayout) -> String {
        let text = layout.lines.flatMap { line -> [Character] in
            guard case .text(let text) = line.content else { return [] }
            // Thick and dashed rules are pictures.
            let written = text.strokes.filter { $0.style != .thick && $0.style != .dashed }
            let strokes = written.map { stroke in
                (stroke.column, String(stroke.joints.map { $0.character(stroke.style) }))
            }
            return (text.runs.map { ($0.column, $0.visualText) } + strokes).sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
        return String(text.filter { !$0.isWhitespace })
    }

    /// Documents that need no drawn characters or pictures.
    static let names = GoldenReceipts.names.filter { name in
        guard let layout = try? GoldenReceipts(name: name).layout() else { return false }
        return
            (try? EscPosDocument(
                layout, for: EscPosCapabilities(paper: layout.paper, symbologies: Set(Symbology.allCases))))
            != nil
    }

    @Test(arguments: names) func `all is understood, and all text is there`(_ name: String) throws {
        let layout = try GoldenReceipts(name: name).layout()
        let paper = try Self.printed(layout, Set(Symbology.allCases))
        // The document contains a beep, which not every printer has as a command.
        if name != "drawer-and-commands" { #expect(paper.faults.map(\.line) == []) }
        #expect(paper.text.filter { !$0.isWhitespace } == Self.text(of: layout))
    }

    @Test func `so it is with random receipts`() throws {
        var generator = RandomReceipt(random: SeededRandom(5), texts: RandomReceipt.latin)
        let paper = ReceiptPaper(columns: 48)
        var printer = try PaperPrinter(Self.model(paper))
        for _ in 0..<rounds(25, long: 2000) {
            var receipt = generator.receipt()
            receipt.elements.removeAll { element in
                switch element {
                case .image, .logo, .command: true
                case .code(let code): code.symbology.isStacked
                default: false
                }
            }
            // Turned lines are drawn.
            receipt.elements = receipt.elements.map { element in
                guard case .settings(var settings) = element else { return element }
                settings.turn = nil
                return .settings(settings)
            }
            let layout = try ReceiptLayout(receipt, on: paper)
            let document = try EscPosDocument(
                layout, for: EscPosCapabilities(paper: paper, symbologies: Set(Symbology.allCases)))
            let printed = try #require(printer.print(document.bytes, as: .escPOS).first)
            #expect(printed.faults.map(\.line) == [], "\(String(decoding: ReceiptJSON.write(receipt), as: UTF8.self))")
            #expect(printed.text.filter { !$0.isWhitespace } == Self.text(of: layout))
        }
    }

    @Test(arguments: ["barcodes", "two-dimensional"]) func `codes are drawn where the layout has them`(
        _ name: String
    ) throws {
        let layout = try GoldenReceipts(name: name).layout()
        for line in layout.lines {
            guard case .code(let code) = line.content else { continue }
            var alone = layout
            alone.lines = [line]
            let picture = try Self.printed(alone, Set(Symbology.allCases)).picture
            let inked = (0..<picture.width).filter { column in (0..<picture.height).contains { picture[column, $0] } }
                .map { $0 - Self.model(layout.paper).margin }
            let (left, right) = (try #require(inked.min()), try #require(inked.max()) + 1)
            #expect(left >= code.left && right <= code.left + code.width, "\(code.code)")
            // Bars fill their place. A two-dimensional code may need less: the layout has room for the largest.
            if !code.code.symbology.isTwoDimensional {
                #expect(left == code.left && right == code.left + code.width, "\(code.code)")
            }
        }
    }

    @Test(arguments: ["barcodes", "two-dimensional", "narrow", "label", "escapes"])
    func `zbar reads back what every code says`(_ name: String) async throws {
        let layout = try GoldenReceipts(name: name).layout()
        // zbar reads neither PDF417 nor Data Matrix, and shows control characters in another way.
        let said = layout.lines.compactMap { line -> String? in
            guard case .code(let code) = line.content, ![.pdf417, .datamatrix].contains(code.code.symbology) else {
                return nil
            }
            return String(code.checked.text.filter { $0.asciiValue.map { $0 >= 0x20 } ?? true })
        }
        let read = try await BarcodeReader.data(in: Self.printed(layout, Set(Symbology.allCases)).picture)
        #expect(read.map { String($0.filter { $0.asciiValue.map { $0 >= 0x20 } ?? true }) }.sorted() == said.sorted())
    }

    @Test func `lines are as high as the layout has them`() throws {
        let layout = try GoldenReceipts(name: "text-styles").layout()
        let receipt = Receipt(try GoldenReceipts(name: "text-styles").receipt().elements + [.rule])
        let longer = try ReceiptLayout(receipt, on: layout.paper)
        #expect(try Self.printed(longer, []).picture.height - Self.printed(layout, []).picture.height == 30)
    }
}

/// A Star printer that shares no code with the encoder understands every command.
@Suite struct StarReadingTests {
    static let names = GoldenReceipts.names.filter { $0 != "drawer-and-commands" }

    /// Star's font B is higher than Epson's.
    static func layout(_ name: String) throws -> ReceiptLayout {
        try GoldenReceipts(name: name).layout { $0.fontB = StarCapabilities.usualPaper.fontB }
    }

    static let printers: [(String, @Sendable (ReceiptPaper) -> StarCapabilities)] = [
        ("graphics", { StarCapabilities(paper: $0) }),
        ("raster mode", { StarCapabilities(paper: $0, raster: .rasterMode) }),
        ("without text", { StarCapabilities(paper: $0, hasText: false) }),
    ]

    @Test(arguments: names, printers.indices) func `all is understood`(_ name: String, _ printer: Int) throws {
        let layout = try Self.layout(name)
        let printed = try PrintedReceipt(layout, for: .star(Self.printers[printer].1(layout.paper)))
        #expect(printed.faults == [])
        #expect(
            printed.papers.first?.cuts.count
                == layout.lines.filter { if case .cut(let mode) = $0.content { mode != .feed } else { false } }.count)
    }

    @Test(arguments: ["barcodes", "two-dimensional", "narrow", "label"], printers.indices)
    func `zbar reads back what every code says`(_ name: String, _ printer: Int) async throws {
        let layout = try Self.layout(name)
        let printed = try PrintedReceipt(layout, for: .star(Self.printers[printer].1(layout.paper)))
        #expect(try await BarcodeReader.data(in: printed.picture).sorted() == BarcodeReader.said(in: layout).sorted())
    }
}
