import KioskPageEncoding

/// The limits on documents, sides and messages. A larger one is a mistake or an attack.
package enum RenderingLimits {
    /// Pages of a document.
    package static let pages = 10_000
    /// The longest edge of a page, in points: 350 m. PDF 1.7 has a limit of 14,400 (annex C), which drawings exceed.
    package static let pageEdge = 1e6
    /// Pixels of a picture in a document.
    package static let picturePixels = 128_000_000
    /// The longest edge of a side, in dots.
    package static let sideEdge = PageEncoder.maximumSide
    /// Bytes of a side's rows.
    package static let sideBytes = 400_000_000
    /// Pages on one side of a sheet, with room for pages that are cut into pieces.
    package static let cells = 64
    /// Dots per inch.
    package static let dpi = 9_600
    /// The coefficients of a matrix.
    package static let coefficient = 1e7
    /// Bytes of a password (PDF 2.0 §7.6.4.3.3 reads 127), a name or a keyword.
    package static let textLength = 1_024
    /// Bytes of a refusal's message.
    package static let messageLength = 1_024
    /// Bytes of an encoded side in one message.
    package static let chunk = 1 << 18
    /// Bytes of a request.
    package static let request = 1 << 16
    /// Bytes of a response: the sizes of all pages, or a chunk.
    package static let response = 1 << 19
    /// Copies that a printer makes itself, or that a document wishes for.
    package static let copies = 999_999
    /// Sides of a document with all its copies.
    package static let sides = 1 << 30
}
