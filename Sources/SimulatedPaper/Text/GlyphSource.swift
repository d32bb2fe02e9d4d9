/// Where a simulated printer has its characters from.
package protocol GlyphSource {
    /// A character drawn into a cell of exactly this size; nil where it isn't in the font.
    func glyph(_ scalar: Unicode.Scalar, width: Int, height: Int) -> Bitmap?
}

/// What decodes the two-byte character sets of East Asia.
package protocol WideTextDecoder {
    /// One character of one or two bytes; nil where they are none.
    func scalar(_ bytes: [UInt8], in set: WideCharacterSet) -> Unicode.Scalar?
}

package enum WideCharacterSet: String, Sendable, CaseIterable {
    case shiftJIS = "SHIFT_JIS"
    case jis = "JIS X 0208"
    case gb18030 = "GB18030"
    case big5 = "BIG5"
    case korean = "EUC-KR"
}
