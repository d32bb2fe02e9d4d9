/// A barcode or two-dimensional code whose data is valid for its symbology, with the properties that determine its
/// size: its version, codewords or characters.
package struct CheckedCode: Hashable, Sendable {
    package var kind: Kind
    /// The encoded data, including the check digit where the symbology has a visible one.
    package var text: String

    package enum Kind: Hashable, Sendable {
        case upcA, upcE, ean13, ean8, code39, itf, codabar, code93
        case code128([Code128.Codeword])
        case qr(version: Int)
        case pdf417(codewords: Int, level: Int)
        case dataMatrix(side: Int)
        case gs1Code128([Code128.Codeword], GS1Elements)
        case dataBar
        /// At most so many symbol characters.
        case dataBarExpanded(characters: Int, GS1Elements)
        /// Two rows, low ones or high ones.
        case dataBarStacked(isHigh: Bool)
        /// At most so many symbol characters, in rows.
        case dataBarExpandedStacked(characters: Int, GS1Elements)
        case aztec(AztecSize)
        case maxiCode
        case maxiCodeCarrier(MaxiCodeCarrier)
    }

    /// Validates a code. Throws what is wrong with its data, and what to write instead.
    package init(_ code: ReceiptCode) throws(ReceiptError) {
        let data = code.data
        guard !data.isEmpty else { throw Self.invalid("the code has no data", "its data") }
        guard data.utf8.count <= ReceiptCode.maximumDataLength else {
            throw Self.invalid("the code's data has more than \(ReceiptCode.maximumDataLength) bytes", "less data")
        }
        switch code.symbology {
        case .upc: (kind, text) = try GTIN.upc(data)
        case .ean: (kind, text) = try GTIN.ean(data)
        case .code39: (kind, text) = (.code39, try Self.code39(data))
        case .itf: (kind, text) = (.itf, try Self.itf(data))
        case .codabar: (kind, text) = (.codabar, try Self.codabar(data))
        case .code93: (kind, text) = (.code93, try Self.ascii(data, "Code 93"))
        case .code128: (kind, text) = (.code128(Code128.codewords(try Self.ascii(data, "Code 128").utf8)), data)
        case .qrcode: (kind, text) = (.qr(version: try QRCapacity.version(for: data, code.level)), data)
        case .pdf417: (kind, text) = (try PDF417Capacity.kind(for: data), data)
        case .datamatrix: (kind, text) = (.dataMatrix(side: try DataMatrixCapacity.side(for: data)), data)
        case .gs1128: (kind, text) = try Self.gs1Code128(data)
        case .databar: (kind, text) = (.dataBar, try GTIN.item(data))
        case .databarExpanded: (kind, text) = try DataBarExpandedCapacity.checked(data)
        case .databarStacked: (kind, text) = (.dataBarStacked(isHigh: false), try GTIN.item(data))
        case .databarStackedOmnidirectional: (kind, text) = (.dataBarStacked(isHigh: true), try GTIN.item(data))
        case .databarExpandedStacked: (kind, text) = try DataBarExpandedCapacity.checkedStacked(data)
        case .maxicodeCarrier: (kind, text) = try MaxiCodeCarrier.checked(data)
        case .aztec: (kind, text) = (.aztec(try AztecSize(for: data)), data)
        case .maxicode: (kind, text) = (.maxiCode, try MaxiCodeCapacity.checked(data))
        }
        try checkLength()
    }

    /// The maximum length of a barcode's data in bytes: GS k states the length in one byte.
    private static let maximumBarcodeLength = 255

    private func checkLength() throws(ReceiptError) {
        let length =
            switch kind {
            case .code128(let codewords), .gs1Code128(let codewords, _): Code128.escPos(codewords).count
            case .qr, .pdf417, .dataMatrix, .aztec, .maxiCode, .maxiCodeCarrier, .dataBarExpanded, .dataBarStacked,
                .dataBarExpandedStacked:
                0
            default: text.utf8.count
            }
        guard length <= Self.maximumBarcodeLength else {
            throw Self.invalid("the barcode's data is too long to be printed", "at most about 100 characters")
        }
    }

    /// The maximum length of a GS1-128 with its marks (GS1 General Specifications §5.4.4.4).
    private static let maximumGS1Length = 48

    private static func gs1Code128(_ data: String) throws(ReceiptError) -> (Kind, String) {
        let elements = try GS1Elements(data)
        guard elements.length <= maximumGS1Length else {
            throw invalid(
                "a GS1-128 cannot hold more than \(maximumGS1Length) characters", "less data, or several codes")
        }
        return (.gs1Code128(Code128.gs1Codewords(elements.parts), elements), elements.text)
    }

    /// The data as people read it below the bars.
    package var readableText: String {
        switch kind {
        case .dataBar, .dataBarStacked: "(01)" + text
        default: text
        }
    }

    /// The error for data that a code cannot hold.
    static func invalid(_ message: String, _ instead: String) -> ReceiptError {
        ReceiptError(.code, message, instead: instead)
    }

    private static func ascii(_ data: String, _ name: String) throws(ReceiptError) -> String {
        guard data.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw invalid("\(name) holds ASCII characters only", "the data without other characters, or use a QR code")
        }
        return data
    }

    private static func code39(_ data: String) throws(ReceiptError) -> String {
        let hasStars = data.utf8.count > 2 && data.hasPrefix("*") && data.hasSuffix("*")
        let text = hasStars ? String(data.dropFirst().dropLast()) : data
        guard text.utf8.allSatisfy(code39Characters.contains) else {
            throw invalid(
                "Code 39 holds digits, capital letters and -. $/+% only",
                "the data in these characters, or use Code 128")
        }
        return text
    }

    private static let code39Characters = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%".utf8)

    private static func itf(_ data: String) throws(ReceiptError) -> String {
        guard data.isDigits, data.utf8.count.isMultiple(of: 2) else {
            throw invalid(
                "Interleaved 2 of 5 holds digits only, and an even number of them", "the digits with a 0 in front")
        }
        return data
    }

    private static func codabar(_ data: String) throws(ReceiptError) -> String {
        let text = data.uppercased()
        let letters = Set("ABCD".utf8)
        let inner = Set("0123456789-$:/.+".utf8)
        guard text.utf8.count >= 3, let first = text.utf8.first, let last = text.utf8.last, letters.contains(first),
            letters.contains(last), text.utf8.dropFirst().dropLast().allSatisfy(inner.contains)
        else {
            throw invalid("Codabar holds digits and -$:/.+ between two letters from A to D", "for example A12345B")
        }
        return text
    }

    /// The size of a code in dots. A code that the printer draws takes at most this size.
    struct Size {
        var width: Int
        var height: Int
        /// The quiet zone above and below.
        var margin: Int
        var scale: Int
        var columns = 0
    }

    /// The narrowest module that thermal printers with 8 dots per millimetre print reliably.
    private static let minimumScale = 2

    /// The dots of a module or cell that the receipt asks for; nil where it has no say.
    func requestedScale(_ code: ReceiptCode) -> Int? {
        switch kind {
        case .maxiCode, .maxiCodeCarrier: nil
        default: code.symbology.isTwoDimensional ? code.cell : code.module
        }
    }

    /// The size at the requested scale, or at a smaller one that fits. Nil where none fits.
    func size(_ code: ReceiptCode, within dots: Int, dotsPerMillimetre: Int = 8) -> Size? {
        switch kind {
        case .maxiCode, .maxiCodeCarrier:
            return MaxiCodeGeometry(dotsPerMillimetre: dotsPerMillimetre).size(within: dots)
        default: break
        }
        let requested = code.symbology.isTwoDimensional ? code.cell : code.module
        guard requested >= Self.minimumScale else { return nil }
        for scale in (Self.minimumScale...requested).reversed() {
            switch kind {
            case .qr(let version):
                let side = QRCapacity.side(version: version) * scale
                // The quiet zone is four cells wide (ISO/IEC 18004 §6.3.8).
                if side <= dots { return Size(width: side, height: side, margin: 4 * scale, scale: scale) }
            case .dataMatrix(let side):
                if side * scale <= dots {
                    return Size(width: side * scale, height: side * scale, margin: 2 * scale, scale: scale)
                }
            case .aztec(let aztec):
                // It needs no quiet zone (ISO/IEC 24778 §4.2); a cell sets it off from what is above.
                let side = aztec.side * scale
                if side <= dots { return Size(width: side, height: side, margin: scale, scale: scale) }
            case .dataBarStacked(let isHigh):
                let size = DataBarStackedGeometry.number(isHigh: isHigh, scale: scale)
                if size.width <= dots { return size }
            case .dataBarExpandedStacked(let characters, _):
                let size = DataBarStackedGeometry.expanded(characters: characters, scale: scale, within: dots)
                if let size { return size }
            case .pdf417(let codewords, _):
                if let size = pdf417(codewords, scale, dots) { return size }
            default:
                let width = barcodeWidth(module: scale)
                if width <= dots { return Size(width: width, height: code.height, margin: 0, scale: scale) }
            }
        }
        return nil
    }

    /// Throws where the code is wider than `dots` even at its smallest. `dots` is nil where no paper is known.
    func check(_ code: ReceiptCode, fits dots: Int?) throws(ReceiptError) {
        guard let dots, size(code, within: dots) == nil else { return }
        throw Self.tooWide
    }

    /// The error for a code that does not fit.
    static let tooWide = ReceiptError(
        .doesNotFit, "the code is wider than the paper, even at its smallest",
        instead: "less data, or print it on wider paper")

    /// The height of a row in modules, the least that the standard allows.
    package static let pdf417RowHeight = 3

    /// The size with the fewest columns at which the code is at least twice as wide as high, or else with the most
    /// columns that fit.
    private func pdf417(_ codewords: Int, _ scale: Int, _ dots: Int) -> Size? {
        var best: Size?
        for columns in PDF417Capacity.columns {
            let width = PDF417Capacity.width(columns: columns) * scale
            let rows = max((codewords + columns - 1) / columns, PDF417Capacity.rows.lowerBound)
            guard width <= dots, rows <= PDF417Capacity.rows.upperBound else { continue }
            best = Size(
                width: width, height: rows * Self.pdf417RowHeight * scale, margin: 2 * scale, scale: scale,
                columns: columns)
            if let best, best.width >= 2 * best.height { break }
        }
        return best
    }

    /// The dots of a wide bar or space in a code of two widths. Epson's printers draw wide ones 2.5 to 2.7 times as
    /// wide as narrow ones (ESC/POS reference, GS w).
    package static func wideBar(module: Int) -> Int { module == 3 ? 8 : module * 5 / 2 }

    /// The width of the bars and spaces, without the quiet zones at both ends.
    private func barcodeWidth(module: Int) -> Int {
        let wide = Self.wideBar(module: module)
        let count = text.utf8.count
        switch kind {
        case .upcA, .ean13: return 95 * module
        case .upcE: return 51 * module
        case .ean8: return 67 * module
        case .code39: return (count + 2) * (7 * module + 3 * wide) - module
        case .itf: return count * (3 * module + 2 * wide) + 6 * module + wide
        case .codabar:
            let narrow = text.utf8.filter {
                (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "$")
            }.count
            return count * (5 * module + 3 * wide) - narrow * (wide - module) - module
        case .code93:
            return (text.utf8.reduce(4) { $0 + (Self.code39Characters.contains($1) ? 1 : 2) } * 9 + 1) * module
        case .code128(let codewords), .gs1Code128(let codewords, _): return Code128.width(codewords) * module
        case .dataBar: return 96 * module
        case .dataBarExpanded(let characters, _): return DataBarExpandedCapacity.width(characters) * module
        case .qr, .pdf417, .dataMatrix, .aztec, .maxiCode, .maxiCodeCarrier, .dataBarStacked, .dataBarExpandedStacked:
            return 0
        }
    }
}

