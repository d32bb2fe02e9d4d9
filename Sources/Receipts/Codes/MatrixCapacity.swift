/// How large PDF417 (ISO/IEC 15438) and Data Matrix (ISO/IEC 16022) codes become at most: a printer that packs the data
/// more tightly draws a smaller one.
enum MatrixCapacity {
    /// A PDF417 has at most 928 codewords, its own length and the correction included.
    private static let maximumCodewords = 928
    static let rows = 3...90
    static let columns = 1...30

    /// As bytes: a latch, and five codewords for six of them. The level as the standard recommends (annex E).
    static func pdf417(_ data: String) throws(ReceiptError) -> CheckedCode.Kind {
        let count = data.utf8.count
        let codewords = 2 + count / 6 * 5 + count % 6
        let level = codewords <= 40 ? 2 : codewords <= 160 ? 3 : codewords <= 320 ? 4 : 5
        let total = codewords + (2 << level)
        guard total <= maximumCodewords else {
            throw CheckedCode.unfit("a PDF417 cannot hold so much", "at most 1,000 characters")
        }
        return .pdf417(codewords: total, level: level)
    }

    /// In modules: start, both row indicators, stop, and the columns between.
    static func pdf417Width(columns: Int) -> Int { 17 * columns + 69 }

    /// The side of the smallest square, in cells.
    static func dataMatrixSide(for data: String) throws(ReceiptError) -> Int {
        let needed = asciiCodewords(Array(data.utf8))
        guard let square = squares.first(where: { $0.codewords >= needed }) else {
            throw CheckedCode.unfit("a Data Matrix cannot hold so much", "at most 1,500 characters")
        }
        return square.side
    }

    /// A pair of digits is one codeword, a byte beyond ASCII two.
    private static func asciiCodewords(_ bytes: [UInt8]) -> Int {
        var (count, index) = (0, 0)
        while index < bytes.count {
            let isPair = bytes[index...].prefix(2).allSatisfy { (0x30...0x39).contains($0) } && index + 1 < bytes.count
            count += bytes[index] < 0x80 ? 1 : 2
            index += isPair ? 2 : 1
        }
        return count
    }

    private static let squares: [(side: Int, codewords: Int)] = [
        (10, 3), (12, 5), (14, 8), (16, 12), (18, 18), (20, 22), (22, 30), (24, 36), (26, 44), (32, 62), (36, 86),
        (40, 114), (44, 144),
        (48, 174), (52, 204), (64, 280), (72, 368), (80, 456), (88, 576), (96, 696), (104, 816), (120, 1050),
        (132, 1304), (144, 1558),
    ]
}
