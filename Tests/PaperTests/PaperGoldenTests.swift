import Foundation
import KioskPaperPictures
import KioskTestSupport
import Testing

@testable import KioskSimulatedPaper

/// `RECORD_PAPER=1 swift test --filter PaperGoldenTests` writes the pictures and dumps again, for review.
@Suite struct PaperGoldenTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Golden/paper")

    @Test(arguments: PaperSamples.escPOS.map(\.name)) func `ESC POS is drawn and listed as it was reviewed`(
        _ name: String
    ) throws {
        let sample = try #require(PaperSamples.escPOS.first { $0.name == name })
        try Self.compare(try printed(sample.bytes), name)
    }

    @Test func `Star is drawn and listed as it was reviewed`() throws {
        try Self.compare(try printed(PaperSamples.star, as: .star), "star-receipt")
    }

    @Test func `ZPL is drawn and listed as it was reviewed`() throws {
        var printer = try PaperPrinter.forTests()
        let labels = printer.print(Array(PaperSamples.zpl.utf8), as: .zpl)
        #expect(labels.count == 1)
        try Self.compare(try #require(labels.first), "zpl-label")
    }

    static func compare(_ paper: PrintedPaper, _ name: String) throws {
        let picture = folder.appendingPathComponent("\(name).png")
        let dump = folder.appendingPathComponent("\(name).txt")
        let file = PNGFile.bytes(paper.picture, dotsPerInch: 203)
        if ProcessInfo.processInfo.environment["RECORD_PAPER"] != nil {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(file).write(to: picture)
            try Data(paper.dump.utf8).write(to: dump)
        }
        #expect(paper.dump == String(decoding: try Data(contentsOf: dump), as: UTF8.self))
        #expect(PNGRows(file) == PNGRows([UInt8](try Data(contentsOf: picture))), "the picture is another one")
    }
}
