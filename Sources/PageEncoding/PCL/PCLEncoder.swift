import KioskPrintModel

/// Sides in PCL 5e ("PCL 5 Printer Language Technical Reference Manual"): one bit for each dot, grey by a screen. What
/// lies outside the logical page or in the printer's border is left out, since printers cut it off.
struct PCLEncoder: Sendable {
    private let document: RasterDocument
    private var hasBegun = false
    /// Whether the last side is a front whose sheet may still get a back: its page is not ejected yet.
    private var isFrontPending = false
    private var side: Side?
    private var bits: [UInt8] = []
    private var shifted: [UInt8] = []

    /// The side that is being encoded.
    private struct Side: Sendable {
        var rows = PCLRows()
        /// The screen that grey goes through.
        var halftone: Halftone?
        /// The columns and rows that the printer prints.
        var area: DotRectangle
        /// The next row.
        var y = 0
    }

    /// The resolutions of `ESC * t # R`.
    private static let resolutions: Set = [75, 100, 150, 200, 300, 600, 1200]
    /// On coarser printers clustered dots are seen one by one.
    private static let clusteredResolution = 600

    init(_ document: RasterDocument) { self.document = document }

    mutating func beginSide(_ page: RasterPage, into output: inout [UInt8]) throws(PageEncodingError) {
        let paper = try PCLPaper(of: page)
        guard Self.resolutions.contains(page.dpi) else {
            throw PageEncodingError(.unsupported, "PCL has no resolution of \(page.dpi) dpi")
        }
        let area = Self.area(of: page, paper)
        guard !area.isEmpty else { throw PageEncodingError(.invalidSize, "nothing of the page is printable") }
        if !hasBegun {
            if document.usesPJL { PJLHeader(document, page, paper).append(to: &output) }
            output += "\u{1B}E".utf8
            if document.copies > 1, !document.usesPJL || !document.isCollated {
                output += "\u{1B}&l\(document.copies)X".utf8
            }
            hasBegun = true
        }
        let isBack = page.isBack && isFrontPending
        if isBack {
            output += "\u{1B}&a2G".utf8
        } else {
            // An empty back, from which the printer goes on to the next front.
            if isFrontPending { output += "\u{0C}\u{1B}&a1G".utf8 }
            appendSheet(page, paper, to: &output)
        }
        isFrontPending = page.sides != .oneSided && !isBack
        // From the upper left corner of the logical page, whose top is the sheet's.
        output += "\u{1B}*t\(page.dpi)R\u{1B}*r0F\u{1B}*r\(area.width)S\u{1B}*r\(area.bottom)T".utf8
        output += "\u{1B}*p0X\u{1B}*p0Y\u{1B}*r1A".utf8
        var side = Side(area: area)
        side.rows.skip(area.top)
        if page.color == .gray8 {
            side.halftone = Halftone(
                page.dpi >= Self.clusteredResolution ? .clustered : .dispersed, width: area.width)
        }
        self.side = side
    }

    /// Adds rows, which are `rowBytes` apart and `length` bytes long.
    mutating func append(
        _ rows: Span<UInt8>, count: Int, rowBytes: Int, length: Int, into output: inout [UInt8]
    ) {
        guard var side else { return }
        self.side = nil
        let columns = side.area.left..<side.area.right
        for index in 0..<count {
            let y = side.y
            side.y += 1
            guard y >= side.area.top, y < side.area.bottom else { continue }
            let start = index * rowBytes
            if side.halftone != nil {
                bits.removeAll(keepingCapacity: true)
                let grey = rows.extracting(start + columns.lowerBound..<start + columns.upperBound)
                side.halftone?.append(grey, rowBytes: columns.count, into: &bits)
                side.rows.append(bits.span, into: &output)
            } else {
                Self.cut(columns, of: rows.extracting(start..<start + length), into: &shifted)
                side.rows.append(shifted.span, into: &output)
            }
        }
        self.side = side
    }

    mutating func endSide(into output: inout [UInt8]) {
        // A front without contents would have no back.
        if isFrontPending, side?.rows.isBlank == true { side?.rows.appendWhite(into: &output) }
        side = nil
        output += "\u{1B}*rC".utf8
        if !isFrontPending { output.append(0x0C) }
    }

    mutating func end(into output: inout [UInt8]) {
        if isFrontPending { output.append(0x0C) }
        isFrontPending = false
        if hasBegun { output += "\u{1B}E".utf8 }
        if hasBegun, document.usesPJL { output += PJLHeader.exitLanguage }
    }

    /// The commands before a sheet, whose margins the page size resets: those come last.
    private func appendSheet(_ page: RasterPage, _ paper: PCLPaper, to output: inout [UInt8]) {
        let sides =
            switch page.sides {
            case .oneSided: 0
            case .twoSidedLongEdge: 1
            case .twoSidedShortEdge: 2
            }
        output += "\u{1B}&l\(paper.number)A\u{1B}&l0O\u{1B}&l\(sides)S".utf8
        if let source = Self.source(page.mediaSource) { output += "\u{1B}&l\(source)H".utf8 }
        // Neither a top margin nor a skipped perforation.
        output += "\u{1B}&l0E\u{1B}&l0L".utf8
    }

    /// The parameter of `ESC & l # H`; nil where the printer chooses.
    private static func source(_ keyword: String?) -> Int? {
        switch keyword {
        case "main", "tray-1", "top": 1
        case "manual": 2
        case "envelope": 6
        case "alternate", "tray-2", "bottom": 4
        case "large-capacity", "tray-3": 5
        case "auto": 7
        default: nil
        }
    }

    /// The dots that are printed: the logical page, less a sixth of an inch above and below, or the printer's margins.
    private static func area(of page: RasterPage, _ paper: PCLPaper) -> DotRectangle {
        func dots(_ hundredths: Int) -> Int { (min(max(hundredths, 0), 100_000) * page.dpi + 2539) / 2540 }
        let side = paper.sideBorder * page.dpi / 300
        let top = page.margins.map { dots($0.top) } ?? page.dpi / 6
        let bottom = page.margins.map { dots($0.bottom) } ?? page.dpi / 6
        return DotRectangle(left: side, top: top, right: page.width - side, bottom: page.height - bottom)
    }

    /// The bits of some columns of a row.
    private static func cut(_ columns: Range<Int>, of row: Span<UInt8>, into bits: inout [UInt8]) {
        let (first, shift) = (columns.lowerBound >> 3, columns.lowerBound & 7)
        let count = (columns.count + 7) / 8
        if bits.count != count { bits = [UInt8](repeating: 0, count: count) }
        var span = bits.mutableSpan
        for index in 0..<count {
            let from = first + index
            let next = from + 1 < row.count ? row[from + 1] : 0
            let pair = UInt16(row[from]) << 8 | UInt16(next)
            span[index] = UInt8(truncatingIfNeeded: pair >> UInt16(8 - shift))
        }
        if columns.count & 7 != 0 { span[count - 1] &= UInt8(truncatingIfNeeded: 0xFF00 >> (columns.count & 7)) }
    }
}
