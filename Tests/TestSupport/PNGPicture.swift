import CKioskZLib

/// The pixels of a PNG file of eight bits of grey, or of red, green and blue, with rows of the filter types 0 and 2.
package struct PNGPicture {
    package let width: Int
    package let height: Int
    /// Bytes of a pixel.
    private let depth: Int
    private var pixels: [UInt8] = []

    package init?(_ file: [UInt8]) {
        func number(_ offset: Int) -> Int { file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), file.count > 33, file[24] == 8,
            file[25] == 0 || file[25] == 2
        else { return nil }
        (width, height, depth) = (number(16), number(20), file[25] == 0 ? 1 : 3)
        var packed: [UInt8] = []
        var place = 8
        while place + 12 <= file.count {
            let length = number(place)
            guard place + 12 + length <= file.count else { return nil }
            if file[place + 4..<place + 8].elementsEqual("IDAT".utf8) {
                packed += file[place + 8..<place + 8 + length]
            }
            place += 12 + length
        }
        let length = width * depth
        var rows = [UInt8](repeating: 0, count: (length + 1) * height)
        var count = uLong(rows.count)
        guard uncompress(&rows, &count, packed, uLong(packed.count)) == Z_OK, Int(count) == rows.count else {
            return nil
        }
        for y in 0..<height {
            let row = rows[y * (length + 1) + 1..<(y + 1) * (length + 1)]
            switch rows[y * (length + 1)] {
            case 0: pixels += row
            case 2 where y > 0: for byte in row { pixels.append(byte &+ pixels[pixels.count - length]) }
            case 2: pixels += row
            default: return nil
            }
        }
    }

    /// The brightness of a pixel: its grey, or the mean of its colours.
    package func tone(_ x: Int, _ y: Int) -> Int {
        let start = (y * width + x) * depth
        return pixels[start..<start + depth].reduce(0) { $0 + Int($1) } / depth
    }
}
