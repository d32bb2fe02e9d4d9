/// Encodes the sides of a document in a printer's language, row by row:
///
///     var encoder = PageEncoder(document)
///     encoder.begin(into: &bytes)
///     for side in sides {
///         try encoder.beginSide(side.page, into: &bytes)
///         try encoder.append(side.rows.span, rowBytes: side.stride, into: &bytes)
///         try encoder.endSide(into: &bytes)
///     }
///     encoder.end(into: &bytes)
///
/// Each call appends to `output`, which the caller may empty at any time.
package struct PageEncoder: Sendable {
    private let document: RasterDocument

    /// Creates an encoder.
    package init(_ document: RasterDocument) { self.document = document }

    /// Begins the document.
    package mutating func begin(into output: inout [UInt8]) {}

    /// Begins a side.
    package mutating func beginSide(_ page: RasterPage, into output: inout [UInt8]) throws(PageEncodingError) {}

    /// Adds any number of whole rows.
    /// - Parameter rowBytes: The distance from one row to the next, at least the page's `bytesPerRow`. The last row
    ///   may end without its padding.
    package mutating func append(
        _ rows: Span<UInt8>, rowBytes: Int, into output: inout [UInt8]
    ) throws(PageEncodingError) {}

    /// Ends the side.
    /// - Throws: `wrongRows` where rows are missing.
    package mutating func endSide(into output: inout [UInt8]) throws(PageEncodingError) {}

    /// Ends the document.
    package mutating func end(into output: inout [UInt8]) {}
}
