/// The capacity of QR codes (ISO/IEC 18004:2015, tables 1, 7 and 9).
enum QRCapacity {
    private static let versions = 1...40

    /// The smallest version that holds the data as one segment: digits, capitals, or bytes of UTF-8.
    static func version(for data: String, _ level: ReceiptCode.CorrectionLevel) throws(ReceiptError) -> Int {
        let version = versions.first { bits(data, version: $0) <= dataCodewords(version: $0, level) * 8 }
        guard let version else {
            throw CheckedCode.invalid(
                "a QR code of level \(level.rawValue) cannot hold that much data", "less data, or a lower level")
        }
        return version
    }

    /// Cells on each side.
    static func side(version: Int) -> Int { 17 + 4 * version }

    private static let capitals = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

    /// The bits of mode, count and data.
    private static func bits(_ data: String, version: Int) -> Int {
        let count = data.utf8.count
        // The count is longer from versions 10 and 27 on.
        let size = version < 10 ? 0 : version < 27 ? 1 : 2
        if data.isDigits { return 4 + 10 + 2 * size + count / 3 * 10 + [0, 4, 7][count % 3] }
        if data.utf8.allSatisfy(capitals.contains) { return 4 + 9 + 2 * size + count / 2 * 11 + count % 2 * 6 }
        return 4 + (size == 0 ? 8 : 16) + count * 8
    }

    /// The codewords for data; the others are for error correction.
    static func dataCodewords(version: Int, _ level: ReceiptCode.CorrectionLevel) -> Int {
        guard versions.contains(version) else { return 0 }
        let (corrections, blocks) = (correctionCodewords[level] ?? [], blocks[level] ?? [])
        return modules(version: version) / 8 - corrections[version - 1] * blocks[version - 1]
    }

    /// The cells for data and error correction: all but the finders, timing, alignment, format and version.
    private static func modules(version: Int) -> Int {
        var count = (16 * version + 128) * version + 64
        if version >= 2 {
            let alignments = version / 7 + 2
            count -= (25 * alignments - 10) * alignments - 55
            if version >= 7 { count -= 36 }
        }
        return count
    }

    /// The codewords for error correction in each block, by version.
    private static let correctionCodewords: [ReceiptCode.CorrectionLevel: [Int]] = [
        .l: [
            7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30,
            30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
        .m: [
            10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28,
            28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        ],
        .q: [
            13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30, 30, 28, 30,
            30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
        .h: [
            17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28, 30, 24, 30, 30, 30, 30, 30,
            30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
    ]

    /// The number of blocks, by version.
    private static let blocks: [ReceiptCode.CorrectionLevel: [Int]] = [
        .l: [
            1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18,
            19, 19, 20, 21, 22, 24, 25,
        ],
        .m: [
            1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29,
            31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
        ],
        .q: [
            1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20, 23, 23, 25, 27, 29, 34, 34, 35, 38, 40,
            43, 45, 48, 51, 53, 56, 59, 62, 65, 68,
        ],
        .h: [
            1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25, 25, 34, 30, 32, 35, 37, 40, 42, 45,
            48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
        ],
    ]
}

/// The largest size of PDF417 codes (ISO/IEC 15438). A printer that packs the data more tightly draws a smaller code.
enum PDF417Capacity {
    /// The maximum number of codewords in a code, including its length and the error correction.
    private static let maximumCodewords = 928
    static let rows = 3...90
    static let columns = 1...30

    /// The codewords of the data as bytes: a latch, and five codewords for six bytes. The level is the one that the
    /// standard recommends (annex E).
    static func kind(for data: String) throws(ReceiptError) -> CheckedCode.Kind {
        let count = data.utf8.count
        let codewords = 2 + count / 6 * 5 + count % 6
        let level = codewords <= 40 ? 2 : codewords <= 160 ? 3 : codewords <= 320 ? 4 : 5
        let total = codewords + (2 << level)
        guard total <= maximumCodewords else {
            throw CheckedCode.invalid("a PDF417 cannot hold that much data", "at most 1,000 characters")
        }
        return .pdf417(codewords: total, level: level)
    }

    /// The width in modules: start, both row indicators, stop, and the columns between.
    static func width(columns: Int) -> Int { 17 * columns + 69 }
}

/// The largest size of Data Matrix codes (ISO/IEC 16022). A printer that packs the data more tightly draws a smaller
/// code.
enum DataMatrixCapacity {
    /// The side of the smallest square that holds the data, in cells.
    static func side(for data: String) throws(ReceiptError) -> Int {
        let needed = asciiCodewords(Array(data.utf8))
        guard let square = squares.first(where: { $0.codewords >= needed }) else {
            throw CheckedCode.invalid("a Data Matrix cannot hold that much data", "at most 1,500 characters")
        }
        return square.side
    }

    /// The codewords of the data: a pair of digits is one codeword, a byte beyond ASCII two.
    private static func asciiCodewords(_ bytes: [UInt8]) -> Int {
        var (count, index) = (0, 0)
        while index < bytes.count {
            let isPair = bytes[index...].prefix(2).allSatisfy { (0x30...0x39).contains($0) } && index + 1 < bytes.count
            count += bytes[index] < 0x80 ? 1 : 2
            index += isPair ? 2 : 1
        }
        return count
    }

    /// The side in cells and the data codewords of each square.
    private static let squares: [(side: Int, codewords: Int)] = [
        (10, 3), (12, 5), (14, 8), (16, 12), (18, 18), (20, 22), (22, 30), (24, 36), (26, 44), (32, 62), (36, 86),
        (40, 114), (44, 144), (48, 174), (52, 204), (64, 280), (72, 368), (80, 456), (88, 576), (96, 696), (104, 816),
        (120, 1050), (132, 1304), (144, 1558),
    ]
}
