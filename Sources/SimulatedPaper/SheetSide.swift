/// A side of a sheet as an office printer puts it out and its reader holds it: reduced for a screen, with its colours,
/// and white in the border that the printer cannot print on.
package struct SheetSide: Hashable, Sendable {
    /// The pixels across.
    package let width: Int
    /// The pixels down.
    package let height: Int
    /// Whether a pixel is red, green and blue, or else a shade of grey; 0 is black.
    package let isColored: Bool
    /// The pixels per inch, equal in both directions.
    package let dotsPerInch: Int
    /// The rows, one behind the other.
    package fileprivate(set) var pixels: [UInt8]
    /// What the printer was told of this side.
    package let header: RasterSideHeader
    /// Whether it is the back of its sheet.
    package let isBack: Bool

    fileprivate var depth: Int { isColored ? 3 : 1 }

    /// A line of a list: the dots of the side, and where it stands.
    package var line: String {
        let side = isBack ? "back" : "front"
        let duplex = header.isDuplex ? ", two-sided-\(header.isTumble ? "short" : "long")-edge" : ""
        return
            "\(header.width)×\(header.height) dots of \(header.dotsPerInch) dpi, \(header.bitsPerPixel) bits, \(header.colour.rawValue), \(side)\(duplex)"
    }
}

/// An office printer that draws the sides of PWG and Apple Raster.
package struct SheetPrinter: Hashable, Sendable {
    /// The border that it cannot print on, in hundredths of a millimetre.
    package var margin: Int
    /// Whether it prints backs of sheets that are turned at their long edge upside down, and so takes them turned
    /// (PWG 5102.4 `rotated`, Apple's DM3). Whatever a document's header says, it does just that.
    package var turnsBacks: Bool

    /// Creates a printer.
    package init(margin: Int, turnsBacks: Bool) {
        self.margin = margin
        self.turnsBacks = turnsBacks
    }

    /// The dots per inch of pictures: about a screen's.
    private static let screenResolution = 100
    /// The bytes of all pictures together.
    private static let maximumBytes = 512 << 20

    /// The sides of a document in their order, and the first fault in it, as words.
    package func print(_ bytes: [UInt8], as language: PaperLanguage) -> (sides: [SheetSide], fault: String?) {
        var sides: [SheetSide] = []
        var reduction: Reduction?
        var size = 0
        func end() {
            guard let side = reduction?.side else { return }
            sides.append(finished(side))
            reduction = nil
        }
        let fault = RasterReader.readSides(bytes, as: language) { header in
            end()
            let reduced = Reduction(header, isBack: header.isDuplex && sides.count % 2 == 1)
            size += reduced.byteCount
            reduction = reduced
            return size <= Self.maximumBytes
        } row: { runs, times in
            reduction?.add(runs, times: times)
        }
        end()
        return (sides, fault)
    }

    /// A side as its reader sees it.
    private func finished(_ side: SheetSide) -> SheetSide {
        var side = side
        if side.isBack, turnsBacks, !side.header.isTumble { side.turn() }
        side.clearBorder(of: margin * side.dotsPerInch / 2540)
        return side
    }

    /// The means of squares of dots.
    private struct Reduction {
        private let header: RasterSideHeader
        private let isBack: Bool
        private let factor: Int
        private let depth: Int
        private let width: Int
        private let height: Int
        /// The sums of the pixels of a row, and of the lines that they are of.
        private var sums: [Int]
        private var lines = 0
        private var pixels: [UInt8] = []

        init(_ header: RasterSideHeader, isBack: Bool) {
            self.header = header
            self.isBack = isBack
            factor = max(1, header.dotsPerInch / SheetPrinter.screenResolution)
            depth = header.colour == .rgb ? 3 : 1
            width = header.width / factor
            height = header.height / factor
            sums = [Int](repeating: 0, count: width * depth)
        }

        var byteCount: Int { width * height * depth }

        /// The picture; white where rows are missing.
        var side: SheetSide {
            let missing = max(0, byteCount - pixels.count)
            return SheetSide(
                width: width, height: height, isColored: depth == 3, dotsPerInch: header.dotsPerInch / factor,
                pixels: pixels + [UInt8](repeating: 0xFF, count: missing), header: header, isBack: isBack)
        }

        mutating func add(_ runs: [RasterRun], times: Int) {
            let tones = tones(of: runs)
            var rest = times
            while rest > 0, pixels.count < byteCount {
                let count = min(rest, factor - lines)
                for index in sums.indices { sums[index] += tones[index] * count }
                (lines, rest) = (lines + count, rest - count)
                guard lines == factor else { continue }
                let dots = factor * factor
                for index in sums.indices {
                    pixels.append(UInt8(sums[index] / dots))
                    sums[index] = 0
                }
                lines = 0
            }
        }

        /// The sums of `factor` neighbouring dots of a row.
        private func tones(of runs: [RasterRun]) -> [Int] {
            var tones = [Int](repeating: 0, count: width * depth)
            var dot = 0
            for run in runs {
                let values = values(of: run.unit)
                let dots = values.count / depth
                if dots == 1 {
                    add(values[...], from: dot, count: run.count, to: &tones)
                } else {
                    for index in 0..<dots * run.count {
                        let start = index % dots * depth
                        add(values[start..<start + depth], from: dot + index, count: 1, to: &tones)
                    }
                }
                dot += dots * run.count
            }
            return tones
        }

        /// Adds dots of one tone. What lies beyond the last whole square is left out.
        private func add(_ values: ArraySlice<Int>, from first: Int, count: Int, to tones: inout [Int]) {
            let end = min(first + count, width * factor)
            var dot = first
            while dot < end {
                let square = dot / factor
                let part = min((square + 1) * factor, end) - dot
                for channel in 0..<depth {
                    tones[square * depth + channel] += values[values.startIndex + channel] * part
                }
                dot += part
            }
        }

        /// The tones of the dots of these bytes, 255 for white.
        private func values(of bytes: [UInt8]) -> [Int] {
            guard header.bitsPerPixel > 1 else {
                return bytes.flatMap { byte in
                    (0..<8).map { (byte & 0x80 >> UInt8($0) == 0) == (header.colour == .grey) ? 0 : 255 }
                }
            }
            return bytes.map { header.colour == .black ? 255 - Int($0) : Int($0) }
        }
    }
}

extension SheetSide {
    /// Turns it by 180°.
    fileprivate mutating func turn() {
        let count = width * height
        var turned: [UInt8] = []
        turned.reserveCapacity(pixels.count)
        for pixel in (0..<count).reversed() {
            for channel in 0..<depth { turned.append(pixels[pixel * depth + channel]) }
        }
        pixels = turned
    }

    /// Whitens a border of this many pixels.
    fileprivate mutating func clearBorder(of border: Int) {
        let length = width * depth
        for y in 0..<height {
            let isOutside = y < border || y >= height - border
            let start = y * length
            let left = isOutside ? length : min(length, border * depth)
            for index in start..<start + left { pixels[index] = 0xFF }
            guard !isOutside else { continue }
            for index in start + max(0, length - border * depth)..<start + length { pixels[index] = 0xFF }
        }
    }
}
