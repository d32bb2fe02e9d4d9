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

    /// Grey pixels of 16 bits, in a file that says nothing of their coding, as programs write them. libpng's own writer
    /// would state it.
    static func png16(width: Int, height: Int, tone: UInt16) -> [UInt8] {
        func number(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
        func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
            let content = Array(name.utf8) + bytes
            var checksum = UInt32.max
            for byte in content {
                checksum ^= UInt32(byte)
                for _ in 0..<8 { checksum = checksum & 1 == 0 ? checksum >> 1 : checksum >> 1 ^ 0xEDB8_8320 }
            }
            return number(UInt32(bytes.count)) + content + number(~checksum)
        }
        let pixel = [UInt8(tone >> 8), UInt8(truncatingIfNeeded: tone)]
        let row: [UInt8] = [0] + [[UInt8]](repeating: pixel, count: width).joined()
        let rows = [[UInt8]](repeating: row, count: height).flatMap { $0 }
        let (low, high) = rows.reduce((UInt32(1), UInt32(0))) { sums, byte in
            let low = (sums.0 + UInt32(byte)) % 65_521
            return (low, (sums.1 + low) % 65_521)
        }
        // A stored block of Deflate, in zlib's frame.
        let size = UInt16(rows.count)
        let block =
            [0x78, 0x01, 1, UInt8(truncatingIfNeeded: size), UInt8(size >> 8)]
            + [UInt8(truncatingIfNeeded: ~size), UInt8(~size >> 8)] + rows + number(high << 16 | low)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", number(UInt32(width)) + number(UInt32(height)) + [16, 0, 0, 0, 0]) + chunk("IDAT", block)
            + chunk("IEND", [])
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
