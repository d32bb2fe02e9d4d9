import KioskPaperPictures
import KioskSimulatedPaper
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Tesseract reads what the corpus says in Latin letters, in the fonts of the system and in a printer's own: most words
/// letter by letter, and of every line at least one.
@Suite struct LatinTextTests {
    /// Documents with Latin words, without commands.
    private static let names = RenderedReceiptTests.names.filter { name in
        (try? GoldenReceipts(name: name).layout()).map { !LatinLines.words(of: $0).isEmpty } ?? true
    }

    /// In percent of the words.
    private static let leastOfAll = 95.0
    private static let leastOfEach = 80.0

    /// Twelve columns are too few for Tesseract to find the lines, and it loses count of Vietnamese vowels with two
    /// marks in wide letters.
    private static let hardDocuments = ["narrow", "till-vietnamese"]
    /// Alone on its line, and three times as large as what stands around it; indented below a line that is three times
    /// as large.
    private static let hardLines = ["kitchen: Beer", "kitchen: onions"]

    @Test func `in previews`() async throws {
        try await Self.check { layout in
            let picture = ReceiptPicture(layout)
            return Bitmap(try picture.matrix(with: SystemRenderer.drawn(picture.drawings))).framed
        }
    }

    @Test func `on paper of ESC POS printers`() async throws {
        try await Self.check { layout in
            try PrintedReceipt(
                layout, for: .escPos(EscPosCapabilities(paper: layout.paper)), drawn: { try SystemRenderer.drawn($0) }
            ).picture
        }
    }

    private static func check(_ print: (ReceiptLayout) throws -> Bitmap) async throws {
        let layouts = try names.map { try GoldenReceipts(name: $0).layout() }
        let pages = try await LatinReader.words(on: layouts.map(print))
        var (all, unread): (Int, [String]) = (0, [])
        for (name, (layout, page)) in zip(names, zip(layouts, pages)) {
            let reading = LatinLines(of: layout, readFrom: page)
            all += reading.words
            unread += reading.unread
            guard !hardDocuments.contains(name) else { continue }
            #expect(reading.share >= leastOfEach, "\(name): \(reading.unread)")
            #expect(reading.lost.map { "\(name): \($0)" }.filter { !hardLines.contains($0) } == [])
        }
        let share = 100 - Double(unread.count) / Double(all) * 100
        #expect(share >= leastOfAll, "\(unread)")
    }
}
