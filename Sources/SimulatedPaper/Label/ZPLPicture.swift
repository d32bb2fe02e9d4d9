/// Pictures of hexadecimal digits with Zebra's compression: a letter repeats the next digit, a comma ends a row with
/// white, an exclamation mark with black, a colon repeats the row above. Or in Base64, compressed or not (`:Z64:`,
/// `:B64:`), with a checksum; where it does not fit, the printer drops the picture.
enum ZPLPicture {
    /// Decodes a picture in either form. Nil where it is damaged.
    static func read(
        _ data: ArraySlice<UInt8>, total: Int, stride: Int, _ unpacker: any DataUnpacker
    ) -> Bitmap? {
        let height = min(total / max(1, stride), ZPLPrinter.maximumHeight)
        guard height > 0, stride <= ZPLPrinter.maximumWidth else { return nil }
        guard data.first == UInt8(ascii: ":") else { return read(data, total: total, stride: stride) }
        let fields = data.filter { $0 > 0x20 }.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        // ":Z64:…:crc": nothing, the form, the data, four digits.
        guard fields.count == 4, let sum = UInt16(String(decoding: fields[3], as: UTF8.self), radix: 16),
            sum == checksum(fields[2]), let bytes = base64(fields[2])
        else { return nil }
        switch String(decoding: fields[1], as: UTF8.self) {
        case "B64": return Bitmap(width: stride * 8, height: height, rows: bytes)
        case "Z64":
            return unpacker.unpacked(bytes, limit: total).map {
                Bitmap(width: stride * 8, height: height, rows: $0)
            }
        default: return nil
        }
    }

    /// CRC-16 with the polynomial 1021h, over the characters of Base64 (ZPL II Programming Guide, "ZB64").
    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte) << 8) { value, _ in value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
            }
        }
    }

    /// The bytes of Base64 (RFC 4648); nil for other characters.
    private static func base64(_ characters: some Sequence<UInt8>) -> [UInt8]? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        var bytes: [UInt8] = []
        var bits = (value: 0, count: 0)
        for character in characters where character != UInt8(ascii: "=") {
            guard let value = values[Int(character)] else { return nil }
            bits = ((bits.value << 6 | Int(value)) & 0xFFF, bits.count + 6)
            guard bits.count >= 8 else { continue }
            bits.count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits.value >> bits.count))
        }
        return bytes
    }

    /// Decodes hexadecimal digits. Nil for invalid characters.
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