extension String {
    /// Whether the string is one or more ASCII digits.
    var isDigits: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}

/// Validates GTINs, the numbers of trade items: the last digit checks the others (GS1 General Specifications §7.9).
enum GTIN {
    /// Validates an EAN of 12 or 13 digits, or of 7 or 8. Adds a missing check digit and refuses a wrong one.
    static func ean(_ data: String) throws(ReceiptError) -> (CheckedCode.Kind, String) {
        switch data.utf8.count {
        case 12, 13: (.ean13, try completed(data, 12, "EAN-13"))
        case 7, 8: (.ean8, try completed(data, 7, "EAN-8"))
        default:
            throw CheckedCode.invalid(
                "an EAN has 13 or 8 digits, or one less without its check digit", "that many digits")
        }
    }

    /// Validates a UPC of 11 or 12 digits, or of 6 to 8. Adds a missing check digit and refuses a wrong one.
    static func upc(_ data: String) throws(ReceiptError) -> (CheckedCode.Kind, String) {
        switch data.utf8.count {
        case 11, 12: (.upcA, try completed(data, 11, "UPC-A"))
        case 6: (.upcE, try zeroSuppressed("0" + data))
        case 7, 8: (.upcE, try zeroSuppressed(data))
        default:
            throw CheckedCode.invalid(
                "a UPC has 12 or 8 digits, or one less without its check digit", "that many digits")
        }
    }

