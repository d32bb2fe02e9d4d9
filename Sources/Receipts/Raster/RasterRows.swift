/// Rows as PWG and Apple Raster compress them (PWG 5102.4 §4.4): a byte says how often a row comes again, then runs and
/// literals of units, which are a grey dot or eight black ones.
enum RasterRows {
    static func packed(_ matrix: DotMatrix, asBits: Bool) -> [UInt8] {
        var packed: [UInt8] = []
        var row = 0
        while row < matrix.height {
            let dots = matrix.row(row)
            var next = row + 1
            while next < matrix.height, next - row < 256, matrix.row(next).elementsEqual(dots) { next += 1 }
            packed.append(UInt8(clamping: next - row - 1))
            append(asBits ? Array(dots) : grey(dots, width: matrix.width), to: &packed)
            row = next
        }
        return packed
    }

    /// A byte for each dot: 0 is black.
    private static func grey(_ dots: ArraySlice<UInt8>, width: Int) -> [UInt8] {
        var grey = [UInt8](repeating: 0xFF, count: width)
        for (index, byte) in dots.enumerated() where byte != 0 {
            for bit in 0..<8 where byte & 0x80 >> UInt8(bit) != 0 { grey[index * 8 + bit] = 0 }
        }
        return grey
    }

    private static let longest = 128

    private static func append(_ units: [UInt8], to packed: inout [UInt8]) {
        var index = 0
        while index < units.count {
            let end = min(index + longest, units.count)
            var next = index + 1
            while next < end, units[next] == units[index] { next += 1 }
            if next - index > 1 || next == units.count {
                packed += [UInt8(next - index - 1), units[index]]
                index = next
                continue
            }
            // Up to where a run begins.
            while next < end, next + 1 >= units.count || units[next] != units[next + 1] { next += 1 }
            if next - index == 1 {
                packed += [0, units[index]]
            } else {
                packed.append(UInt8(257 - (next - index)))
                packed += units[index..<next]
            }
            index = next
        }
    }
}
