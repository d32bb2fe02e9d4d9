/// Black dots by error diffusion (Floyd and Steinberg, 1976). Every other row goes from right to left, which avoids
/// slanted lines of dots. As with receipts, the density follows the tone and not its light, since dots spread.
///
/// At an edge between dark and light a dot is black where it is darker than the middle, and hands on no error: so the
/// lines of barcodes and letters in pictures stay straight.
struct ErrorDiffusion: Sendable {
    private let width: Int
    /// The errors that a row hands down, in sixteenths of a tone, with a column of margin on each side.
    private var errors: [Int32]
    private var isReversed = false
    private var edges: Edges

    init(width: Int) {
        self.width = max(width, 0)
        errors = [Int32](repeating: 0, count: self.width + 2)
        edges = Edges(width: self.width)
    }

    /// The dots of the next row, which replace the bytes of `bits` from `base` on.
    mutating func row(_ grey: Span<UInt8>, into bits: inout MutableSpan<UInt8>, from base: Int) {
        let (width, step) = (width, isReversed ? -1 : 1)
        edges.add(grey)
        for index in 0..<(width + 7) / 8 { bits[base + index] = 0 }
        var x = isReversed ? width - 1 : 0
        isReversed.toggle()
        var errors: [Int32] = []
        swap(&errors, &self.errors)
        defer { self.errors = errors }
        var below = errors.mutableSpan
        // What this row hands on: to its next dot, and to the places below the last dot and below this one.
        var (ahead, behind, beneath) = (Int32(0), Int32(0), Int32(0))
        for _ in 0..<width {
            let isEdge = edges[x]
            let tone = Int32(grey[x]) + (isEdge ? 0 : (below[x + 1] + ahead + 8) >> 4)
            let isBlack = tone < 128
            if isBlack { bits[base + x >> 3] |= 0x80 >> UInt8(x & 7) }
            let error = isEdge ? 0 : isBlack ? tone : tone - 255
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

/// Where dark and light meet: among the five dots around one in its row and in the two rows above, all those that are
/// known when it is its turn.
private struct Edges: Sendable {
    private let width: Int
    /// The lightest and the darkest of five dots in a row, side by side, for this row and the last two.
    private var extremes: [UInt8]
    /// The row whose place the next one takes.
    private var oldest = 0

    private static let rows = 3
    /// The dots to each side.
    private static let reach = 2
    /// What is apart by so many tones is an edge.
    private static let contrast = 96

    init(width: Int) {
        self.width = width
        extremes = (0..<width * Self.rows).flatMap { _ in [0, 255] as [UInt8] }
    }

    /// Adds the next row.
    mutating func add(_ grey: Span<UInt8>) {
        let (width, base) = (width, oldest * width * 2)
        oldest = (oldest + 1) % Self.rows
        var extremes = extremes.mutableSpan
        for x in 0..<width {
            var (light, dark) = (grey[x], grey[x])
            for neighbour in max(x - Self.reach, 0)...min(x + Self.reach, width - 1) {
                light = max(light, grey[neighbour])
                dark = min(dark, grey[neighbour])
            }
            extremes[base + 2 * x] = light
            extremes[base + 2 * x + 1] = dark
        }
    }

    /// Whether there is an edge at a dot of the row that was added last.
    subscript(x: Int) -> Bool {
        let (first, next) = (2 * x, 2 * width)
        let light = max(extremes[first], extremes[first + next], extremes[first + 2 * next])
        let dark = min(extremes[first + 1], extremes[first + next + 1], extremes[first + 2 * next + 1])
        return Int(light) - Int(dark) >= Self.contrast
    }
}
