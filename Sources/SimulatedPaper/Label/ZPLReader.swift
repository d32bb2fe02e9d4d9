/// Splits ZPL II into commands: a caret or tilde, two characters (`^A` and its font), and the parameters up to the next
/// command.
struct ZPLReader {
    struct Command {
        var offset: Int
        /// The name with its caret or tilde.
        var name: String
        var parameters: [UInt8]
    }

    private var reader: ByteReader
    private static let starts: [UInt8] = [UInt8(ascii: "^"), UInt8(ascii: "~")]

    init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }

    /// The next command, and the bytes before it that belong to no command, with their offset. Nil at the end.
    mutating func next() -> (command: Command?, skipped: [UInt8], offset: Int)? {
        let skippedOffset = reader.position
        let skipped = takeRest().filter { $0 > 0x20 }
        guard let start = reader.next() else { return skipped.isEmpty ? nil : (nil, skipped, skippedOffset) }
        let offset = reader.position - 1
        guard var name = reader.take(2), name.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            return (nil, skipped + [start], skippedOffset)
        }
        // Manuals write the font as a part of the name; it is a parameter without a comma.
        var parameters: [UInt8] = []
        if name[0] == UInt8(ascii: "A") {
            parameters = [name[1]]
            name = [name[0]]
        }
        let text = String(decoding: [start] + name, as: UTF8.self)
        if text == "^GF", let picture = takePicture() {
            parameters = picture
        } else {
            parameters += takeRest()
        }
        return (Command(offset: offset, name: text, parameters: parameters), skipped, skippedOffset)
    }

    private mutating func takeRest() -> [UInt8] {
        var rest: [UInt8] = []
        while let byte = reader.peek(), !Self.starts.contains(byte) {
            rest.append(byte)
            reader.skip(1)
        }
        return rest
    }

    /// Takes the parameters of `^GFB` and `^GFC`, whose binary data is as long as their second number says. Nil for
    /// other formats.
    private mutating func takePicture() -> [UInt8]? {
        guard let form = reader.peek(), [UInt8(ascii: "B"), UInt8(ascii: "C")].contains(form) else { return nil }
        var head: [UInt8] = []
        while head.filter({ $0 == UInt8(ascii: ",") }).count < 4, head.count < 64, let byte = reader.peek() {
            head.append(byte)
            reader.skip(1)
        }
        let fields = head.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard fields.count == 5, let count = Int(String(decoding: fields[1], as: UTF8.self)), count >= 0,
            let data = reader.take(count)
        else {
            return head
        }
        return head + data
    }
}

/// The parameters of a command, separated by commas. Missing ones are nil.
struct ZPLParameters {
    private let fields: [ArraySlice<UInt8>]

    init(_ bytes: [UInt8]) { fields = bytes[...].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) }

    func text(_ index: Int) -> String? {
        guard index < fields.count else { return nil }
        let text = String(decoding: fields[index].filter { $0 > 0x20 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    func letter(_ index: Int) -> Character? { text(index)?.uppercased().first }

    /// A number within bounds that keep calculations from overflowing.
    func number(_ index: Int) -> Int? { text(index).flatMap { Int($0) }.map { min(max($0, -32_000), 32_000) } }

    func decimal(_ index: Int) -> Double? { text(index).flatMap(Double.init) }
}

/// Pictures of hexadecimal digits with Zebra's compression: a letter repeats the next digit, a comma ends a row with
/// white, an exclamation mark with black, a colon repeats the row above.
enum ZPLPicture {
    /// Decodes a picture. Nil for formats that begin with a colon and a name (`:Z64:`), and for invalid characters.
    static func read(_ data: ArraySlice<UInt8>, total: Int, stride: Int) -> Bitmap? {
        let height = min(total / max(1, stride), ZPLPrinter.maximumHeight)
        let digitsInRow = stride * 2
        guard height > 0, stride <= ZPLPrinter.maximumWidth else { return nil }
        var rows: [UInt8] = []
        var row: [UInt8] = []
        var count = 0
        for byte in data where byte > 0x20 {
            guard rows.count < height * digitsInRow else { break }
            switch byte {
            case UInt8(ascii: "G")...UInt8(ascii: "Y"): count += Int(byte) - 0x46
            case UInt8(ascii: "g")...UInt8(ascii: "z"): count += (Int(byte) - 0x66) * 20
            case UInt8(ascii: ","), UInt8(ascii: "!"):
                row += repeatElement(byte == UInt8(ascii: "!") ? 15 : 0, count: digitsInRow - row.count)
                count = 0
            case UInt8(ascii: ":"):
                guard row.isEmpty else { return nil }
                row = Array(rows.suffix(digitsInRow))
                row += repeatElement(0, count: digitsInRow - row.count)
            default:
                guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
                row += repeatElement(
                    UInt8(digit), count: min(max(1, count), (height + 1) * digitsInRow - rows.count - row.count))
                count = 0
            }
            while row.count >= digitsInRow {
                rows += row.prefix(digitsInRow)
                row.removeFirst(digitsInRow)
            }
        }
        rows += row
        let bytes = Swift.stride(from: 0, to: rows.count - 1, by: 2).map { rows[$0] << 4 | rows[$0 + 1] }
        return Bitmap(width: stride * 8, height: height, rows: bytes)
    }
}
