import KioskTestSupport

/// A side's dots, and the black shapes among them.
struct DotPicture: Sendable {
    let width: Int
    let height: Int
    /// A bit for each dot, the leftmost in the highest bit; 1 is black.
    let rows: [UInt8]
    private var rowBytes: Int { (width + 7) / 8 }

    init(width: Int, height: Int, rows: [UInt8]) throws {
        guard width > 0, height > 0, rows.count == (width + 7) / 8 * height else {
            throw TestSupportError("\(rows.count) bytes are not \(width) × \(height) dots")
        }
        (self.width, self.height, self.rows) = (width, height, rows)
    }

    /// What is darker than the middle of these bytes of grey, or of red, green and blue.
    init(width: Int, height: Int, tones: [UInt8], bytesPerPixel: Int = 1) throws {
        guard tones.count == width * height * bytesPerPixel else {
            throw TestSupportError("\(tones.count) bytes are not \(width) × \(height) pixels")
        }
        let rowBytes = (width + 7) / 8
        var rows = [UInt8](repeating: 0, count: rowBytes * height)
        tones.withUnsafeBytes { tones in
            // Nearly all is white: eight pixels at a time.
            func isWhite(_ pixel: Int) -> Bool {
                for word in 0..<bytesPerPixel {
                    let offset = pixel * bytesPerPixel + 8 * word
                    if tones.loadUnaligned(fromByteOffset: offset, as: UInt64.self) != .max { return false }
                }
                return true
            }
            for y in 0..<height {
                var x = 0
                while x < width {
                    let pixel = y * width + x
                    if x + 8 <= width, isWhite(pixel) {
                        x += 8
                        continue
                    }
                    if tones[pixel * bytesPerPixel] < 128 { rows[y * rowBytes + x >> 3] |= 0x80 >> UInt8(x & 7) }
                    x += 1
                }
            }
        }
        try self.init(width: width, height: height, rows: rows)
    }

    func isBlack(_ x: Int, _ y: Int) -> Bool { rows[y * rowBytes + x >> 3] & 0x80 >> UInt8(x & 7) != 0 }

    /// Black dots that hang together, also at their corners.
    struct Shape: Hashable {
        var left: Double
        var top: Double
        /// The first column and row outside.
        var right: Double
        var bottom: Double
        /// The number of its dots, and the middle of them.
        var area: Int
        var middle: Point

        var width: Double { right - left }
        var height: Double { bottom - top }
        /// The middle of its edges.
        var centre: Point { Point((left + right) / 2, (top + bottom) / 2) }
        /// The part of its rectangle that is black.
        var filling: Double { Double(area) / (width * height) }
    }

    struct Point: Hashable {
        var x: Double
        var y: Double

        init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

        static func - (one: Point, other: Point) -> Point { Point(one.x - other.x, one.y - other.y) }
        func distance(to other: Point) -> Double {
            ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
        }
    }

    /// All black shapes: runs of each row, joined with those of the row above.
    var shapes: [Shape] {
        // Each shape's left, top, right, bottom, area and sums; and by which one it was joined.
        var found: [(left: Int, top: Int, right: Int, bottom: Int, area: Int, x: Int, y: Int)] = []
        var joined: [Int] = []
        func root(_ index: Int) -> Int {
            var index = index
            while joined[index] != index { index = joined[index] }
            return index
        }
        func join(_ one: Int, _ other: Int) {
            let (one, other) = (root(one), root(other))
            guard one != other else { return }
            let (a, b) = (found[one], found[other])
            found[one] = (
                min(a.left, b.left), min(a.top, b.top), max(a.right, b.right), max(a.bottom, b.bottom),
                a.area + b.area, a.x + b.x, a.y + b.y
            )
            joined[other] = one
        }
        var above: [(run: Range<Int>, shape: Int)] = []
        for y in 0..<height {
            var here: [(run: Range<Int>, shape: Int)] = []
            for run in runs(y) {
                let count = run.count
                found.append(
                    (
                        run.lowerBound, y, run.upperBound, y + 1, count, (run.lowerBound + run.upperBound - 1) * count,
                        y * count
                    )
                )
                let shape = found.count - 1
                joined.append(shape)
                for other in above
                where other.run.lowerBound <= run.upperBound && other.run.upperBound >= run.lowerBound {
                    join(other.shape, shape)
                }
                here.append((run, shape))
            }
            above = here
        }
        return found.indices.filter { joined[$0] == $0 }.map { index in
            let shape = found[index]
            let area = Double(shape.area)
            return Shape(
                left: Double(shape.left), top: Double(shape.top), right: Double(shape.right),
                bottom: Double(shape.bottom), area: shape.area,
                middle: Point(Double(shape.x) / area / 2 + 0.5, Double(shape.y) / area + 0.5))
        }
    }

    /// The black parts of a row.
    private func runs(_ y: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        rows.withUnsafeBytes { rows in
            for index in 0..<rowBytes {
                let byte = rows[y * rowBytes + index]
                if byte == (start == nil ? 0 : 0xFF) { continue }
                for bit in 0..<8 {
                    let isBlack = byte & 0x80 >> UInt8(bit) != 0
                    let x = index * 8 + bit
                    if isBlack, start == nil { start = x }
                    if !isBlack, let first = start {
                        runs.append(first..<x)
                        start = nil
                    }
                }
            }
        }
        if let first = start { runs.append(first..<width) }
        return runs
    }
}
