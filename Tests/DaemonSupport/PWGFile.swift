package import KioskTestSupport

/// Writes PWG Raster (PWG 5102.4), by nobody's encoder: each row as it is, in literals.
package enum PWGFile {
    /// A document of one page, in grey (sgray_8), with 203 dots an inch.
    package static func bytes(of page: PrintedPage) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 1796)
        func set(_ values: [Int], at offset: Int) {
            let bytes = values.flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
            header.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        header.replaceSubrange(0..<9, with: Array("PwgRaster".utf8))
        // HWResolution, NumCopies, PageSize in points, cupsWidth and cupsHeight.
        set([203, 203], at: 276)
        set([1], at: 340)
        set([page.width * 72 / 203, page.height * 72 / 203], at: 352)
        set([page.width, page.height], at: 372)
        // Bits of a colour and of a dot, bytes of a row, chunky order, sgray.
        set([8, 8, page.width, 0, 18], at: 384)
        set([1], at: 420)
        // TotalPageCount, CrossFeedTransform, FeedTransform.
        set([1, 1, 1], at: 452)
        var bytes = Array("RaS2".utf8) + header
        for y in 0..<page.height {
            bytes.append(0)
            var rest = page.dots[y * page.width..<(y + 1) * page.width].map { $0 ? UInt8(0) : 255 }[...]
            while !rest.isEmpty {
                let part = rest.prefix(128)
                // A run of one, or a literal.
                bytes.append(part.count == 1 ? 0 : UInt8(257 - part.count))
                bytes += part
                rest = rest.dropFirst(part.count)
            }
        }
        return bytes
    }
}