    /// Validates the number of an item for GS1 DataBar: 14 digits, or 13 without the check digit, with or without its
    /// identifier (01).
    static func item(_ data: String) throws(ReceiptError) -> String {
        let digits = data.hasPrefix("(01)") ? String(data.dropFirst(4)) : data
        guard (13...14).contains(digits.utf8.count) else {
            throw CheckedCode.invalid("a GS1 DataBar holds an item's number of 14 digits", "that many digits")
        }
        return try completed(digits, 13, "GS1 DataBar")
    }

    /// The data with its check digit, which follows `count` digits.
    static func completed(_ data: String, _ count: Int, _ name: String) throws(ReceiptError) -> String {
        guard data.isDigits else { throw CheckedCode.invalid("\(name) holds digits only", "digits") }
        let digits = data.utf8.map { Int($0 &- 0x30) }
        return try checked(data, checkDigit(of: digits.prefix(count)), count, name)
    }

    private static func checked(
        _ data: String, _ check: Int, _ count: Int, _ name: String
    ) throws(ReceiptError) -> String {
        guard data.utf8.count > count else { return data + String(check) }
        guard data.utf8.last == UInt8(0x30 + check) else {
            throw CheckedCode.invalid(
                "the check digit of this \(name) is wrong",
                "\(data.prefix(count))\(check), or correct the digits before it")
        }
        return data
    }

