/// What a picture's file says of its size on paper, and how it is turned upright.
package struct PictureMetadata: Hashable, Sendable {
    /// Pixels per inch across and down, where they are stated and sane.
    package private(set) var resolution: Resolution?
    /// How the picture is turned upright, 1 to 8 (Exif 2.3 and TIFF 6.0, Orientation, 0x0112).
    package var orientation = 1

    /// Pixels per inch.
    package struct Resolution: Hashable, Sendable {
        /// Pixels per inch across.
        package var x: Double
        /// Pixels per inch down.
        package var y: Double

        /// Creates a resolution; nil where nobody means it: below 50 or above 2,400.
        package init?(_ x: Double, _ y: Double) {
            guard Self.sane.contains(x), Self.sane.contains(y) else { return nil }
            (self.x, self.y) = (x, y)
        }

        private static let sane = 50.0...2_400
    }

    /// Creates the metadata of a picture that says nothing.
    package init() {}

    /// Reads the first directory of a TIFF header, as Exif has it. More than 200 entries are none that a camera wrote.
    package init(exif bytes: [UInt8]) {
        var fields = ByteFields(bytes)
        if fields.starts(with: "II") { fields.isLittleEndian = true }
        guard fields.isLittleEndian || fields.starts(with: "MM"), let directory = fields.number(4, 4),
            let count = fields.number(directory, 2)
        else { return }
        func rational(_ entry: Int) -> Double {
            guard let place = fields.number(entry + 8, 4), let above = fields.number(place, 4),
                let below = fields.number(place + 4, 4), below > 0
            else { return 0 }
            return Double(above) / Double(below)
        }
        var (x, y, unit) = (0.0, 0.0, 1.0)
        for index in 0..<min(count, 200) {
            let entry = directory + 2 + index * 12
            switch fields.number(entry, 2) {
            case 0x0112:
                if let value = fields.number(entry + 8, 2), (1...8).contains(value) { orientation = value }
            case 0x011A: x = rational(entry)
            case 0x011B: y = rational(entry)
            case 0x0128: unit = fields.number(entry + 8, 2) == 3 ? 2.54 : 1
            default: break
            }
        }
        state(Resolution(x * unit, y * unit))
    }

    /// Takes a resolution over where it is one.
    package mutating func state(_ resolution: Resolution?) { self.resolution = resolution ?? self.resolution }
}

/// Why a picture is not printed: a sentence without its full stop.
package struct PictureProblem: Error, Hashable, Sendable {
    /// Whether the file is damaged or of another format; else it is of a kind that is not printed.
    package var isDamaged: Bool
    /// The sentence.
    package var message: String
}
