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

/// The largest size of Aztec codes (ISO/IEC 24778): data is counted as characters of one mode, or else as bytes. A
/// printer that packs the data more tightly draws a smaller code.
package struct AztecSize: Hashable, Sendable {
    package var layers: Int
    /// A compact code has one ring less around its middle.
    package var isCompact: Bool

    private static let all =
        (1...4).map { AztecSize(layers: $0, isCompact: true) }
        + (1...32).map { AztecSize(layers: $0, isCompact: false) }

    private init(layers: Int, isCompact: Bool) { (self.layers, self.isCompact) = (layers, isCompact) }

    /// The smallest code that holds the data, with 23 % and three codewords for error correction.
    init(for data: String) throws(ReceiptError) {
        let bits = Self.bits(data)
        guard let size = Self.all.first(where: { $0.dataBits >= bits }) else {
            throw CheckedCode.invalid("an Aztec code cannot hold that much data", "at most 1,300 bytes")
        }
        self = size
    }

    /// Cells on each side.
    package var side: Int { isCompact ? 11 + 4 * layers : 15 + 4 * layers + 2 * ((2 * layers + 6) / 15) }

    /// The number of the size in libzint: compact ones first.
    package var number: Int { isCompact ? layers : layers + 4 }

    private static let capitals = Set(" ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    private static func bits(_ data: String) -> Int {
        let count = data.utf8.count
        if data.isDigits { return 5 + 4 * count }
        if data.utf8.allSatisfy(capitals.contains) { return 5 * count }
        // A shift to bytes with their number.
        return 8 * count + 21
    }

    /// The bits for data. A codeword may have one bit less of it, where the others are equal.
    private var dataBits: Int {
        let codeword = layers <= 2 ? 6 : layers <= 8 ? 8 : layers <= 22 ? 10 : 12
        let codewords = ((isCompact ? 88 : 112) + 16 * layers) * layers / codeword
        let data = codewords - codewords * 23 / 100 - 3
        return (isCompact ? min(data, 64) : data) * (codeword - 1)
    }
}

/// The largest size of GS1 DataBar Expanded (ISO/IEC 24724).
enum DataBarExpandedCapacity {
    private static let characters = 4...22

    static func checked(_ data: String) throws(ReceiptError) -> (CheckedCode.Kind, String) {
        let (count, elements) = try count(of: data)
        return (.dataBarExpanded(characters: count, elements), elements.text)
    }

    static func checkedStacked(_ data: String) throws(ReceiptError) -> (CheckedCode.Kind, String) {
        let (count, elements) = try count(of: data)
        return (.dataBarExpandedStacked(characters: count, elements), elements.text)
    }

    /// The most symbol characters that the data needs.
    private static func count(of data: String) throws(ReceiptError) -> (Int, GS1Elements) {
        let elements = try GS1Elements(data)
        // A number of an item in front is packed into 44 bits; what is left is text.
        var rest = elements.parts.reduce([]) { $0 + ($0.isEmpty ? [] : [0x1D]) + $1 }
        var bits = 6
        if elements.elements[0].identifier == "01" {
            rest.removeFirst(16)
            bits += 44
        }
        bits += textBits(rest)
        let count = max((bits + 11) / 12 + 1, characters.lowerBound)
        guard count <= characters.upperBound else {
            throw CheckedCode.invalid(
                "a GS1 DataBar Expanded cannot hold that much data", "less data, or use a GS1-128")
        }
        return (count, elements)
    }

    private static let capitals = Set("*,-./ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789\u{1D}".utf8)

    /// The bits of text in the smallest of the modes that has all of it, with the change to that mode and the filling.
    private static func textBits(_ text: [UInt8]) -> Int {
        if text.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x1D }) { return (text.count + 2) / 2 * 7 + 4 }
        if text.allSatisfy(capitals.contains) { return 4 + text.count * 6 + 5 }
        return 9 + text.count * 8 + 5
    }

    /// The width in modules: two guards, characters of 17 and a finder of 15 for each two of them.
    static func width(_ characters: Int) -> Int { 4 + 17 * characters + 15 * ((characters + 1) / 2) }
}

/// The capacity of MaxiCode in mode 4 (ISO/IEC 16023): 93 codewords in five code sets.
enum MaxiCodeCapacity {
    static let codewords = 93
    /// The characters of code set A, which take one codeword.
    private static let setA = Set("\r\u{1C}\u{1D}\u{1E} ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789\"#$%&'()*+,-./:".utf8)

    /// Validates the data. Other characters of ASCII are counted with a shift before each.
    static func checked(_ data: String, codewords: Int = codewords) throws(ReceiptError) -> String {
        guard data.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw CheckedCode.invalid("MaxiCode holds ASCII characters only", "them, or use a QR code")
        }
        guard data.utf8.reduce(0, { $0 + (setA.contains($1) ? 1 : 2) }) <= codewords else {
            throw CheckedCode.invalid(
                "a MaxiCode cannot hold that much data",
                "at most \(codewords) capitals and digits, of other characters half as many")
        }
        return data
    }
}

