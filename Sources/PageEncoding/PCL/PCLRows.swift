/// The rows of a page in PCL's raster graphics ("PCL 5 Printer Language Technical Reference Manual", chapter 15): white
/// rows are skipped, others compressed by method 2 (PackBits) or 3 (delta row), whichever is shorter.
struct PCLRows: Sendable {
    private var packBits = RunLengthCoder(.packBits)
    private var packed: [UInt8] = []
    private var delta: [UInt8] = []
    /// The last row, which the printer keeps as its seed row; nil after a skip, which not every printer clears it at
    /// (Canon LBP-4i).
    private var seed: [UInt8]?
    /// The compression method in force.
    private var method: Method?
    /// The rows to skip.
    private var skipped = 0
    private(set) var isBlank = true

    private enum Method: Int {
        case packBits = 2
        case deltaRow = 3
    }

    /// The bytes of `ESC * b # M`.
    private static let methodCost = 5
    /// The maximum parameter of `ESC * b # Y`.
    private static let maximumSkip = 32_767

    /// Adds a row of bits.
    mutating func append(_ row: Span<UInt8>, into output: inout [UInt8]) {
        let length = row.countWithoutTrailingZeros()
        guard length > 0 else {
            skip(1)
            return
        }
        isBlank = false
        flushSkipped(into: &output)
        packed.removeAll(keepingCapacity: true)
        packBits.append(row.extracting(0..<length), to: &packed)
        var isDelta = false
        if let seed, seed.count == row.count {
            Self.appendDelta(of: row, from: seed.span, to: &delta)
            let costs = (method == .packBits ? Self.methodCost : 0, method == .deltaRow ? Self.methodCost : 0)
            isDelta = delta.count + costs.0 < packed.count + costs.1
        }
        select(isDelta ? .deltaRow : .packBits, into: &output)
        output += "\u{1B}*b\(isDelta ? delta.count : packed.count)W".utf8
        output += isDelta ? delta : packed
        if seed == nil { seed = [] }
        seed?.assign(row)
    }

    /// Adds white rows.
    mutating func skip(_ count: Int) {
        skipped += count
        seed = nil
    }

    /// Adds what makes a page without any black dot one with contents: a row of white.
    mutating func appendWhite(into output: inout [UInt8]) {
        select(.packBits, into: &output)
        output += "\u{1B}*b2W".utf8
        output += [0, 0]
    }

    private mutating func flushSkipped(into output: inout [UInt8]) {
        while skipped > 0 {
            let count = min(skipped, Self.maximumSkip)
            output += "\u{1B}*b\(count)Y".utf8
            skipped -= count
        }
    }

    private mutating func select(_ wanted: Method, into output: inout [UInt8]) {
        guard method != wanted else { return }
        output += "\u{1B}*b\(wanted.rawValue)M".utf8
        method = wanted
    }

    /// The changes from a seed row ("Delta Row Compression"): a byte with the number of replaced bytes less one in
    /// three bits and their offset in five, then offsets from 31 on continued, then the bytes.
    private static func appendDelta(of row: Span<UInt8>, from seed: Span<UInt8>, to delta: inout [UInt8]) {
        delta.removeAll(keepingCapacity: true)
        var position = 0
        var index = row.firstDifference(from: 0, to: seed)
        while index < row.count {
            var end = index + 1
            while end < row.count, end - index < 8, row[end] != seed[end] { end += 1 }
            let offset = index - position
            delta.append(UInt8(truncatingIfNeeded: (end - index - 1) << 5 | min(offset, 31)))
            if offset >= 31 {
                var rest = offset - 31
                while rest >= 255 {
                    delta.append(255)
                    rest -= 255
                }
                delta.append(UInt8(truncatingIfNeeded: rest))
            }
            for place in index..<end { delta.append(row[place]) }
            position = end
            index = row.firstDifference(from: end, to: seed)
        }
    }
}
