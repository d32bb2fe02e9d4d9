import CKioskZLib

/// The unpacked rows of a PNG file that this project wrote, so that pictures compare by their dots and not by how zlib
/// packed them.
package struct PNGRows: Equatable {
    package var header: ArraySlice<UInt8>
    package var rows: [UInt8]

    package init?(_ file: [UInt8]) {
        var packed: [UInt8] = []
        var place = 8
        while place + 12 <= file.count {
            let length = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            guard place + 12 + length <= file.count else { return nil }
            if file[place + 4..<place + 8] == [0x49, 0x44, 0x41, 0x54] {
                packed += file[place + 8..<place + 8 + length]
            }
            place += 12 + length
        }
        guard place == file.count, file.count > 33 else { return nil }
        header = file[12..<33]
        let size = file[16..<24].reduce(into: (0, 0)) {
            $0 = ($0.0 << 8 | $0.1 >> 24, ($0.1 << 8 | Int($1)) & 0xFFFF_FFFF)
        }
        let length = ((size.0 + 7) / 8 + 1) * size.1
        rows = [UInt8](repeating: 0, count: length)
        var count = uLong(length)
        guard uncompress(&rows, &count, packed, uLong(packed.count)) == Z_OK, Int(count) == length else { return nil }
    }
}