/// The sizes of the stacked forms of GS1 DataBar (ISO/IEC 24724 §5.3, §7.2.8), in modules.
enum DataBarStackedGeometry {
    private static let numberWidth = 50
    /// Two rows with what separates them: 5, 1 and 7 modules, or 33 twice with three in between.
    private static let (lowHeight, highHeight) = (13, 69)
    private static let (rowHeight, separatorHeight) = (34, 3)
    /// Two characters with their finder, and the guards of a row.
    private static let (pairWidth, guards) = (49, 4)
    /// Pairs in a row: what handheld readers see at once, or half of that where the paper is narrow.
    private static let pairs = [2, 1]

    static func number(isHigh: Bool, scale: Int) -> CheckedCode.Size {
        CheckedCode.Size(
            width: numberWidth * scale, height: (isHigh ? highHeight : lowHeight) * scale, margin: scale, scale: scale)
    }

    static func expanded(characters: Int, scale: Int, within dots: Int) -> CheckedCode.Size? {
        guard let pairs = pairs.first(where: { ($0 * pairWidth + guards) * scale <= dots }) else { return nil }
        let rows = (characters + 2 * pairs - 1) / (2 * pairs)
        return CheckedCode.Size(
            width: (pairs * pairWidth + guards) * scale,
            height: (rows * rowHeight + (rows - 1) * separatorHeight) * scale, margin: scale, scale: scale,
            columns: pairs)
    }
}

/// The structured message of a carrier in a MaxiCode of mode 2 or 3 (ISO/IEC 16023 §4.6): where a parcel goes, and how.
/// It is written with commas: `841706672,840,001,1Z12345677`.
package struct MaxiCodeCarrier: Hashable, Sendable {
    /// At most nine digits in mode 2, at most six capitals and digits in mode 3.
    package var postalCode: String
    /// ISO 3166's number of the country, and the carrier's of the service: three digits.
    package var country: String
    package var service: String
    package var message: String

    /// 2 for postal codes of digits only.
    package var mode: Int { postalCode.isDigits ? 2 : 3 }

    /// The capacity of the message in codewords.
    private static let codewords = 84
    private static let capitals = Set(" ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)

    static func checked(_ data: String) throws(ReceiptError) -> (CheckedCode.Kind, String) {
        let fields = data.split(separator: ",", maxSplits: 3, omittingEmptySubsequences: false).map { String($0) }
        guard fields.count == 4, !fields[3].isEmpty,
            fields[0].isDigits
                ? fields[0].utf8.count <= 9
                : (1...6).contains(fields[0].utf8.count) && fields[0].utf8.allSatisfy(capitals.contains),
            fields[1...2].allSatisfy({ $0.isDigits && $0.utf8.count == 3 })
        else {
            throw CheckedCode.invalid(
                "a carrier's MaxiCode begins with postal code, country and class of service",
                "at most nine digits or six capitals, three digits, three digits and the message, parted by commas")
        }
        let message = try MaxiCodeCapacity.checked(fields[3], codewords: codewords)
        let carrier = MaxiCodeCarrier(postalCode: fields[0], country: fields[1], service: fields[2], message: message)
        return (.maxiCodeCarrier(carrier), data)
    }

    /// The data of `GS ( k`, function 280 (Epson, "ESC/POS Command Reference"): fields end with a separator, and the
    /// header of a message in ANSI's form precedes them.
    var escPos: [UInt8] {
        let message = Array(message.utf8)
        let header = message.starts(with: Array("[)>\u{1E}01\u{1D}".utf8)) && message.count >= 9 ? 9 : 0
        let fields = "\(postalCode)\u{1D}\(country)\u{1D}\(service)\u{1D}"
        return Array(message.prefix(header)) + Array(fields.utf8) + Array(message.dropFirst(header))
    }
}

/// The shape of MaxiCode, which has one size only: 33 rows of hexagons 0.88 mm wide (ISO/IEC 16023 §4.11).
package struct MaxiCodeGeometry: Hashable, Sendable {
    /// The distance between two modules of a row, in dots.
    package let pitch: Int

    package static let (rows, columns) = (33, 30)

    package init(pitch: Int) { self.pitch = pitch }

    init(dotsPerMillimetre: Int) { pitch = max((dotsPerMillimetre * 88 + 50) / 100, 1) }

    /// The distance of a row's middle from the top.
    package func middle(ofRow row: Int) -> Double { Double(pitch) * (0.577_350 + Double(row) * 0.866_025) }

    package var width: Int { Self.columns * pitch }
    package var height: Int { Int((middle(ofRow: Self.rows - 1) + Double(pitch) * 0.577_350).rounded(.up)) }

    func size(within dots: Int) -> CheckedCode.Size? {
        guard width <= dots else { return nil }
        return CheckedCode.Size(width: width, height: height, margin: pitch, scale: pitch)
    }
}
