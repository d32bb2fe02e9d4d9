import CKioskJPEG
import CKioskPNG
import KioskTestSupport

/// PNG and JPEG files, written by their own libraries.
enum PictureFiles {
    /// Pixels of red, green, blue and alpha.
    static func png(width: Int, height: Int, _ pixel: (Int, Int) -> [UInt8]) throws -> [UInt8] {
        var image = cpng_image()
        image.width = UInt32(width)
        image.height = UInt32(height)
        image.format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)
        let pixels = (0..<height).flatMap { y in (0..<width).flatMap { pixel($0, y) } }
        var file = [UInt8](repeating: 0, count: width * height * 5 + 4096)
        var size = file.count
        guard png_image_write_to_memory(&image, &file, &size, 0, pixels, 0, nil) != 0 else {
            throw TestSupportError("libpng wrote nothing")
        }
        return Array(file.prefix(size))
    }

    enum Inks { case grey, colour, four }

    /// A JPEG file with all pixels of one tone.
    static func jpeg(
        width: Int, height: Int, tone: UInt8, _ inks: Inks = .grey, isProgressive: Bool = false
    ) throws -> [UInt8] {
        guard let encoder = tjInitCompress() else { throw TestSupportError("libjpeg-turbo does not start") }
        defer { tjDestroy(encoder) }
        let (format, sampling, samples) =
            switch inks {
            case .grey: (TJPF_GRAY, TJSAMP_GRAY, [tone])
            case .colour: (TJPF_RGB, TJSAMP_420, [tone, tone, tone])
            case .four: (TJPF_CMYK, TJSAMP_444, [255, 255, 255, tone])
            }
        let pixels = (0..<width * height).flatMap { _ in samples }
        var file: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        let flags = isProgressive ? TJFLAG_PROGRESSIVE : 0
        guard
            tjCompress2(
                encoder, pixels, Int32(width), 0, Int32(height), Int32(format.rawValue), &file, &size,
                Int32(sampling.rawValue), 90, flags) == 0,
            let file
        else { throw TestSupportError("libjpeg-turbo wrote nothing") }
        defer { tjFree(file) }
        return Array(UnsafeBufferPointer(start: file, count: Int(size)))
    }
}
