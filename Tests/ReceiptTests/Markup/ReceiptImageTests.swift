import KioskPrintModel
import Testing

@testable import KioskReceipts

/// What the file of a picture shows without decompression.
@Suite struct ReceiptImageTests {
    private static func png(
        _ width: Int = 256, _ height: Int = 64, _ change: (inout [UInt8]) -> Void = { _ in }
    ) -> [UInt8] {
        var file = RandomReceipt.png(width: width, height: height)
        change(&file)
        setChecksums(&file)
        return file
    }

    /// Gives each whole chunk the checksum of what it has now.
    private static func setChecksums(_ file: inout [UInt8]) {
        var index = 8
        while file.count - index >= 12 {
            let length = file[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= file.count - index - 12 else { return }
            let end = index + 8 + length
            let checksum = PNGChecksum.value(file, index + 4..<end)
            for (place, shift) in [24, 16, 8, 0].enumerated() {
                file[end + place] = UInt8(truncatingIfNeeded: checksum >> UInt32(shift))
            }
            index = end + 4
        }
    }

    @Test func `the checksum of PNG is CRC-32`() {
        let text = Array("123456789".utf8)
        #expect(PNGChecksum.value(text, 0..<text.count) == 0xCBF4_3926)
    }

    @Test(arguments: [20, 29, 41, 45]) func `a PNG with a wrong checksum is refused before its job is accepted`(
        _ place: Int
    ) throws {
        // In the header, its checksum, the pixels, and their checksum.
        var file = RandomReceipt.png(width: 8, height: 8)
        file[place] ^= 1
        let error = #expect(throws: ReceiptError.self) {
            try ReceiptMarkup.read("{image:\(Base64.encode(file))}")
        }
        #expect(error?.code == .image)
        #expect(place == 20 || error?.message.contains("checksum") == true, "\(error?.message ?? "")")
    }

    @Test func `a wrong checksum of what decoders pass over does no harm`() throws {
        var file = RandomReceipt.png(width: 8, height: 8, exif: [1, 2, 3])
        let place = try #require(file.firstRange(of: Array("eXIf".utf8))).upperBound
        file[place] ^= 1
        try ReceiptImage(file).checkStructure()
    }

    /// A TIFF file with the orientation, after another tag.
    private static func exif(_ orientation: UInt8, isLittle: Bool) -> [UInt8] {
        isLittle
            ? [
                0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 2, 0, 0x0F, 1, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x12, 1, 3, 0, 1, 0, 0, 0,
                orientation, 0, 0, 0, 0, 0, 0, 0,
            ]
            : [
                0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0,
            ]
    }

    @Test(arguments: ImageOrientation.allCases, [false, true]) func `the EXIF orientation is read and heeded`(
        _ orientation: ImageOrientation, _ isLittle: Bool
    ) throws {
        let exif = Self.exif(orientation.rawValue, isLittle: isLittle)
        let png = ReceiptImage(RandomReceipt.png(width: 40, height: 10, exif: exif))
        let segment = [0xFF, 0xE1, 0, UInt8(exif.count + 8)] + Array("Exif\0\0".utf8) + exif
        let jpeg = ReceiptImage([0xFF, 0xD8] + segment + Self.jpeg().dropFirst(2))
        try jpeg.checkStructure()
        for image in [png, jpeg] { #expect(image.orientation == orientation) }
        let (size, upright) = (try png.size(), try png.uprightSize())
        #expect([size.width, size.height] == [40, 10])
        #expect([upright.width, upright.height] == (orientation.rawValue < 5 ? [40, 10] : [10, 40]))
        let layout = try ReceiptLayout(Receipt([.image(png)]), on: ReceiptPaper(columns: 48))
        #expect(layout.height == upright.height)
    }

    @Test func `Exif data that is broken or says nothing leaves a picture as it is`() {
        let whole = Self.exif(6, isLittle: true)
        for count in 0..<whole.count {
            let image = ReceiptImage(RandomReceipt.png(width: 8, height: 8, exif: Array(whole.prefix(count))))
            #expect(image.orientation == (count < 32 ? .upright : .quarterLeft))
        }
        var far = whole
        far.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        for exif in [far, Self.exif(0, isLittle: true), Self.exif(9, isLittle: false)] {
            #expect(ReceiptImage(RandomReceipt.png(width: 8, height: 8, exif: exif)).orientation == .upright)
        }
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
