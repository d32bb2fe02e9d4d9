/// What stands before the rows of a page.
struct PageHeader {
    var width: Int
    var height: Int
    var dotsPerInch: Int
    var pageCount: Int
    /// The paper is cut behind it.
    var isCut: Bool

    /// Four bytes, the highest first.
    static func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    private static let length = 1796
    /// Of cupsColorSpace (PWG 5102.4 §4.3.3.4).
    private static let (black, sGrey) = (3, 18)
    /// Of CutMedia: after the page.
    private static let afterPage = 4

    /// PWG 5102.4 §4.3; what is not set is 0.
    func pwg(isBlack: Bool) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: Self.length)
        func set(_ bytes: [UInt8], at offset: Int) {
            header.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        func set(_ values: Int..., at offset: Int) { set(values.flatMap(Self.number), at: offset) }
        let bits = isBlack ? 1 : 8
        let (widthInPoints, heightInPoints) = (points(width), points(height))
        set(Array("PwgRaster".utf8), at: 0)
        set(isCut ? Self.afterPage : 0, at: 268)
        set(dotsPerInch, dotsPerInch, at: 276)
        set(1, at: 340)
        set(widthInPoints, heightInPoints, at: 352)
        set(width, height, at: 372)
        set(bits, bits, (width * bits + 7) / 8, 0, isBlack ? Self.black : Self.sGrey, at: 384)
        set(1, at: 420)
        // cupsPageSize, as IEEE 754 single precision.
        set(Int(Float(widthInPoints).bitPattern), Int(Float(heightInPoints).bitPattern), at: 428)
        // TotalPageCount, CrossFeedTransform, FeedTransform.
        set(pageCount, 1, 1, at: 452)
        // AlternatePrimary: white where nothing is printed.
        set(0xFF_FFFF, at: 480)
        return header
    }

    /// Apple Raster as CUPS reads it (cups/raster-stream.c): bits of a dot, colour space, sides, quality, and from 12
    /// on width, height, resolution.
    var urf: [UInt8] {
        // Grey, on one side, in the usual quality.
        let start: [UInt8] = [8, 0, 1, 4]
        return start + [UInt8](repeating: 0, count: 8) + [width, height, dotsPerInch].flatMap(Self.number)
            + [UInt8](repeating: 0, count: 8)
    }

    private func points(_ dots: Int) -> Int { (dots * 72 + dotsPerInch / 2) / dotsPerInch }
}
