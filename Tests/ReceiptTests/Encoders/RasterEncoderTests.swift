import Foundation
import KioskSimulatedPaper
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Pages of PWG and Apple Raster.
@Suite struct RasterEncoderTests {
    @Test func `the layout stands amid its page, which has a least length`() throws {
        let layout = try ReceiptLayout(Receipt([.rule]), on: ReceiptPaper(dots: 96))
        let capabilities = RasterCapabilities(
            paper: layout.paper, format: .pwgBlack, dotsPerInch: 203, pageWidth: 128, minimumPageLength: 64)
        let printed = try PrintedReceipt(layout, for: .raster(capabilities))
        #expect(printed.faults == [])
        #expect((printed.picture.width, printed.picture.height) == (128, 64))
        #expect((0..<128).filter { printed.picture[$0, 11] } == Array(16..<112))
    }

    @Test func `what is not a page is an error`() throws {
        let capabilities = RasterCapabilities(paper: ReceiptPaper(columns: 48), format: .urf, dotsPerInch: 203)
        #expect(throws: ReceiptError.self) {
            try ReceiptDocument(Receipt([.cut(.full)]), for: .raster(capabilities)).bytes(with: .nothing)
        }
        #expect(throws: ReceiptError.self) {
            try ReceiptDocument(Receipt([.command([0x1B, 0x40]), .rule]), for: .raster(capabilities)).bytes(
                with: .nothing)
        }
        #expect(throws: ReceiptError.self) {
            let receipt = Receipt([.rule, .cut(.full), .command([0x1B, 0x40])])
            return try ReceiptDocument(receipt, for: .raster(capabilities)).bytes(with: .nothing)
        }
        #expect(throws: ReceiptError.self) {
            try ReceiptDocument(
                Receipt([ReceiptElement](repeating: .feed(lines: 255), count: 11)), for: .raster(capabilities)
            ).bytes(with: .nothing)
        }
    }
}

/// Pages of PWG and Apple Raster, read by CUPS's own library.
@Suite struct RasterPeerTests {
    /// Writes a line with each page's width, height, bits, colour space, resolution, cut and length, then its dots.
    private static let script = """
        import ctypes, os, struct, sys
        cups = ctypes.CDLL("libcupsimage.so.2")
        cups.cupsRasterOpen.restype = ctypes.c_void_p
        raster = ctypes.c_void_p(cups.cupsRasterOpen(os.open(sys.argv[1], os.O_RDONLY), 0))
        header = ctypes.create_string_buffer(1796)
        out = sys.stdout.buffer
        while cups.cupsRasterReadHeader2(raster, header):
            number = lambda offset: struct.unpack_from("I", header.raw, offset)[0]
            length = number(392) * number(376)
            dots = ctypes.create_string_buffer(max(length, 1))
            got = cups.cupsRasterReadPixels(raster, dots, length)
            out.write(("%d %d %d %d %d %d %d\\n" % (number(372), number(376), number(388), number(400), number(276), number(268), got)).encode())
            out.write(dots.raw[:length].hex().encode() + b"\\n")
        """

    private static let python = try? InstalledProgram.path("python3", package: "python3")

    /// The whole corpus in the format of receipt printers, and parts of it in the others.
    private static let cases: [(String, RasterCapabilities.Format)] =
        RenderedReceiptTests.names.map { ($0, .pwgBlack) }
        + ["till-german", "rules-and-cuts", "barcodes", "narrow"].flatMap { name in
            [RasterCapabilities.Format.pwgGrey, .urf].map { (name, $0) }
        }

    @Test(.enabled(if: python != nil), arguments: cases)
    func `pages are what was rendered`(_ name: String, _ format: RasterCapabilities.Format) async throws {
        let layout = try GoldenReceipts(name: name).layout()
        let document = try ReceiptDocument(
            layout, for: .raster(RasterCapabilities(paper: layout.paper, format: format, dotsPerInch: 203)))
        let drawn = try BitmapRenderer.drawn(document.drawings)
        let folder = try TemporaryFolder("raster")
        let file = try folder.write(document.bytes(with: drawn), to: "page.ras")
        let result = try await ChildProcess.run(try #require(Self.python), ["-c", Self.script, file])
        #expect(result.end.isSuccess, "\(result.standardError)")
        let pages = try ReceiptPicture(layout).pages(with: drawn)
        let expected = pages.flatMap { page -> [String] in
            let (width, height) = (page.matrix.width, page.matrix.height)
            let length = format == .pwgBlack ? page.matrix.stride * height : width * height
            let colour = format == .pwgBlack ? "1 3" : "8 18"
            // Apple Raster has no field for cuts, and CUPS reads its grey as the PWG's.
            let isCut = format != .urf && page.end != nil && page.end != .feed
            return [
                "\(width) \(height) \(colour) 203 \(isCut ? 4 : 0) \(length)",
                Self.hex(page.matrix, asBits: format == .pwgBlack),
            ]
        }
        #expect(result.standardOutput.split(separator: "\n").map { String($0) } == expected)
    }

    private static func hex(_ matrix: DotMatrix, asBits: Bool) -> String {
        let bytes =
            asBits
            ? matrix.bytes : (0..<matrix.height).flatMap { y in (0..<matrix.width).map { matrix[$0, y] ? 0 : 0xFF } }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
