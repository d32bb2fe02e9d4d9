/// A picture as a PNG or JPEG file, not decoded.
package struct ReceiptImage: Hashable, Sendable {
    package var file: [UInt8]
    package var alignment: HorizontalAlignment
    /// How grey becomes black and white; nil leaves it to the print.
    package var dithering: Dithering?

    package init(_ file: [UInt8], alignment: HorizontalAlignment = .center, dithering: Dithering? = nil) {
        self.dithering = dithering
        self.file = file
        self.alignment = alignment
    }

    /// The size of a picture in pixels.
    package struct Size: Hashable, Sendable {
        package var width: Int
        package var height: Int
    }

    /// The size once the picture is turned upright, as its file says.
    package func uprightSize() throws(ReceiptError) -> Size {
        let size = try size()
        return orientation.isSideways ? Size(width: size.height, height: size.width) : size
    }

    /// How the pixels are to be turned, as the camera wrote it; upright where the file does not say.
    package var orientation: ImageOrientation {
        (file.first == 0x89 ? pngOrientation : jpegOrientation) ?? .upright
    }

    /// The orientation in the Exif chunk (PNG specification §11.3.3.5).
    private var pngOrientation: ImageOrientation? {
        var index = 8
        while file.count - index >= 12 {
            let (chunk, type) = (Self.number(file, at: index), file[index + 4..<index + 8])
            guard chunk <= file.count - index - 12, !type.elementsEqual("IEND".utf8) else { return nil }
            if type.elementsEqual("eXIf".utf8) { return ImageOrientation(exif: file[index + 8..<index + 8 + chunk]) }
            index += 12 + chunk
        }
        return nil
    }

    /// The orientation in the Exif segment, APP1 (Exif 2.32 §4.5.4).
    private var jpegOrientation: ImageOrientation? {
        guard let frame = jpegFrame else { return nil }
        let head = Array("Exif\0\0".utf8)
        var index = 2
        while index + 4 < frame {
            let marker = file[index + 1]
            if marker == 0xFF { index += 1; continue }
            if marker == 0x01 || (0xD0...0xD8).contains(marker) { index += 2; continue }
            let length = Int(file[index + 2]) << 8 | Int(file[index + 3])
            let segment = file[index + 4..<max(min(index + 2 + length, file.count), index + 4)]
            if marker == 0xE1, segment.starts(with: head) { return ImageOrientation(exif: segment.dropFirst(6)) }
            index += 2 + length
        }
        return nil
    }

    /// The largest picture for a receipt. A file that claims more could exhaust the memory when it is decoded.
    package static let maximumSide = 8192
    package static let maximumPixels = 16_000_000

    /// The size in the file's header. No pixel is decoded.
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

    /// The size in a PNG's first chunk, IHDR, which begins with width and height (PNG specification §11.2.2).
    private static func pngSize(_ file: [UInt8]) -> Size? {
        guard file.count >= 33, file[12..<16].elementsEqual("IHDR".utf8) else { return nil }
        return Size(width: number(file, at: 16), height: number(file, at: 20))
    }

    private var jpegSize: Size? {
        guard let frame = jpegFrame else { return nil }
        func number(at start: Int) -> Int { Int(file[start]) << 8 | Int(file[start + 1]) }
        return Size(width: number(at: frame + 7), height: number(at: frame + 5))
    }

    /// The index of the start-of-frame segment, which holds height and width (ISO/IEC 10918-1 §B.2.2). The file has at
    /// least its first nine bytes.
    private var jpegFrame: Int? {
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

    /// Checks the file as far as possible without decompressing it. Throws where the size is too large, the kind is not
    /// supported, the end is missing, or there are fewer bytes than the pixels can be compressed to.
    package func checkStructure() throws(ReceiptError) {
        let size = try size()
        if file.first == 0x89 { try checkPNG(size) } else { try checkJPEG() }
    }

    private static func broken(_ what: String) -> ReceiptError {
        ReceiptError(.image, "the image is broken: \(what)", instead: "a whole PNG or JPEG file")
    }

    /// The bit depths that each colour type may have, and its samples per pixel (PNG specification §11.2.2).
    private static let colourTypes: [UInt8: (depths: [UInt8], samples: Int)] = [
        0: ([1, 2, 4, 8, 16], 1), 2: ([8, 16], 3), 3: ([1, 2, 4, 8], 1), 4: ([8, 16], 2), 6: ([8, 16], 4),
    ]

    /// The maximum number of bytes that Deflate expands one byte to (RFC 1951: two bits become 258 bytes).
    private static let maximumExpansion = 1032

    private func checkPNG(_ size: Size) throws(ReceiptError) {
        let (depth, colours) = (file[24], file[25])
        guard let type = Self.colourTypes[colours], type.depths.contains(depth), file[26] == 0, file[27] == 0,
            file[28] <= 1
        else {
            throw Self.broken("its header names a kind of pixels that PNG does not have")
        }
        let packed = try pngDataLength()
        let rowLength = (size.width * type.samples * Int(depth) + 7) / 8 + 1
        guard packed > 0, rowLength * size.height / Self.maximumExpansion <= packed else {
            throw Self.broken("\(packed) bytes are less than \(size.width) × \(size.height) pixels can be packed into")
        }
    }

    /// Bytes in all IDAT chunks. A chunk is a length, a type of four letters, that many bytes and a checksum (PNG
    /// specification §5.3). Throws where the checksum of a chunk that the picture is drawn from is wrong.
    private func pngDataLength() throws(ReceiptError) -> Int {
        var (index, length) = (8, 0)
        while file.count - index >= 12 {
            let chunk = Self.number(file, at: index)
            let type = file[index + 4..<index + 8]
            let isData = type.elementsEqual("IDAT".utf8)
            guard chunk <= file.count - index - 12 else {
                // The picture is complete where only data after the pixels is missing.
                guard !isData, length > 0 else { throw Self.broken("its end is missing") }
                return length
            }
            // Decoders pass over other chunks, whose first letter is small, and need none behind the pixels.
            let isNeeded =
                isData || length == 0 && (file[index + 4] & 0x20 == 0 || type.elementsEqual("tRNS".utf8))
            let end = index + 8 + chunk
            guard !isNeeded || PNGChecksum.value(file, index + 4..<end) == UInt32(Self.number(file, at: end)) else {
                throw Self.broken("a checksum in it is wrong")
            }
            if isData { length += chunk }
            index = end + 4
            if type.elementsEqual("IEND".utf8) { break }
        }
        return length
    }

    /// The number in four bytes, the highest first.
    private static func number(_ file: [UInt8], at start: Int) -> Int {
        file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The frames that libjpeg-turbo reads: baseline, extended and progressive, with Huffman or arithmetic coding.
    private static let frames: Set<UInt8> = [0xC0, 0xC1, 0xC2, 0xC9, 0xCA]

    private func checkJPEG() throws(ReceiptError) {
        guard let frame = jpegFrame else { throw Self.broken("it has no frame") }
        guard Self.frames.contains(file[frame + 1]), file[frame + 4] == 8 else {
            throw ReceiptError(
                .image, "the image is a JPEG of a rare kind that is not supported",
                instead: "a PNG or an ordinary JPEG file")
        }
        var end = file.count - 2
        while end > frame, !(file[end] == 0xFF && file[end + 1] == 0xD9) { end -= 1 }
        guard end > frame else { throw Self.broken("its end is missing") }
    }
}
