import KioskDocuments
import KioskPaperPictures
import KioskPrintModel
import KioskReceipts
import KioskSimulatedPaper
import KioskTestSupport
import Testing

@testable import KioskDocumentPrinting

/// Drawn sides on their way to commands: what printers that share no code with the encoders put on paper.
@Suite struct CommandEncoderTests {
    private static func side(width: Int, height: Int, ink: Range<Int>, seed: UInt64 = 1) -> DotMatrix {
        var random = SeededRandom(seed)
        var side = DotMatrix(width: width, height: height)
        for y in ink { for x in 40..<width - 40 where random.next() & 3 == 0 { side[x, y] = true } }
        side[50, ink.lowerBound] = true
        side[50, ink.upperBound - 1] = true
        return side
    }

    private func plan(
        _ settings: PrintingSettings, _ pages: [(Double, Double)]
    ) throws -> (DocumentPlan, CommandEncoder) {
        let id = try #require(PrinterID(rawValue: "label-1"))
        let target = PreparationTarget(
            printer: SavedPrinter(id: id, url: try PrinterURL("socket://192.0.2.1")),
            description: PrinterDescription(formats: [.octetStream]))
        let output = try #require(CommandOutput(target, settings, insteadOf: nil, Ticket()))
        let plan = try DocumentPlan(
            pages: pages.map { PageSize(width: $0.0 * 72 / 25.4, height: $0.1 * 72 / 25.4) }, ticket: Ticket(),
            support: output.paper(for: Ticket()), settings: PlanSettings(kind: output.kind, dpi: settings.dpi))
        return (plan, try #require(output.encoder(for: plan)))
    }

    /// The rows that come in parts of any length.
    private func encode(_ side: DotMatrix, by encoder: inout CommandEncoder) throws -> [UInt8] {
        var rest = side.bytes[...]
        var length = 1
        while !rest.isEmpty {
            encoder.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
            length = length * 2 % 8191 + 1
        }
        return try encoder.endSide(width: side.width, height: side.height)
    }

    @Test func `a ticket has no white above and below it, and lies in the middle of the head`() throws {
        var (plan, encoder) = try plan(CommandOutputTests.escPOS, [(80, 100)])
        let (width, height) = (plan.side(0).width, plan.side(0).height)
        #expect([width, height] == [639, 799])
        let side = Self.side(width: width, height: height, ink: 200..<500)
        let bytes = try encode(side, by: &encoder)
        var model = PaperModel()
        model.width = 576
        var printer = try PaperPrinter(model)
        let paper = try #require(printer.print(bytes, as: .escPOS).first)
        #expect(paper.faults.map(\.line) == [] && paper.cuts.count == 1)
        for y in 0..<300 {
            for x in 0..<576 { #expect(paper.picture[model.margin + x, y] == side[32 + x, 200 + y], "\(x) \(y)") }
        }
        #expect(!encoder.losesDots)
        // What the head does not reach is noticed.
        var wide = side
        wide[3, 300] = true
        #expect(try encode(wide, by: &encoder) == bytes)
        #expect(encoder.losesDots)
    }

    @Test func `a white ticket is nothing, and a white label a label`() throws {
        var (plan, encoder) = try plan(CommandOutputTests.escPOS, [(80, 100)])
        #expect(try encode(DotMatrix(width: plan.side(0).width, height: plan.side(0).height), by: &encoder) == [])
        var settings = CommandOutputTests.zpl
        settings.language = .tspl
        (plan, encoder) = try self.plan(settings, [(101.6, 152.4)])
        let label = try encode(DotMatrix(width: plan.side(0).width, height: plan.side(0).height), by: &encoder)
        #expect(String(decoding: label, as: UTF8.self).contains("PRINT 1,1"))
    }

    @Test func `a label is as long as planned, whatever the profile's whole millimetres say`() throws {
        var (plan, encoder) = try plan(CommandOutputTests.zpl, [(101.6, 152.4)])
        let side = Self.side(width: plan.side(0).width, height: plan.side(0).height, ink: 10..<1_200)
        let bytes = try encode(side, by: &encoder)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("^PW812\n^LL1218\n") && !text.contains("^MNN"))
        var model = PaperModel()
        model.width = 812
        var printer = try PaperPrinter(model)
        let papers = printer.print(bytes, as: .zpl)
        #expect(papers.count == 1)
        #expect(papers[0].picture == Bitmap(width: 812, height: 1218, rows: side.bytes))
    }

    @Test func `labels of a size that no profile knows have a gap, and continuous ones have none`() throws {
        let endless = PrintingSettings.Label(width: 57, height: 32, gap: 0)
        for (label, expected) in [(nil, "GAP 3.2 mm"), (endless, "GAP 0 mm")] {
            let settings = PrintingSettings(language: .tspl, dots: 456, label: label)
            var (plan, encoder) = try plan(settings, [(57, 32)])
            let side = plan.side(0)
            let bytes = try encode(DotMatrix(width: side.width, height: side.height), by: &encoder)
            #expect(String(decoding: bytes, as: UTF8.self).contains(expected))
        }
    }

    @Test func `rows that are missing are an error, and no half of a label`() throws {
        var (plan, encoder) = try plan(CommandOutputTests.zpl, [(101.6, 152.4)])
        encoder.append([0xFF])
        #expect(throws: DocumentProblem.self) { try encoder.endSide(width: 812, height: 1218) }
        // The next side begins anew.
        let side = Self.side(width: plan.side(0).width, height: plan.side(0).height, ink: 10..<20)
        #expect(try !encode(side, by: &encoder).isEmpty)
    }
}
