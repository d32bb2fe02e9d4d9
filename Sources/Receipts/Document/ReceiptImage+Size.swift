extension ReceiptImage {
    package struct Size: Hashable, Sendable {
        /// In pixels.
        package var width: Int
        package var height: Int
    }

    /// No picture for a receipt is larger; what claims more would be a bomb when it is decoded.
    package static let maximumSide = 8192
    package static let maximumPixels = 16_000_000

    /// As the file's header states it; no pixel is decoded.
    package func size() throws(ReceiptError) -> Size {
        guard let size = file.starts(with: Self.pngSignature) ? Self.pngSize(file) : jpegSize else {
            throw ReceiptError(.image, "the image is neither PNG nor JPEG, or is broken", instead: "a PNG or JPEG file")
        }
        guard (1...Self.maximumSide).contains(size.width), (1...Self.maximumSide).contains(size.height),
            size.width * size.height <= Self.maximumPixels
        else {
            throw ReceiptError(
                .image, "the image claims to be \(size.width) × \(size.height) pixels, more than a receipt has room for"
            )
        }
        return size
    }

    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The first chunk is IHDR, which begins with width and height (PNG specification §11.2.2).
    private static func pngSize(_ file: [UInt8]) -> Size? {
        guard file.count >= 33, file[12..<16].elementsEqual("IHDR".utf8) else { return nil }
        func number(at start: Int) -> Int { file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        return Size(width: number(at: 16), height: number(at: 20))
    }

    private var jpegSize: Size? {
        guard let frame = jpegFrame else { return nil }
        func number(at start: Int) -> Int { Int(file[start]) << 8 | Int(file[start + 1]) }
        return Size(width: number(at: frame + 7), height: number(at: frame + 5))
    }

    /// Where the start-of-frame segment stands, which holds height and width (ISO/IEC 10918-1 §B.2.2); its first nine
    /// bytes are there.
    var jpegFrame: Int? {
        guard file.starts(with: [0xFF, 0xD8]) else { return nil }
        var index = 2
        while index + 9 <= file.count, file[index] == 0xFF {
            let marker = file[index + 1]
            if marker == 0xFF { index += 1; continue }
            if marker == 0x01 || (0xD0...0xD8).contains(marker) { index += 2; continue }
            // C4, C8 and CC in this range are other segments.
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) { return index }
            let length = Int(file[index + 2]) << 8 | Int(file[index + 3])
            guard length >= 2, marker != 0xD9, marker != 0xDA else { return nil }
            index += 2 + length
        }
        return nil
    }
}