    /// A UPC-E with its check digit: number system 0, six digits, and the check digit of the UPC-A that they stand for.
    private static func zeroSuppressed(_ data: String) throws(ReceiptError) -> String {
        guard data.isDigits, data.utf8.first == 0x30 else {
            throw CheckedCode.invalid("a UPC-E holds digits only and begins with 0", "digits, with a 0 in front")
        }
        let digits = data.utf8.map { Int($0 &- 0x30) }
        return try checked(data, checkDigit(of: expanded(Array(digits.dropFirst().prefix(6)))[...]), 7, "UPC-E")
    }

    /// The eleven digits before the check digit of the UPC-A. The last of the six digits says where its zeros are.
    private static func expanded(_ six: [Int]) -> [Int] {
        guard six.count == 6 else { return [] }
        let (head, last) = (six.prefix(5), six[5])
        return switch last {
        case 0...2: [0] + head.prefix(2) + [last, 0, 0, 0, 0] + head.suffix(3)
        case 3: [0] + head.prefix(3) + [0, 0, 0, 0, 0] + head.suffix(2)
        case 4: [0] + head.prefix(4) + [0, 0, 0, 0, 0] + head.suffix(1)
        default: [0] + head + [0, 0, 0, 0, last]
        }
    }

    /// The check digit. Counted from the right, every other digit has the weight three.
    private static func checkDigit(of digits: ArraySlice<Int>) -> Int {
        let sum = digits.reversed().enumerated().reduce(0) { $0 + $1.element * ($1.offset.isMultiple(of: 2) ? 3 : 1) }
        return (10 - sum % 10) % 10
    }
}

