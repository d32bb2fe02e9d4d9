/// How much a QR code holds (ISO/IEC 18004:2015, tables 1, 7 and 9).
enum QRCapacity {
    static let versions = 1...40

    /// The smallest that holds the data as one segment: digits, capitals, or bytes of UTF-8.
    static func version(for data: String, _ level: ReceiptCode.CorrectionLevel) throws(ReceiptError) -> Int {
        let version = versions.first { bits(data, version: $0) <= dataCodewords(version: $0, level) * 8 }
        guard let version else {
            throw CheckedCode.unfit(
                "a QR code of level \(level.rawValue) cannot hold so much", "less, or a lower level")
        }
        return version
    }

    /// Cells on each side.
    static func side(version: Int) -> Int { 17 + 4 * version }

    private static let capitals = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

    /// Mode, count and data.
    private static func bits(_ data: String, version: Int) -> Int {
        let count = data.utf8.count
        // The count is longer from versions 10 and 27 on.
        let size = version < 10 ? 0 : version < 27 ? 1 : 2
        if data.isDigits { return 4 + 10 + 2 * size + count / 3 * 10 + [0, 4, 7][count % 3] }
        if data.utf8.allSatisfy(capitals.contains) { return 4 + 9 + 2 * size + count / 2 * 11 + count % 2 * 6 }
        return 4 + (size == 0 ? 8 : 16) + count * 8
    }

    static func dataCodewords(version: Int, _ level: ReceiptCode.CorrectionLevel) -> Int {
        guard versions.contains(version) else { return 0 }
        let (corrections, blocks) = (correctionCodewords[level] ?? [], blocks[level] ?? [])
        return modules(version: version) / 8 - corrections[version - 1] * blocks[version - 1]
    }

    /// Cells for data and correction: all but the finders, timing, alignment, format and version.
    private static func modules(version: Int) -> Int {
        var count = (16 * version + 128) * version + 64
        if version >= 2 {
            let alignments = version / 7 + 2
            count -= (25 * alignments - 10) * alignments - 55
            if version >= 7 { count -= 36 }
        }
        return count
    }

    /// In each block, by version.
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
