/// Dots as hexadecimal digits, with Zebra's counts: a letter repeats the digit after it, a comma ends a row with white,
/// an exclamation mark with black, a colon repeats the row above.
enum ZPLPicture {
    /// Nil for forms that begin with a colon and a name (`:Z64:`), and where a byte is none of the alphabet.
    static func read(_ data: ArraySlice<UInt8>, total: Int, stride: Int) -> Bitmap? {
        let height = min(total / max(1, stride), LabelPrinter.tallest)
        let digitsInRow = stride * 2
        guard height > 0, stride <= LabelPrinter.widest else { return nil }
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
