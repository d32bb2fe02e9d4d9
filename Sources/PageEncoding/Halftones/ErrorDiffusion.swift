/// Black dots by error diffusion (Floyd and Steinberg, 1976). Every other row goes from right to left, which avoids
/// slanted lines of dots. As with receipts, the density follows the tone and not its light, since dots spread.
struct ErrorDiffusion: Sendable {
    private let width: Int
    /// The errors that a row hands down, in sixteenths of a tone, with a column of margin on each side.
    private var errors: [Int32]
    private var isReversed = false

    init(width: Int) {
        self.width = max(width, 0)
        errors = [Int32](repeating: 0, count: self.width + 2)
    }

    /// The dots of the next row, which replace the bytes of `bits` from `base` on.
    mutating func row(_ grey: Span<UInt8>, into bits: inout MutableSpan<UInt8>, from base: Int) {
        let (width, step) = (width, isReversed ? -1 : 1)
        for index in 0..<(width + 7) / 8 { bits[base + index] = 0 }
        var x = isReversed ? width - 1 : 0
        isReversed.toggle()
        var below = errors.mutableSpan
        // What this row hands on: to its next dot, and to the places below the last dot and below this one.
        var (ahead, behind, beneath) = (Int32(0), Int32(0), Int32(0))
        for _ in 0..<width {
            let tone = Int32(grey[x]) + (below[x + 1] + ahead + 8) >> 4
            let isBlack = tone < 128
            if isBlack { bits[base + x >> 3] |= 0x80 >> UInt8(x & 7) }
            let error = isBlack ? tone : tone - 255
            ahead = error * 7
            // The place below the last dot has its three shares now.
            below[x + 1 - step] = behind + error * 3
            behind = beneath + error * 5
            beneath = error
            x += step
        }
        // `x` is behind the last dot.
        if width > 0 { below[x + 1 - step] = behind }
    }
}
