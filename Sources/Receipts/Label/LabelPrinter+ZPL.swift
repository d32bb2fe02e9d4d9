extension LabelPrinter {
    /// The most that ^GF takes at once (Zebra, "ZPL II Programming Guide", ^GF).
    private static let longestPicture = 99_999

    /// A format from ^XA to ^XZ. White rows are not sent.
    func zpl(_ matrix: DotMatrix, isCut: Bool) -> [EncodedStep] {
        var steps = darkness.map { [EncodedStep("~SD\($0 < 10 ? "0" : "")\($0)")] } ?? []
        steps += [
            EncodedStep("^XA"), EncodedStep("^PW\(matrix.width)"), EncodedStep("^LL\(labelLength ?? matrix.height)"),
            EncodedStep("^LH0,0"),
        ]
        // Without labels the printer would look for gaps between them.
        if labelLength == nil { steps.append(EncodedStep("^MNN")) }
        if let speed { steps.append(EncodedStep("^PR\(speed)")) }
        if hasCutter { steps.append(EncodedStep(isCut ? "^MMC" : "^MMT")) }
        var top = 0
        for band in RasterBand.bands(of: matrix, most: Self.longestPicture / max(matrix.stride, 1), shortestWhite: 8) {
            switch band {
            case .white(let rows): top += rows
            case .rows(let rows, let width):
                let bytes = matrix.bytes(of: rows, first: width)
                let head = "^FO0,\(top)^GFA,\(bytes.count),\(bytes.count),\(width),"
                let data = ZPLDigits.compressed(bytes, bytesPerRow: width)
                steps.append(
                    EncodedStep(
                        Array(head.utf8) + data + Array("^FS\n".utf8),
                        head + "(\(rows.count) rows, \(data.count) digits)^FS"))
                top += rows.count
            }
        }
        return steps + [EncodedStep("^XZ")]
    }
}

/// Dots as hexadecimal digits with Zebra's counts (ZPL II Programming Guide, "Alternative data compression scheme").
enum ZPLDigits {
    static func compressed(_ bytes: [UInt8], bytesPerRow: Int) -> [UInt8] {
        var (text, previous): ([UInt8], ArraySlice<UInt8>?) = ([], nil)
        for start in stride(from: 0, to: bytes.count, by: max(bytesPerRow, 1)) {
            let row = bytes[start..<min(start + bytesPerRow, bytes.count)]
            if let previous, previous.elementsEqual(row) {
                text.append(UInt8(ascii: ":"))
            } else {
                append(row, to: &text)
            }
            previous = row
        }
        return text
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func append(_ row: ArraySlice<UInt8>, to text: inout [UInt8]) {
        // A comma fills the row with white.
        let end = row.lastIndex { $0 != 0 }.map { $0 + 1 } ?? row.startIndex
        var (digit, count): (UInt8, Int) = (0, 0)
        for byte in row[..<end] {
            for half in [byte >> 4, byte & 15] {
                if half == digit, count > 0 { count += 1; continue }
                append(digit, count, to: &text)
                (digit, count) = (half, 1)
            }
        }
        append(digit, count, to: &text)
        if end < row.endIndex { text.append(UInt8(ascii: ",")) }
    }

    /// `g` to `z` are twenties, `G` to `Y` ones.
    private static func append(_ digit: UInt8, _ count: Int, to text: inout [UInt8]) {
        var rest = count
        guard rest > 0 else { return }
        if rest > 1 {
            while rest > 419 {
                text += [UInt8(ascii: "z"), digits[Int(digit)]]
                rest -= 400
            }
            if rest >= 20 { text.append(UInt8(ascii: "f") + UInt8(rest / 20)) }
            if !rest.isMultiple(of: 20) { text.append(UInt8(ascii: "F") + UInt8(rest % 20)) }
        }
        text.append(digits[Int(digit)])
    }
}
