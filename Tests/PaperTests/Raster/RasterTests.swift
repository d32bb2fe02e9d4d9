import Foundation
import KioskTestSupport
import Testing

@testable import KioskSimulatedPaper

@Suite struct RasterTests {
    /// Pages of 37 by 5 dots as libcups writes them: a pattern, once more with each dot reversed.
    private static func written(by mode: Int, bits: Int, colour: Int) async throws -> [UInt8] {
        let folder = try TemporaryFolder("raster")
        let file = folder.appending("pages")
        let script = """
            import ctypes, os, struct, sys
            mode, bits, colour = \(mode), \(bits), \(colour)
            cups = ctypes.CDLL("libcups.so.2")
            cups.cupsRasterOpen.restype = ctypes.c_void_p
            descriptor = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
            raster = ctypes.c_void_p(cups.cupsRasterOpen(descriptor, mode))
            width, height = 37, 5
            stride = (width * bits + 7) // 8
            header = bytearray(1796)
            header[0:10] = b"PwgRaster\\0"
            for offset, value in ((276, 203), (280, 203), (372, width), (376, height), (384, min(bits, 8)), (388, bits), (392, stride), (396, 0), (400, colour), (420, bits // 8 if bits > 8 else 1)):
                header[offset:offset + 4] = struct.pack("=I", value)
            for page in range(2):
                assert cups.cupsRasterWriteHeader2(raster, ctypes.create_string_buffer(bytes(header), 1796)), "header"
                for y in range(height):
                    row = bytearray(stride)
                    for x in range(width):
                        black = ((x * x + (0 if y == 1 else y)) % 5 < 2 and x < 30) != (page == 1)
                        if bits == 1: row[x // 8] |= (0x80 >> x % 8) if black == (colour == 3) else 0
                        else:
                            for part in range(bits // 8): row[x * bits // 8 + part] = 0 if black else 255
                    assert cups.cupsRasterWritePixels(raster, ctypes.create_string_buffer(bytes(row), stride), stride) == stride, "row"
            cups.cupsRasterClose(raster)
            """
        let result = try await ChildProcess.run("/usr/bin/python3", ["-c", script, file])
        guard result.end.isSuccess else { throw TestSupportError("libcups: \(result.standardError)") }
        return try readFile(file)
    }

    private static let expected = (0..<5).map { y in
        String((0..<37).map { x in (x * x + (y == 1 ? 0 : y)) % 5 < 2 && x < 30 ? "#" : "." as Character })
    }

    @Test(arguments: [
        (3, 8, 18, PaperLanguage.pwg), (3, 24, 19, .pwg), (3, 1, 3, .pwg), (3, 8, 3, .pwg), (4, 8, 18, .urf),
        (4, 24, 19, .urf),
    ])
    func `reads pages that libcups wrote`(
        _ mode: Int, _ bits: Int, _ colour: Int, _ language: PaperLanguage
    ) async throws {
        let bytes = try await Self.written(by: mode, bits: bits, colour: colour)
        #expect(PaperLanguage(mediaType: nil, firstBytes: bytes.prefix(16)) == language)
        let pages = RasterReader.print(bytes, as: language)
        #expect(pages.flatMap(\.faults).isEmpty, "\(pages.map(\.dump))")
        #expect(pages.count == 2)
        let isBlackInk = bits == 8 && colour == 3
        let first = pages.first?.picture.drawing
        let second = pages.last?.picture.drawing
        #expect((isBlackInk ? second : first) == Self.expected)
        #expect((isBlackInk ? first : second) == Self.expected.map { String($0.map { $0 == "#" ? "." : "#" }) })
    }

    @Test func `pages that end early or claim too much are reported`() async throws {
        let bytes = try await Self.written(by: 3, bits: 8, colour: 18)
        for count in [0, 3, 4, 100, 1801, 1810, bytes.count - 1] {
            let pages = RasterReader.print(Array(bytes.prefix(count)), as: .pwg)
            #expect(pages.contains { !$0.faults.isEmpty } || count == 4, "\(count)")
        }
        var huge = bytes
        huge.replaceSubrange(4 + 372..<4 + 380, with: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(RasterReader.print(huge, as: .pwg).flatMap(\.faults).count == 1)
        #expect(
            RasterReader.print(Array("UNIRAST\0".utf8) + [0, 0, 0, 1] + [UInt8](repeating: 0xFF, count: 32), as: .urf)
                .flatMap(\.faults).count == 1)
    }

    @Test func `random bytes behind a header end in bounded pages`() async throws {
        let head = try await Self.written(by: 3, bits: 24, colour: 19).prefix(1800)
        for seed in 0..<50 {
            let bytes = Array(head) + Noise.bytes(seed, starts: [[0x80], [0, 0x80], [255, 1]])
            for page in RasterReader.print(bytes, as: .pwg) { #expect(page.picture.height <= 5) }
        }
    }
}
