/// What a JPEG file says before its pixels (ITU-T T.81, JFIF 1.02, Exif 2.3).
package struct JPEGHeader: Hashable, Sendable {
    /// The pixels across, as they are stored.
    package private(set) var width = 0
    /// The pixels down, as they are stored.
    package private(set) var height = 0
    /// 1 grey, 3 colours, or 4 inks.
    package private(set) var components = 0
    /// Whether Adobe's marker is there: its four inks are inverted.
    package private(set) var isAdobe = false
    /// Its size on paper, and how it is turned upright.
    package private(set) var size = PictureMetadata()
    /// Whether it is coded as every decoder reads it (T.81, baseline sequential).
    package private(set) var isBaseline = false
    /// Whether its colours are YCbCr or grey, as JFIF has it, and no ICC profile says otherwise.
    package var isPlainColor: Bool { (components == 1 || components == 3) && (adobeTransform ?? 1) == 1 && !hasProfile }

    /// The colour transform that Adobe's marker states.
    private var adobeTransform: Int?
    private var hasProfile = false

    /// The segments that are looked at: comments and profiles of any file that programs write.
    private static let maximumSegments = 1_000

    /// Reads the header of a file of this length, by `bytes(place, count)`, which returns less at its end.
    package init(length: Int, bytes: (Int, Int) -> [UInt8]) throws(PictureProblem) {
        guard bytes(0, 2) == [0xFF, 0xD8] else {
            throw PictureProblem(isDamaged: true, message: "the document is no JPEG picture; save or export it anew")
        }
        var place = 2
        for _ in 0..<Self.maximumSegments {
            let head = bytes(place, 4)
            guard head.count == 4, head[0] == 0xFF else { break }
            // Fill bytes (T.81 B.1.1.2).
            if head[1] == 0xFF {
                place += 1
                continue
            }
            let count = Int(head[2]) << 8 | Int(head[3])
            guard count >= 2 else { break }
            // What is needed of each segment stands at its beginning.
            read(head[1], bytes(place + 4, count - 2))
            // SOS: the pixels begin.
            if head[1] == 0xDA {
                try check(length, bytes)
                return
            }
            place += 2 + count
        }
        throw PictureProblem(isDamaged: true, message: "the JPEG picture is damaged; save or export it anew")
    }

    private mutating func read(_ marker: UInt8, _ content: [UInt8]) {
        let fields = ByteFields(content)
        switch marker {
        // SOF0 to SOF15, without DHT, JPG and DAC, which have their numbers.
        case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
            isBaseline = marker == 0xC0
            // Eight bits a sample.
            guard fields.byte(0) == 8 else { return }
            height = fields.number(1, 2) ?? 0
            width = fields.number(3, 2) ?? 0
            components = fields.byte(5) ?? 0
        case 0xE0 where fields.starts(with: "JFIF\0"):
            let unit = fields.byte(7) == 1 ? 1.0 : fields.byte(7) == 2 ? 2.54 : 0
            let (x, y) = (Double(fields.number(8, 2) ?? 0), Double(fields.number(10, 2) ?? 0))
            size.state(PictureMetadata.Resolution(x * unit, y * unit))
        case 0xE1 where fields.starts(with: "Exif\0\0"):
            let exif = PictureMetadata(exif: Array(content.dropFirst(6)))
            size.orientation = exif.orientation
            size.state(exif.resolution)
        case 0xE2 where fields.starts(with: "ICC_PROFILE\0"): hasProfile = true
        case 0xEE where fields.starts(with: "Adobe"):
            isAdobe = true
            adobeTransform = fields.byte(11)
        default: break
        }
    }

    private func check(_ length: Int, _ bytes: (Int, Int) -> [UInt8]) throws(PictureProblem) {
        guard width > 0, height > 0 else {
            throw PictureProblem(
                isDamaged: false,
                message: "the JPEG picture is of a kind that is not drawn; save it as a baseline JPEG of 8 bits")
        }
        guard [1, 3, 4].contains(components) else {
            throw PictureProblem(
                isDamaged: false, message: "the JPEG picture has \(components) colours; save it as RGB or grey")
        }
        // Its end (EOI), behind which programs may have put something. PDFium would leave the rest grey without a word.
        let end = bytes(max(length - 65_536, 0), 65_536)
        guard zip(end, end.dropFirst()).contains(where: { $0 == 0xFF && $1 == 0xD9 }) else {
            throw PictureProblem(isDamaged: true, message: "the JPEG picture is cut off; save or export it anew")
        }
    }
}
