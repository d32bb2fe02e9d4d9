/// Encodes the sides of a document in a printer's language, row by row:
///
///     var encoder = PageEncoder(document)
///     encoder.begin(into: &bytes)
///     for side in sides {
///         try encoder.beginSide(side.page, into: &bytes)
///         try encoder.append(side.rows.span, rowBytes: side.rowBytes, into: &bytes)
///         try encoder.endSide(into: &bytes)
///     }
///     try encoder.end(into: &bytes)
///
/// Each call appends to `output`, which the caller may empty at any time. What comes out does not depend on how many
/// rows come at once. After an error the document cannot be completed.
package struct PageEncoder: Sendable {
    private let document: RasterDocument
    private var state = State.created
    /// The side that is being encoded, and the rows that it has so far.
    private var page: RasterPage?
    private var rowCount = 0
    private var rasterRows = RasterRows(.black1)
    private var pcl: PCLEncoder
    private var postScript: PostScriptEncoder

    private enum State: Sendable { case created, betweenSides, inSide, ended }

    /// The maximum of dots in a row, and of rows.
    package static let maximumSide = 100_000
    private static let resolutions = 1...9600

    /// Creates an encoder.
    package init(_ document: RasterDocument) {
        self.document = document
        pcl = PCLEncoder(document)
        postScript = PostScriptEncoder(document)
    }

    /// Begins the document. In some languages its first bytes come with the first side.
    package mutating func begin(into output: inout [UInt8]) {
        guard state == .created else { return }
        state = .betweenSides
        switch document.language {
        case .pwgRaster: output += PWGRasterHeader.synchronization
        case .appleRaster: output += AppleRasterHeader.file(pageCount: document.sideCount)
        case .pcl5e, .postScript, .dots: break
        }
    }

    /// Begins a side.
    package mutating func beginSide(_ page: RasterPage, into output: inout [UInt8]) throws(PageEncodingError) {
        guard state == .betweenSides else { throw PageEncodingError(.wrongOrder, "a side begins inside another") }
        try check(page)
        switch document.language {
        case .pwgRaster: output += PWGRasterHeader(page).bytes
        case .appleRaster: output += AppleRasterHeader.page(page)
        case .pcl5e: try pcl.beginSide(page, into: &output)
        case .postScript: postScript.beginSide(page, into: &output)
        case .dots: break
        }
        rasterRows = RasterRows(page.color)
        self.page = page
        rowCount = 0
        state = .inSide
    }

    /// Adds any number of whole rows.
    /// - Parameter rowBytes: The distance from one row to the next, at least the page's `bytesPerRow`. The last row
    ///   may end without its padding.
    /// - Throws: `wrongRows` where they are not whole, or too many.
    package mutating func append(
        _ rows: Span<UInt8>, rowBytes: Int, into output: inout [UInt8]
    ) throws(PageEncodingError) {
        guard state == .inSide, let page else { throw PageEncodingError(.wrongOrder, "rows come outside a side") }
        let length = page.bytesPerRow
        guard rowBytes >= length, rowBytes <= length + Self.maximumSide else {
            throw PageEncodingError(.wrongRows, "rows of \(rowBytes) bytes are not as wide as the page")
        }
        let count = (rows.count + rowBytes - length) / rowBytes
        let rest = rows.count - (count - 1) * rowBytes
        guard rows.count == 0 || (length...rowBytes).contains(rest), count <= page.height - rowCount else {
            throw PageEncodingError(
                .wrongRows, "\(rows.count) bytes are no whole rows, or more than the page has")
        }
        rowCount += count
        if page.color == .black1, page.width & 7 != 0,
            let masked = Self.masked(rows, count: count, rowBytes, length, width: page.width)
        {
            encode(masked.span, count: count, rowBytes: length, length: length, into: &output)
        } else {
            encode(rows, count: count, rowBytes: rowBytes, length: length, into: &output)
        }
    }

    /// Ends the side.
    /// - Throws: `wrongRows` where rows are missing.
    package mutating func endSide(into output: inout [UInt8]) throws(PageEncodingError) {
        guard state == .inSide, let page else { throw PageEncodingError(.wrongOrder, "no side has begun") }
        guard rowCount == page.height else {
            throw PageEncodingError(.wrongRows, "the page has \(rowCount) of its \(page.height) rows")
        }
        state = .betweenSides
        switch document.language {
        case .pwgRaster, .appleRaster: rasterRows.finish(into: &output)
        case .pcl5e: pcl.endSide(into: &output)
        case .postScript: postScript.endSide(into: &output)
        case .dots: break
        }
    }

    /// Ends the document.
    package mutating func end(into output: inout [UInt8]) throws(PageEncodingError) {
        guard state == .betweenSides else { throw PageEncodingError(.wrongOrder, "the document ends inside a side") }
        state = .ended
        switch document.language {
        case .pcl5e: pcl.end(into: &output)
        case .postScript: postScript.end(into: &output)
        case .pwgRaster, .appleRaster, .dots: break
        }
    }

    private func check(_ page: RasterPage) throws(PageEncodingError) {
        let sides = 1...Self.maximumSide
        guard sides.contains(page.width), sides.contains(page.height), Self.resolutions.contains(page.dpi),
            (0...Self.maximumSide * 100).contains(page.paperWidth),
            (0...Self.maximumSide * 100).contains(page.paperHeight)
        else {
            throw PageEncodingError(
                .invalidSize, "a page of \(page.width) × \(page.height) dots with \(page.dpi) dpi is not possible")
        }
        guard document.language.takes(page.color) else {
            throw PageEncodingError(.unsupported, "the printer's language has no pixels of this kind")
        }
    }

    private mutating func encode(
        _ rows: Span<UInt8>, count: Int, rowBytes: Int, length: Int, into output: inout [UInt8]
    ) {
        switch document.language {
        case .pwgRaster, .appleRaster:
            rasterRows.append(rows, count: count, rowBytes: rowBytes, length: length, into: &output)
        case .pcl5e: pcl.append(rows, count: count, rowBytes: rowBytes, length: length, into: &output)
        case .postScript: postScript.append(rows, count: count, rowBytes: rowBytes, length: length, into: &output)
        case .dots:
            for index in 0..<count {
                output.append(rows.extracting(index * rowBytes..<index * rowBytes + length))
            }
        }
    }

    /// A copy of the rows without the bits beyond the width; nil where all are cleared already.
    private static func masked(
        _ rows: Span<UInt8>, count: Int, _ rowBytes: Int, _ length: Int, width: Int
    ) -> [UInt8]? {
        let beyond = UInt8(0xFF) >> UInt8(width & 7)
        guard (0..<count).contains(where: { rows[$0 * rowBytes + length - 1] & beyond != 0 }) else { return nil }
        var masked = [UInt8](repeating: 0, count: count * length)
        var span = masked.mutableSpan
        for index in 0..<count {
            span.copy(rows, index * rowBytes..<index * rowBytes + length, to: index * length)
            span[(index + 1) * length - 1] &= ~beyond
        }
        return masked
    }
}
