import CKioskZint
import KioskSimulatedPaper

/// MaxiCode (ISO/IEC 16023): hexagons around a bullseye, always of the same size.
enum MaxiCodePicture {
    /// The distance between the centres of neighbouring hexagons of a row is 0.88 mm, nominally.
    private static let pitch = 0.88
    private static let millimetresPerInch = 25.4

    /// Encodes and draws a symbol; nil where the data does not fit. The centres come from libzint; a dot is black where
    /// its own centre is within a hexagon or a ring.
    static func draw(
        _ zint: UnsafeMutablePointer<zint_symbol>, _ data: [UInt8], dotsPerInch: Int
    ) -> Bitmap? {
        guard ZBarcode_Encode_and_Buffer_Vector(zint, data, Int32(data.count), 0) < ZINT_ERROR,
            let vector = zint.pointee.vector
        else { return nil }
        var hexagons: [(x: Double, y: Double, radius: Double)] = []
        var next = vector.pointee.hexagons
        while let hexagon = next?.pointee {
            hexagons.append((Double(hexagon.x), Double(hexagon.y), Double(hexagon.diameter) / 2))
            next = hexagon.next
        }
        var circles: [(x: Double, y: Double, outer: Double, inner: Double, isWhite: Bool)] = []
        var nextCircle = vector.pointee.circles
        while let circle = nextCircle?.pointee {
            let (radius, half) = (Double(circle.diameter) / 2, Double(circle.width) / 2)
            circles.append(
                (
                    Double(circle.x), Double(circle.y), radius + half, half > 0 ? radius - half : 0, circle.colour != 0
                ))
            nextCircle = circle.next
        }
        guard let unit = unitsPerPitch(hexagons) else { return nil }
        let scale = pitch * Double(dotsPerInch) / millimetresPerInch / unit
        var picture = Bitmap(
            width: Int((Double(vector.pointee.width) * scale).rounded(.up)),
            height: Int((Double(vector.pointee.height) * scale).rounded(.up)))
        for hexagon in hexagons {
            fill(&picture, hexagon.x * scale, hexagon.y * scale, hexagon.radius * scale, isBlack: true) { x, y in
                // A corner is at the top: the flat sides are at half the radius times the root of three.
                let side = hexagon.radius * scale * 0.75.squareRoot()
                return abs(x) <= side && abs(x) / 2 + abs(y) * 0.75.squareRoot() <= side
            }
        }
        for circle in circles {
            fill(&picture, circle.x * scale, circle.y * scale, circle.outer * scale, isBlack: !circle.isWhite) { x, y in
                let distance = (x * x + y * y).squareRoot()
                return distance <= circle.outer * scale && distance >= circle.inner * scale
            }
        }
        return picture
    }

    /// The least distance between two hexagons of a row, in libzint's units.
    private static func unitsPerPitch(_ hexagons: [(x: Double, y: Double, radius: Double)]) -> Double? {
        let sorted = hexagons.sorted { ($0.y, $0.x) < ($1.y, $1.x) }
        return zip(sorted, sorted.dropFirst()).filter { $0.y == $1.y && $1.x > $0.x }.map { $1.x - $0.x }.min()
    }

    /// Sets the dots around a centre whose distance from it satisfies the condition.
    private static func fill(
        _ picture: inout Bitmap, _ x: Double, _ y: Double, _ radius: Double, isBlack: Bool,
        where isInside: (Double, Double) -> Bool
    ) {
        for row in Int((y - radius).rounded(.down))...Int((y + radius).rounded(.up)) {
            for column in Int((x - radius).rounded(.down))...Int((x + radius).rounded(.up))
            where isInside(Double(column) + 0.5 - x, Double(row) + 0.5 - y) {
                picture[column, row] = isBlack
            }
        }
    }
}
