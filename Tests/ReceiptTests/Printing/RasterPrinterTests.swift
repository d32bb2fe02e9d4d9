import SimulatedPaper
import Testing

@testable import Receipts

/// Pages of PWG and Apple Raster.
@Suite struct RasterPrinterTests {
    private static func matrix(_ width: Int, _ rows: [[UInt8]]) throws -> DotMatrix {
        try #require(DotMatrix(width: width, height: rows.count, bytes: rows.flatMap(\.self)))
    }

    @Test(
        arguments: [
            ([[0, 0, 0]], [0, 2, 0]), ([[1, 2, 3]], [0, 254, 1, 2, 3]),
            ([[1, 2, 2, 2, 3, 4]], [0, 0, 1, 2, 2, 255, 3, 4]), ([[7], [7], [8]], [1, 0, 7, 0, 0, 8]),
            ([[1, 1, 2]], [0, 1, 1, 0, 2]),
            ([[1, 2, 1, 1]], [0, 255, 1, 2, 1, 1]),
        ] as [([[UInt8]], [UInt8])])
    func `rows are packed`(_ rows: [[UInt8]], _ packed: [UInt8]) throws {
        #expect(RasterRows.packed(try Self.matrix(rows[0].count * 8, rows), asBits: true) == packed)
    }

    @Test func `grey has a byte for each dot, and long runs are several`() throws {
        #expect(RasterRows.packed(try Self.matrix(8, [[0x18]]), asBits: false) == [0, 2, 0xFF, 1, 0, 2, 0xFF])
        #expect(
            RasterRows.packed(DotMatrix(width: 200, height: 300), asBits: false) == [
                255, 127, 0xFF, 71, 0xFF, 43, 127, 0xFF, 71, 0xFF,
            ])
    }

    @Test func `the layout stands amid its page, which has a least length`() throws {
        let layout = try ReceiptLayout(Receipt([.rule]), on: ReceiptPaper(dots: 96))
        let printer = RasterPrinter(
            paper: layout.paper, format: .pwgBlack, dotsPerInch: 203, pageWidth: 128, shortestPage: 64)
        let printed = try PrintedReceipt(layout, for: .raster(printer))
        #expect(printed.faults == [])
        #expect((printed.picture.width, printed.picture.height) == (128, 64))
        #expect((0..<128).filter { printed.picture[$0, 11] } == Array(16..<112))
    }

    @Test func `what is no page is an error`() throws {
        let printer = RasterPrinter(paper: ReceiptPaper(columns: 48), format: .urf, dotsPerInch: 203)
        #expect(throws: ReceiptError.self) {
            try ReceiptDocument(Receipt([.cut(.full)]), for: .raster(printer)).bytes(with: .nothing)
        }
        #expect(throws: ReceiptError.self) {
            try ReceiptDocument(Receipt([.command([0x1B, 0x40]), .rule]), for: .raster(printer)).bytes(with: .nothing)
        }
        #expect(throws: ReceiptError.self) {
            try ReceiptDocument(
                Receipt([ReceiptElement](repeating: .feed(lines: 255), count: 11)), for: .raster(printer)
            ).bytes(with: .nothing)
        }
    }
}
