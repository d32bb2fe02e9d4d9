import KioskReceipts
import Testing

/// What the file of a picture shows without decompression.
@Suite struct ReceiptImageTests {
    private static func png(
        _ width: Int = 256, _ height: Int = 64, _ change: (inout [UInt8]) -> Void = { _ in }
    ) -> [UInt8] {
        var file = RandomReceipt.png(width: width, height: height)
        change(&file)
        return file
    }

    /// A frame of 8 × 16 pixels in grey, one scan and the end.
    private static func jpeg(frame: UInt8 = 0xC0, bits: UInt8 = 8, end: [UInt8] = [0xFF, 0xD9]) -> [UInt8] {
        let head: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, frame, 0, 11, bits, 0, 16, 0, 8, 1, 1, 0x11, 0]
        return head + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0x34] + end
    }

    @Test(arguments: [
        png(), png(1, 1), png(3000, 800), png(1, 1) { $0[24] = 8 }, png { $0[28] = 1 }, png { $0.removeLast(12) },
        png { $0.removeLast(3) }, png { $0 += [1, 2, 3] },
        jpeg(), jpeg(frame: 0xC2), jpeg(frame: 0xC9), jpeg(end: [0xFF, 0xD9, 0, 0, 7]),
        [0xFF, 0xD8, 0xFF, 0xFF] + jpeg().dropFirst(3),
    ])
    func `whole files pass, with whatever stands behind them`(file: [UInt8]) throws {
        try ReceiptImage(file).checkStructure()
    }

    @Test(
        arguments: [
            // No picture at all; a depth, a colour type, a compression, a filter and an interlacing that PNG lacks.
            ([], "neither PNG nor JPEG"), (Array("GIF89a".utf8), "neither PNG nor JPEG"),
            (png { $0[24] = 3 }, "kind of pixels"), (png { $0[25] = 2 }, "kind of pixels"),
            (png { $0[25] = 5 }, "kind of pixels"),
            (png { $0[26] = 1 }, "kind of pixels"), (png { $0[27] = 1 }, "kind of pixels"),
            (png { $0[28] = 2 }, "kind of pixels"),
            // Cut off within the pixels, or before them; a chunk that is longer than the file.
            (png(3000, 800) { $0.removeLast(17) }, "end is missing"), (png { $0.removeLast(17) }, "0 bytes are less"),
            (Array(png().prefix(33)), "0 bytes are less"), (png { $0[33] = 0xFF }, "end is missing"),
            (
                png {
                    $0.removeSubrange(33...); $0 += [0, 0, 0, 9, 0x49, 0x44, 0x41, 0x54]
                }, "0 bytes are less"
            ),
            // Sixteen million pixels in a few bytes; and a size that no receipt has room for.
            (png { $0.replaceSubrange(16..<24, with: [0, 0, 0x10, 0, 0, 0, 0x0F, 0]) }, "can be packed into"),
            (png { $0.replaceSubrange(16..<24, with: [0, 1, 0, 0, 0, 1, 0, 0]) }, "more than a receipt has room for"),
            (png { $0.replaceSubrange(16..<24, with: [0, 0, 0, 0, 0, 0, 0, 9]) }, "more than a receipt has room for"),
            // Lossless, differential and twelve-bit frames.
            (jpeg(frame: 0xC3), "rare kind"), (jpeg(frame: 0xC5), "rare kind"), (jpeg(bits: 12), "rare kind"),
            (jpeg(end: []), "end is missing"), (jpeg(end: [0xFF]), "end is missing"),
            (Array(jpeg().prefix(14)), "neither PNG nor JPEG"),
            ([0xFF, 0xD8, 0xFF, 0xD9], "neither PNG nor JPEG"),
            ([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 0, 0, 0, 0, 0], "neither PNG nor JPEG"),
        ] as [([UInt8], String)])
    func `what cannot be drawn is told by its parts`(file: [UInt8], what: String) {
        let error = #expect(throws: ReceiptError.self) { try ReceiptImage(file).checkStructure() }
        #expect(error?.code == .image)
        #expect(error?.message.contains(what) == true, "\(error?.message ?? "")")
    }
}
