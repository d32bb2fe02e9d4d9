/// Makes black dots of grey, row by row, from the top of a side. The same grey gives the same dots, however many rows
/// come at once.
package struct Halftone: Sendable {
    /// The ways to choose dots.
    package enum Method: UInt8, Hashable, Sendable, CaseIterable {
        /// A dot is black where the grey is darker than the middle: text and lines on thermal heads.
        case threshold = 1
        /// A clustered screen, whose dots hold on laser printers.
        case clustered = 2
        /// A screen of dispersed dots without a visible pattern.
        case dispersed = 3
        /// Error diffusion: pictures on thermal heads.
        case diffusion = 4
    }

    /// A part of the side with a method of its own.
    package struct Region: Hashable, Sendable {
        package var rectangle: DotRectangle
        package var method: Method

        /// Creates a region.
        package init(_ rectangle: DotRectangle, _ method: Method) {
            self.rectangle = rectangle
            self.method = method
        }
    }

    private let width: Int
    private var whole: Area
    private var areas: [Area]
    /// The next row.
    private var y = 0

    /// A rectangle and its method.
    private struct Area: Sendable {
        var rectangle: DotRectangle
        var screen: HalftoneScreen
        /// Nil for the methods that have a screen.
        var diffusion: ErrorDiffusion?

        init(_ region: Region) {
            rectangle = region.rectangle
            switch region.method {
            case .threshold: screen = .middle
            case .clustered: screen = .clustered
            case .dispersed: screen = .dispersed
            case .diffusion:
                screen = .middle
                diffusion = ErrorDiffusion(width: region.rectangle.width)
            }
        }
    }

    /// Creates a halftone for rows of `width` dots. Where regions overlap, the last one holds. What of them is outside
    /// is left out.
    package init(_ method: Method, width: Int, regions: [Region] = []) {
        self.width = max(width, 0)
        whole = Area(Region(DotRectangle(left: 0, top: 0, right: self.width, bottom: Int.max), method))
        areas = regions.compactMap { region in
            var clipped = region
            clipped.rectangle.left = max(region.rectangle.left, 0)
            clipped.rectangle.right = min(region.rectangle.right, max(width, 0))
            clipped.rectangle.top = max(region.rectangle.top, 0)
            return clipped.rectangle.isEmpty ? nil : Area(clipped)
        }
    }

    /// Adds any number of whole rows of grey, and appends theirs of bits, without padding beyond the last byte. Bytes
    /// that do not fill a row are ignored.
    /// - Parameter rowBytes: The distance from one row to the next, at least the width.
    package mutating func append(_ rows: Span<UInt8>, rowBytes: Int, into bits: inout [UInt8]) {
        let length = (width + 7) / 8
        guard width > 0, rowBytes >= width else { return }
        var part = [UInt8](repeating: 0, count: areas.isEmpty ? 0 : length)
        var start = 0
        while rows.count - start >= width {
            let first = bits.count
            bits.append(contentsOf: repeatElement(0, count: length))
            let row = rows.extracting(start..<start + width)
            var target = bits.mutableSpan
            Self.convert(row, &whole, x: 0, y: y, into: &target, from: first)
            for index in areas.indices {
                let rectangle = areas[index].rectangle
                guard y >= rectangle.top, y < rectangle.bottom else { continue }
                var partTarget = part.mutableSpan
                Self.convert(
                    row.extracting(rectangle.left..<rectangle.right), &areas[index], x: rectangle.left, y: y,
                    into: &partTarget, from: 0)
                Self.replace(rectangle.left..<rectangle.right, of: &target, from: first, by: part.span)
            }
            y += 1
            // The last row may lack its padding.
            start += min(rowBytes, rows.count - start)
        }
    }

    /// Converts a row, or the part of one that begins at column `x`, to the bytes of `bits` from `base` on.
    private static func convert(
        _ grey: Span<UInt8>, _ area: inout Area, x: Int, y: Int, into bits: inout MutableSpan<UInt8>, from base: Int
    ) {
        if area.diffusion != nil {
            area.diffusion?.row(grey, into: &bits, from: base)
        } else {
            screen(grey, area.screen.thresholds.span, x: x, y: y, into: &bits, from: base)
        }
    }

    /// Sets the dots whose grey is below the threshold, eight at a time.
    private static func screen(
        _ grey: Span<UInt8>, _ thresholds: Span<UInt8>, x: Int, y: Int, into bits: inout MutableSpan<UInt8>,
        from base: Int
    ) {
        let line = (y & (HalftoneScreen.size - 1)) * HalftoneScreen.stride
        // Eight columns further the other half of the screen's row holds, then the first again.
        let first = thresholds.word(at: line + x & (HalftoneScreen.size - 1))
        let second = thresholds.word(at: line + (x + 8) & (HalftoneScreen.size - 1))
        var index = 0
        while index + 8 <= grey.count {
            let tones = grey.word(at: index)
            bits[base + index >> 3] = tones == UInt64.max ? 0 : below(tones, index & 8 == 0 ? first : second)
            index += 8
        }
        guard index < grey.count else { return }
        // The rest is white beyond the end.
        var tones = UInt64.max
        for place in index..<grey.count {
            let shift = UInt64((place - index) * 8)
            tones = tones & ~(0xFF << shift) | UInt64(grey[place]) << shift
        }
        bits[base + index >> 3] = below(tones, index & 8 == 0 ? first : second)
    }

    /// A bit for each byte of `tones` that is less than that of `thresholds`; that of the lowest byte is the highest.
    @inline(__always)
    private static func below(_ tones: UInt64, _ thresholds: UInt64) -> UInt8 {
        let high: UInt64 = 0x8080_8080_8080_8080
        // The highest bit of each byte of the difference is set where the lower seven bits are not less.
        let difference = (tones | high) &- (thresholds & ~high)
        let isLess = ((~tones & thresholds) | (~(tones ^ thresholds) & ~difference)) & high
        // Collects the bits in the highest byte: no two of the products meet.
        return UInt8(truncatingIfNeeded: ((isLess.byteSwapped >> 7) &* 0x0102_0408_1020_4080) >> 56)
    }

    /// Replaces the dots of some columns by those at the beginning of `part`.
    private static func replace(
        _ columns: Range<Int>, of bits: inout MutableSpan<UInt8>, from base: Int, by part: Span<UInt8>
    ) {
        let shift = columns.lowerBound & 7
        let first = columns.lowerBound >> 3
        let last = (columns.upperBound - 1) >> 3
        let count = (columns.count + 7) / 8
        for index in first...last {
            var mask: UInt8 = 0xFF
            if index == first { mask &= 0xFF >> UInt8(shift) }
            if index == last { mask &= UInt8(truncatingIfNeeded: 0xFF00 >> ((columns.upperBound - 1) & 7 + 1)) }
            let place = index - first
            let before = place > 0 ? UInt16(part[place - 1]) << 8 : 0
            let here = place < count ? UInt16(part[place]) : 0
            let dots = UInt8(truncatingIfNeeded: (before | here) >> UInt16(shift))
            bits[base + index] = bits[base + index] & ~mask | dots & mask
        }
    }
}
