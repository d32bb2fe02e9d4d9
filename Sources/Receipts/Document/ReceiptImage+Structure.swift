extension ReceiptImage {
    /// Throws what is wrong with the file as far as its parts tell without being unpacked: a size that is too large, a
    /// kind that nothing here reads, an end that is missing, fewer bytes than such a picture could be packed into.
    package func checkStructure() throws(ReceiptError) {
        let size = try size()
        if file.first == 0x89 { try checkPNG(size) } else { try checkJPEG() }
    }

    private static func broken(_ what: String) -> ReceiptError {
        ReceiptError(.image, "the image is broken: \(what)", instead: "a whole PNG or JPEG file")
    }

    /// The bits of a sample that each colour type may have, and its samples (PNG specification §11.2.2).
    private static let colourTypes: [UInt8: (depths: [UInt8], samples: Int)] = [
        0: ([1, 2, 4, 8, 16], 1), 2: ([8, 16], 3), 3: ([1, 2, 4, 8], 1), 4: ([8, 16], 2), 6: ([8, 16], 4),
    ]

    /// Deflate makes no more of a byte (RFC 1951: 258 bytes of two bits).
    private static let mostOfAByte = 1032

    private func checkPNG(_ size: Size) throws(ReceiptError) {
        let (depth, colours) = (file[24], file[25])
        guard let type = Self.colourTypes[colours], type.depths.contains(depth), file[26] == 0, file[27] == 0,
            file[28] <= 1
        else {
            throw Self.broken("its header has a kind of pixels that PNG does not know")
        }
        let packed = try pngDataLength()
        let rowLength = (size.width * type.samples * Int(depth) + 7) / 8 + 1
        guard packed > 0, rowLength * size.height / Self.mostOfAByte <= packed else {
            throw Self.broken("\(packed) bytes are less than \(size.width) × \(size.height) pixels can be packed into")
        }
    }

    /// Of all IDAT chunks, in bytes. Chunks are a length, a name of four letters, so many bytes and a checksum (PNG
    /// specification §5.3).
    private func pngDataLength() throws(ReceiptError) -> Int {
        var (index, length) = (8, 0)
        while file.count - index >= 12 {
            let chunk = file[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
            let isData = file[index + 4..<index + 8].elementsEqual("IDAT".utf8)
            guard chunk <= file.count - index - 12 else {
                // What is missing behind the pixels is no part of the picture.
                guard !isData, length > 0 else { throw Self.broken("its end is missing") }
                return length
            }
            if isData { length += chunk }
            index += 12 + chunk
        }
        return length
    }

    /// Frames of eight bits, in baseline, extended or progressive coding with Huffman's or arithmetic codes: what
    /// libjpeg-turbo reads.
    private static let frames: Set<UInt8> = [0xC0, 0xC1, 0xC2, 0xC9, 0xCA]

    private func checkJPEG() throws(ReceiptError) {
        guard let frame = jpegFrame else { throw Self.broken("it has no frame") }
        guard Self.frames.contains(file[frame + 1]), file[frame + 4] == 8 else {
            throw ReceiptError(
                .image, "the image is a JPEG of a rare kind that is not read here",
                instead: "a PNG or an ordinary JPEG file")
        }
        var end = file.count - 2
        while end > frame, !(file[end] == 0xFF && file[end + 1] == 0xD9) { end -= 1 }
        guard end > frame else { throw Self.broken("its end is missing") }
    }
}
