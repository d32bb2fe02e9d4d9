import Foundation
import TestSupport
import Testing

@testable import Receipts

/// Pages of PWG and Apple Raster, read by CUPS's own library.
@Suite struct RasterPeerTests {
    /// Writes each page's dots behind a line with its width, height, bits, colour space, resolution, and whether it is
    /// cut.
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

    /// All of the corpus in the form that receipt printers take, some of it in the others.
    private static let cases: [(String, RasterPrinter.Format)] =
        PaintedReceiptTests.names.map { ($0, .pwgBlack) }
        + ["till-german", "rules-and-cuts", "barcodes", "narrow"].flatMap { name in
            [RasterPrinter.Format.pwgGrey, .urf].map { (name, $0) }
        }

    @Test(.enabled(if: python != nil), arguments: cases)
    func `pages are what was painted`(_ name: String, _ format: RasterPrinter.Format) async throws {
        let layout = try GoldenReceipts(name: name).layout()
        let document = try ReceiptDocument(
            layout, for: .raster(RasterPrinter(paper: layout.paper, format: format, dotsPerInch: 203)))
        let drawn = try BitmapArtist.drawn(document.drawings)
        let folder = try TemporaryFolder("raster")
        let file = try folder.write(document.bytes(with: drawn), to: "page.ras")
        let result = try await ChildProcess.run(try #require(Self.python), ["-c", Self.script, file])
        #expect(result.end.isSuccess, "\(result.standardError)")
        let pages = try ReceiptPicture(layout).pages(with: drawn)
        let expected = pages.flatMap { page -> [String] in
            let (width, height) = (page.matrix.width, page.matrix.height)
            let length = format == .pwgBlack ? page.matrix.stride * height : width * height
            let colour = format == .pwgBlack ? "1 3" : "8 18"
            // Apple Raster says nothing of cuts, and CUPS takes its grey for the PWG's.
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
