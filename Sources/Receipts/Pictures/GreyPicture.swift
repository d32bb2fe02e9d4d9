/// A picture in shades of grey: 0 is black and 255 white, as screens and files code them (sRGB), so that steps look
/// equal.
package struct GreyPicture: Hashable, Sendable {
    package let width: Int
    package let height: Int
    /// Row by row.
    package let tones: [UInt8]

    /// Nil where there are not as many tones as the size says.
    package init?(width: Int, height: Int, tones: [UInt8]) {
        guard width >= 0, height >= 0, width <= DotMatrix.longest, height <= DotMatrix.longest,
            tones.count == width * height
        else { return nil }
        (self.width, self.height, self.tones) = (width, height, tones)
    }

    /// From linear light; what is missing is white.
    init(width: Int, height: Int, light: [UInt16]) {
        (self.width, self.height) = (width, height)
        let tones = light.map { ToneCurve.tones[Int($0) >> ToneCurve.shift] }
        self.tones = tones + [UInt8](repeating: 255, count: max(0, width * height - tones.count))
    }
}

/// Between tones of a file and light (IEC 61966-2-1, sRGB).
package enum ToneCurve {
    /// Of each tone, 65,535 for white.
    package static let light: [UInt16] = (0...255).map { UInt16((linear(Double($0) / 255) * 65_535).rounded()) }

    /// Light is looked up in steps of 16: finer than the darkest tone's 20.
    static let shift = 4

    /// The tone that comes nearest.
    static let tones: [UInt8] = {
        var (tones, tone) = ([UInt8](), 0)
        tones.reserveCapacity(65_536 >> shift)
        for step in 0..<65_536 >> shift {
            let value = step << shift + 1 << (shift - 1)
            while tone < 255, abs(Int(light[tone + 1]) - value) <= abs(Int(light[tone]) - value) { tone += 1 }
            tones.append(UInt8(tone))
        }
        return tones
    }()

    private static func linear(_ tone: Double) -> Double {
        guard tone > 0.04045 else { return tone / 12.92 }
        return power((tone + 0.055) / 1.055)
    }

    /// `base` to the power of 2.4, that is, its square times the fifth root of its square. The standard library has no
    /// `pow`.
    private static func power(_ base: Double) -> Double {
        let square = base * base
        var root = 1.0
        // Newton's method; from 1 it comes down to any root between 0 and 1.
        for _ in 0..<64 { root -= (root - square / (root * root * root * root)) / 5 }
        return square * root
    }
}
