/// Black dots by error diffusion (Floyd and Steinberg, 1976). Every other row goes from right to left, which avoids
/// slanted lines of dots. As with receipts, the density follows the tone and not its light, since dots spread.
struct ErrorDiffusion: Sendable {
    private let width: Int
    /// The errors of this row and the next, in sixteenths of a tone, with a column of margin on each side.
    private var errors: [Int]
    private var nextErrors: [Int]
    private var isReversed = false

    init(width: Int) {
        self.width = max(width, 0)
        errors = [Int](repeating: 0, count: self.width + 2)
        nextErrors = errors
    }

    /// The dots of the next row, which replace the bytes of `bits` from `base` on.
    mutating func row(_ grey: Span<UInt8>, into bits: inout MutableSpan<UInt8>, from base: Int) {
        let step = isReversed ? -1 : 1
        var x = isReversed ? width - 1 : 0
        for index in 0..<(width + 7) / 8 { bits[base + index] = 0 }
        for _ in 0..<width {
            let tone = Int(grey[x]) + (errors[x + 1] + 8) >> 4
            let isBlack = tone < 128
            if isBlack { bits[base + x >> 3] |= 0x80 >> UInt8(x & 7) }
            let error = isBlack ? tone : tone - 255
            errors[x + 1 + step] += error * 7
            nextErrors[x + 1 - step] += error * 3
            nextErrors[x + 1] += error * 5
            nextErrors[x + 1 + step] += error
            x += step
        }
        isReversed.toggle()
        swap(&errors, &nextErrors)
        for index in nextErrors.indices { nextErrors[index] = 0 }
    }
}
