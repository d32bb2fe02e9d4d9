package import KioskTestSupport

extension PrintedPage {
    /// What is black, without the white around it: paper is wider than what is printed on it.
    package var ink: PrintedPage {
        let columns = (0..<width).filter { x in (0..<height).contains { dots[$0 * width + x] } }
        guard let left = columns.first, let right = columns.last else {
            return PrintedPage(width: 0, height: 0, dots: [])
        }
        let rows = inkedRows
        return PrintedPage(
            width: right - left + 1, height: rows.count,
            dots: rows.flatMap { y in dots[y * width + left...y * width + right] })
    }

    /// The pages under one another.
    package static func stacked(_ pages: [PrintedPage]) -> PrintedPage {
        PrintedPage(
            width: pages.first?.width ?? 0, height: pages.reduce(0) { $0 + $1.height }, dots: pages.flatMap(\.dots))
    }

    /// A picture of one bit for each dot, as previews are; nil where it is not one.
    package init?(png file: [UInt8]) {
        guard let png = PNGRows(file) else { return nil }
        let header = Array(png.header.dropFirst(4))
        func number(_ offset: Int) -> Int { header[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        let (width, height) = (number(0), number(4))
        // One bit for each dot, and no filter: what this project writes.
        guard header[8] == 1 else { return nil }
        let stride = (width + 7) / 8 + 1
        var dots: [Bool] = []
        for y in 0..<height {
            for x in 0..<width { dots.append(png.rows[y * stride + 1 + x >> 3] & 0x80 >> UInt8(x & 7) != 0) }
        }
        self.init(width: width, height: height, dots: dots)
    }
}
