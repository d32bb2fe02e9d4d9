import KioskPageEncoding
import KioskPrintModel
import KioskTestSupport
import Testing

/// PWG and Apple Raster, read by CUPS's own library.
@Suite struct PageRasterPeerTests {
    /// Writes for each page a line with its numbers, a line with its names, and its pixels.
    private static let script = """
        import ctypes, os, struct, sys
        cups = ctypes.CDLL("libcupsimage.so.2")
        cups.cupsRasterOpen.restype = ctypes.c_void_p
        raster = ctypes.c_void_p(cups.cupsRasterOpen(os.open(sys.argv[1], os.O_RDONLY), 0))
        header = ctypes.create_string_buffer(1796)
        out = sys.stdout.buffer
        while cups.cupsRasterReadHeader2(raster, header):
            number = lambda offset: struct.unpack_from("i", header.raw, offset)[0]
            text = lambda offset: header.raw[offset:offset + 64].split(b"\\0")[0]
            length = number(392) * number(376)
            dots = ctypes.create_string_buffer(max(length, 1))
            got = cups.cupsRasterReadPixels(raster, dots, length)
            offsets = [372, 376, 384, 388, 392, 396, 400, 420, 276, 280, 268, 272, 368, 324] + list(range(452, 488, 4))
            if header.raw[:9] == b"PwgRaster" and sys.argv[2] == "pwg": offsets += [340, 352, 356]
            out.write(" ".join(str(number(offset)) for offset in offsets).encode() + b"\\n")
            out.write(b"|".join(text(offset) for offset in (0, 128, 192, 1668, 1732)) + b"\\n")
            out.write(dots.raw[:got].hex().encode() + b"\\n")
        """

    /// A page with every field, and what libcups reads of it.
    private struct Expected {
        var numbers: [Int]
        var names: [String]
    }

    private static func expected(_ page: RasterPage, _ language: PageLanguage) -> Expected {
        let (bits, space, colors) =
            switch page.color {
            case .black1: (1, 3, 1)
            case .gray8: (8, 18, 1)
            case .rgb24: (8, 19, 3)
            }
        let isPWG = language == .pwgRaster
        let isDuplex = page.sides != .oneSided
        let box = isPWG ? page.imageBox : nil
        var numbers = [
            page.width, page.height, bits, bits * colors, page.bytesPerRow, 0, space, colors, page.dpi, page.dpi,
            isPWG && page.isCut ? 4 : 0, isDuplex ? 1 : 0, page.sides == .twoSidedShortEdge ? 1 : 0,
            page.mediaSource == "main" ? 1 : page.mediaSource == "roll-2" ? 41 : 0,
            // From TotalPageCount to PrintQuality. Apple Raster says nothing of transforms, and libcups passes over its
            // number of pages.
            isPWG ? page.sideCount : 0, isPWG ? page.crossFeedTransform : 0, isPWG ? page.feedTransform : 0,
            box?.left ?? 0, box?.top ?? 0, box?.right ?? 0, box?.bottom ?? 0, 0xFF_FFFF,
            page.quality.map { [.draft: 3, .normal: 4, .high: 5][$0]! } ?? (isPWG ? 0 : 4),
        ]
        if isPWG { numbers += [1, 595, 842] }
        let names =
            isPWG
            ? [page.mediaType ?? "", page.contentOptimize ?? "", page.renderingIntent ?? "", page.mediaName ?? ""]
            : [page.mediaType ?? "auto", "", "", ""]
        return Expected(numbers: numbers, names: ["PwgRaster"] + names)
    }

    private static let formats: [(PageLanguage, PageColor)] = [
        (.pwgRaster, .black1), (.pwgRaster, .gray8), (.pwgRaster, .rgb24), (.appleRaster, .gray8),
        (.appleRaster, .rgb24),
    ]

    @Test(arguments: formats, Ticket.Sides.allCases)
    func `libcups reads every field and every pixel`(
        _ format: (PageLanguage, PageColor), _ sides: Ticket.Sides
    ) async throws {
        let (language, color) = format
        let python = try InstalledProgram.path("python3", package: "python3")
        var front = RasterPage(width: 2480, height: 120, dpi: 300, color: color)
        (front.paperWidth, front.paperHeight) = (21_000, 29_700)
        front.sides = sides
        front.sideCount = 2
        front.mediaName = "iso_a4_210x297mm"
        front.mediaType = "stationery"
        front.mediaSource = "main"
        var back = front
        (back.width, back.height, back.dpi) = (1237, 90, 150)
        back.isBack = true
        (back.crossFeedTransform, back.feedTransform) = (-1, -1)
        back.quality = sides == .oneSided ? .draft : .high
        back.imageBox = DotRectangle(left: 1, top: 2, right: 1000, bottom: 88)
        back.mediaType = nil
        back.mediaSource = "roll-2"
        back.contentOptimize = "text"
        back.renderingIntent = "relative"
        back.isCut = true
        let pages = [TestSide(front, seed: 21), TestSide(back, seed: 22)]
        let bytes = try encoded(pages, RasterDocument(language, sideCount: 2), band: 50)
        let folder = try TemporaryFolder("raster")
        let file = try folder.write(bytes, to: "page.ras")
        let child = try ChildProcess(
            python, ["-c", Self.script, file, language == .pwgRaster ? "pwg" : "urf"], outputLimit: 64 << 20)
        #expect(try await child.wait().isSuccess, "\(child.standardError)")
        let read = child.standardOutput.split(separator: "\n").map(String.init)
        let wanted = pages.flatMap { side in
            let expected = Self.expected(side.page, language)
            return [
                expected.numbers.map(String.init).joined(separator: " "), expected.names.joined(separator: "|"),
                hex(side.rows),
            ]
        }
        #expect(read.count == wanted.count)
        for (index, (read, wanted)) in zip(read, wanted).enumerated() {
            if index % 3 == 2 { #expect(same(read, wanted)) } else { #expect(read == wanted) }
        }
    }
}

/// Lowercase digits, two for each byte.
func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