/// The code sets of Code 128 (ISO/IEC 15417): A has control characters,
/// B lower-case letters, C pairs of digits.
package enum Code128 {
    package enum CodeSet: UInt8, Hashable, Sendable {
        case a = 0x41
        case b = 0x42
        case c = 0x43
    }

    package enum Codeword: Hashable, Sendable {
        /// Starts in this code set, or switches to it.
        case set(CodeSet)
        case character(UInt8)
        /// A pair of digits, 0 to 99.
        case pair(UInt8)
        /// Function 1, which says that GS1 data follows, or ends a part of it.
        case function1
    }

    /// Encodes data. Uses pairs of digits where they shorten the code: for four digits or more at an end, and for six
    /// in the middle.
    static func codewords(_ data: String.UTF8View) -> [Codeword] {
        var (words, current): ([Codeword], CodeSet?) = ([], nil)
        append(Array(data)[...], &words, &current)
        return words
    }

    /// Encodes parts of GS1 data, which begin with an identifier's digits.
    static func gs1Codewords(_ parts: [[UInt8]]) -> [Codeword] {
        var (words, current): ([Codeword], CodeSet?) = ([], nil)
        select(.c, &current, &words)
        for part in parts {
            words.append(.function1)
            append(part[...], &words, &current)
        }
        return words
    }

    private static func append(_ bytes: ArraySlice<UInt8>, _ words: inout [Codeword], _ current: inout CodeSet?) {
        var rest = bytes
        while let byte = rest.first {
            let digits = rest.prefix { (0x30...0x39).contains($0) }.count
            let isAtEnd = current == nil || digits == rest.count
            let isInPairs = current == .c && digits >= 2
            if isInPairs || digits >= (isAtEnd ? 4 : 6) || current == nil && digits == 2 && rest.count == 2 {
                if !digits.isMultiple(of: 2), let set = current, set != .c {
                    words.append(.character(byte))
                    rest = rest.dropFirst()
                }
                select(.c, &current, &words)
                appendPairs(&rest, &words)
                continue
            }
            select(set(for: byte, rest, current), &current, &words)
            words.append(.character(byte))
            rest = rest.dropFirst()
        }
    }

    private static func appendPairs(_ rest: inout ArraySlice<UInt8>, _ words: inout [Codeword]) {
        while let first = rest.first, let second = rest.dropFirst().first, (0x30...0x39).contains(first),
            (0x30...0x39).contains(second)
        {
            words.append(.pair((first - 0x30) * 10 + second - 0x30))
            rest = rest.dropFirst(2)
        }
    }

    private static func select(_ set: CodeSet, _ current: inout CodeSet?, _ words: inout [Codeword]) {
        guard current != set else { return }
        current = set
        words.append(.set(set))
    }

    /// The current code set where it has the character, or else the one that the next special character needs.
    private static func set(for byte: UInt8, _ rest: ArraySlice<UInt8>, _ current: CodeSet?) -> CodeSet {
        if byte < 0x20 { return .a }
        if byte >= 0x60 { return .b }
        if let current, current != .c { return current }
        return rest.first { $0 < 0x20 || $0 >= 0x60 }.map { $0 < 0x20 ? .a : .b } ?? .b
    }

    /// The data as GS k takes it: `{A`, `{B` and `{C` select a code set, `{1` is function 1, `{{` a brace.
    static func escPos(_ codewords: [Codeword]) -> [UInt8] {
        codewords.flatMap { word -> [UInt8] in
            switch word {
            case .set(let set): [0x7B, set.rawValue]
            case .character(0x7B): [0x7B, 0x7B]
            case .character(let byte): [byte]
            case .pair(let pair): [pair]
            case .function1: [0x7B, 0x31]
            }
        }
    }

    /// The width in modules: each codeword and the check character take 11, the stop 13. The first codeword is the
    /// start.
    static func width(_ codewords: [Codeword]) -> Int { (codewords.count + 1) * 11 + 13 }
}
