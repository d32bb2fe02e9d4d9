import KioskRenderingMessages

/// What a JPEG file says before its pixels (ITU-T T.81, JFIF 1.02, Exif 2.3).
struct JPEGHeader {
    var width = 0
    var height = 0
    /// 1 grey, 3 colours, or 4 inks.
    var components = 0
    /// Whether Adobe's marker is there: its four inks are inverted.
    var isAdobe = false
    /// Pixels per inch across and down, where they are stated.
    var resolution: (x: Double, y: Double)?
    /// How the picture is turned upright, 1 to 8 (Exif's Orientation, 0x0112).
    var orientation = 1

    /// The segments that are looked at: comments and profiles of any file that programs write.
    private static let maximumSegments = 1_000
    /// Pixels per inch that are taken for true.
    static let sane = 50.0...2_400

    init(_ source: PDFSource) throws(RenderingRefusal) {
        guard source.bytes(at: 0, atMost: 2) == [0xFF, 0xD8] else {
            throw RenderingRefusal(.damaged, "the document is no JPEG picture; save or export it anew")
        }
        var place = 2
        for _ in 0..<Self.maximumSegments {
            let head = source.bytes(at: place, atMost: 4)
            guard head.count == 4, head[0] == 0xFF else { break }
            // Fill bytes (T.81 B.1.1.2).
            if head[1] == 0xFF {
                place += 1
                continue
            }
            let length = Int(head[2]) << 8 | Int(head[3])
            guard length >= 2 else { break }
            // What is needed of each segment stands at its beginning.
            read(head[1], source.bytes(at: place + 4, atMost: min(length - 2, 65_533)))
            // SOS: the pixels begin.
            if head[1] == 0xDA {
                try check(source)
                return
            }
            place += 2 + length
        }
        throw RenderingRefusal(.damaged, "the JPEG picture is damaged; save or export it anew")
    }

    private mutating func read(_ marker: UInt8, _ content: [UInt8]) {
        let fields = ByteFields(content)
        switch marker {
        // SOF0 to SOF15, without DHT, JPG and DAC, which have their numbers.
        case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
            // Eight bits a sample.
            guard fields.byte(0) == 8 else { return }
            height = fields.number(1, 2) ?? 0
            width = fields.number(3, 2) ?? 0
            components = fields.byte(5) ?? 0
        case 0xE0 where fields.starts(with: "JFIF\0"):
            let unit = fields.byte(7) == 1 ? 1.0 : fields.byte(7) == 2 ? 2.54 : 0
            setResolution(Double(fields.number(8, 2) ?? 0) * unit, Double(fields.number(10, 2) ?? 0) * unit)
        case 0xE1 where fields.starts(with: "Exif\0\0"): readExif(ByteFields(Array(content.dropFirst(6))))
        case 0xEE where fields.starts(with: "Adobe"): isAdobe = true
        default: break
        }
    }

    /// The first directory of a TIFF header.
    private mutating func readExif(_ fields: ByteFields) {
        var fields = fields
        if fields.starts(with: "II") { fields.isLittleEndian = true }
        guard fields.isLittleEndian || fields.starts(with: "MM"), let directory = fields.number(4, 4),
            let count = fields.number(directory, 2)
        else { return }
        func rational(_ entry: Int) -> Double {
            guard let place = fields.number(entry + 8, 4), let above = fields.number(place, 4),
                let below = fields.number(place + 4, 4), below > 0
            else { return 0 }
            return Double(above) / Double(below)
        }
        var (x, y, unit) = (0.0, 0.0, 1.0)
        for index in 0..<min(count, 200) {
            let entry = directory + 2 + index * 12
            switch fields.number(entry, 2) {
            case 0x0112:
                if let value = fields.number(entry + 8, 2), (1...8).contains(value) { orientation = value }
            case 0x011A: x = rational(entry)
            case 0x011B: y = rational(entry)
            case 0x0128: unit = fields.number(entry + 8, 2) == 3 ? 2.54 : 1
            default: break
            }
        }
        setResolution(x * unit, y * unit)
    }

    private mutating func setResolution(_ x: Double, _ y: Double) {
        if Self.sane.contains(x), Self.sane.contains(y) { resolution = (x, y) }
    }

    private func check(_ source: PDFSource) throws(RenderingRefusal) {
        guard width > 0, height > 0 else {
            throw RenderingRefusal(
                .unsupported, "the JPEG picture is of a kind that is not drawn; save it as a baseline JPEG of 8 bits")
        }
        guard [1, 3, 4].contains(components) else {
            throw RenderingRefusal(.unsupported, "the JPEG picture has \(components) colours; save it as RGB or grey")
        }
        guard width * height <= RenderingLimits.picturePixels else {
            throw RenderingRefusal(
                .tooLarge,
                "the picture has \(width * height / 1_000_000) megapixels; at most \(RenderingLimits.picturePixels / 1_000_000) are printed, so make it smaller"
            )
        }
        // Its end (EOI), behind which programs may have put something. PDFium would leave the rest grey without a word.
        let end = source.bytes(at: max(source.length - 65_536, 0), atMost: 65_536)
        guard zip(end, end.dropFirst()).contains(where: { $0 == 0xFF && $1 == 0xD9 }) else {
            throw RenderingRefusal(.damaged, "the JPEG picture is cut off; save or export it anew")
        }
    }
}

/// Numbers in bytes that others wrote: nil outside of them.
private struct ByteFields {
    private let bytes: [UInt8]
    var isLittleEndian = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func byte(_ place: Int) -> Int? { bytes.indices.contains(place) ? Int(bytes[place]) : nil }

    /// An unsigned number of at most four bytes.
    func number(_ place: Int, _ count: Int) -> Int? {
        guard place >= 0, place <= bytes.count - count else { return nil }
        let field = bytes[place..<place + count]
        return (isLittleEndian ? Array(field.reversed()) : Array(field)).reduce(0) { $0 << 8 | Int($1) }
    }

    func starts(with text: String) -> Bool { bytes.starts(with: text.utf8) }
}
