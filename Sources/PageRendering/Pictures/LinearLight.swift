import Glibc

/// Tones and light. Pictures are averaged in linear light where they are made smaller for heads of one bit: in tones
/// thin white lines in black would vanish. PDFium maps the tones of a picture page to light before it resamples (a
/// transfer function, PDF 2.0 §10.5), and the band is mapped back.
enum LinearLight {
    /// The exponent of sRGB's curve, near enough.
    static let gamma = 2.2

    /// The tone of each light.
    private static let tones: [UInt8] = (0...255).map { light in
        UInt8((pow(Double(light) / 255, 1 / gamma) * 255).rounded())
    }

    /// Maps a band from light to tones. White and black stay as they are.
    static func toTones(_ band: inout PixelBand) {
        tones.withUnsafeBufferPointer { tones in band.map { tones[Int($0)] } }
    }
}
