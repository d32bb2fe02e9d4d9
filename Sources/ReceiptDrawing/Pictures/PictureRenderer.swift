import CKioskJPEG
import CKioskPNG
package import KioskDrawingMessages
package import KioskReceipts

/// Renders PNG and JPEG files in black and white.
package enum PictureRenderer {
    package static func draw(_ picture: DrawnPicture, width: Int, height: Int) throws(DrawingRefusal) -> DotMatrix {
        let (image, size): (ReceiptImage, ReceiptImage.Size)
        do {
            image = ReceiptImage(picture.file)
            size = try image.size()
        } catch {
            throw DrawingRefusal(.picture, error.message)
        }
        guard (1...DotMatrix.maximumSide).contains(width), (1...DotMatrix.maximumSide).contains(height),
            width * height <= DrawingLimits.dots
        else {
            throw DrawingRefusal(
                .tooLarge, "a picture of \(width) × \(height) dots is larger than a receipt")
        }
        // Scaled as it is stored, then turned upright.
        let orientation = image.orientation
        let (storedWidth, storedHeight) = orientation.isSideways ? (height, width) : (width, height)
        var scaler = AreaScaler(
            width: size.width, height: size.height, newWidth: storedWidth, newHeight: storedHeight)
        // A PNG file begins with a byte that no JPEG has (`ReceiptImage.size`).
        if picture.file.first == 0x89 {
            try PNGPicture.read(picture.file, size, into: &scaler)
        } else {
            try JPEGPicture.read(picture.file, size, into: &scaler)
        }
        return scaler.picture.turned(orientation).dithered(picture.dithering)
    }
}

/// Decodes JPEG files (ISO/IEC 10918-1) with libjpeg-turbo.
private enum JPEGPicture {
    static func read(_ file: [UInt8], _ size: ReceiptImage.Size, into scaler: inout AreaScaler) throws(DrawingRefusal) {
        guard let decoder = tjInitDecompress() else {
            throw DrawingRefusal(.drawing, "libjpeg-turbo could not be started")
        }
        defer { tjDestroy(decoder) }
        var (width, height, sampling, colours): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard tjDecompressHeader3(decoder, file, UInt(file.count), &width, &height, &sampling, &colours) == 0,
            Int(width) == size.width, Int(height) == size.height
        else { throw refusal(decoder) }
        // The library does not convert four inks to grey.
        let isFourInks = colours == TJCS_CMYK.rawValue || colours == TJCS_YCCK.rawValue
        let format = isFourInks ? TJPF_CMYK : TJPF_GRAY
        let bytesPerPixel = isFourInks ? 4 : 1
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * bytesPerPixel)
        // Progressive files may have any number of scans, each of which takes time.
        let result = tjDecompress2(
            decoder, file, UInt(file.count), &pixels, width, 0, height, Int32(format.rawValue),
            TJFLAG_LIMITSCANS | TJFLAG_ACCURATEDCT)
        guard result == 0 || isHarmless(decoder) else { throw refusal(decoder) }
        var row = [UInt16](repeating: 0, count: size.width)
        for y in 0..<size.height {
            let start = y * size.width * bytesPerPixel
            for x in 0..<size.width {
                row[x] =
                    isFourInks
                    ? light(pixels[(start + 4 * x)..<(start + 4 * x + 4)]) : ToneCurve.light[Int(pixels[start + x])]
            }
            scaler.add(row[...])
        }
    }

    /// The light of a pixel of cyan, magenta, yellow and black, inverted as Adobe's programs write them: 255 is no ink.
    /// The weights are those of ITU-R BT.601, as for all JPEG.
    private static func light(_ inks: ArraySlice<UInt8>) -> UInt16 {
        let inks = inks.map { Int($0) }
        let tone = (299 * inks[0] + 587 * inks[1] + 114 * inks[2]) * inks[3] / 255_000
        return ToneCurve.light[min(tone, 255)]
    }

    /// Whether the warning is harmless: many cameras leave bytes between the parts of a file, and the picture is
    /// complete.
    private static func isHarmless(_ decoder: tjhandle) -> Bool {
        tjGetErrorCode(decoder) == TJERR_WARNING.rawValue && reason(decoder).contains("extraneous bytes")
    }

    private static func reason(_ decoder: tjhandle) -> String {
        tjGetErrorStr2(decoder).map { String(cString: $0) } ?? ""
    }

    private static func refusal(_ decoder: tjhandle) -> DrawingRefusal {
        let reason = reason(decoder)
        return DrawingRefusal(.picture, "the JPEG image is damaged" + (reason.isEmpty ? "" : " (\(reason))"))
    }
}

/// Decodes and encodes PNG files (ISO/IEC 15948) with libpng.
package enum PNGPicture {
    /// Reads all rows, on a white background.
    static func read(_ file: [UInt8], _ size: ReceiptImage.Size, into scaler: inout AreaScaler) throws(DrawingRefusal) {
        var image = cpng_image()
        defer { png_image_free(&image) }
        guard png_image_begin_read_from_memory(&image, file, file.count) != 0, Int(image.width) == size.width,
            Int(image.height) == size.height
        else {
            throw refusal(&image)
        }
        image.format = cpng_light_format()
        // Without it libpng takes samples of 16 bits for linear light, where the file does not say what they are.
        image.flags |= cpng_tones_of_16_bits()
        var pixels = [UInt16](repeating: 0, count: size.width * size.height * 2)
        guard png_image_finish_read(&image, nil, &pixels, 0, nil) != 0 else { throw refusal(&image) }
        var row = [UInt16](repeating: 0, count: size.width)
        for y in 0..<size.height {
            let start = y * size.width * 2
            for x in 0..<size.width {
                // The light is premultiplied with its alpha; the background is white.
                let (light, alpha) = (UInt32(pixels[start + 2 * x]), UInt32(pixels[start + 2 * x + 1]))
                row[x] = UInt16(min(light + 65_535 - alpha, 65_535))
            }
            scaler.add(row[...])
        }
    }

    private static func refusal(_ image: inout png_image) -> DrawingRefusal {
        let reason = withUnsafePointer(to: &image) { cpng_message($0).map { String(cString: $0) } } ?? ""
        return DrawingRefusal(.picture, "the PNG image is damaged" + (reason.isEmpty ? "" : " (\(reason))"))
    }

    /// A PNG file of the dots, with one bit per pixel.
    package static func file(_ matrix: DotMatrix) throws(DrawingRefusal) -> [UInt8] {
        guard matrix.width > 0, matrix.height > 0 else {
            throw DrawingRefusal(.drawing, "there is nothing to draw: the receipt is empty")
        }
        var image = cpng_image()
        defer { png_image_free(&image) }
        image.width = UInt32(matrix.width)
        image.height = UInt32(matrix.height)
        image.format = cpng_map_format()
        // With two colours, libpng writes one bit per pixel.
        image.colormap_entries = 2
        let colours: [UInt8] = [255, 255, 255, 0, 0, 0]
        let pixels = [UInt8](unsafeUninitializedCapacity: matrix.width * matrix.height) { pixels, count in
            for y in 0..<matrix.height {
                let row = matrix.row(y)
                for x in 0..<matrix.width { pixels[count + x] = row[row.startIndex + x >> 3] >> UInt8(7 - x & 7) & 1 }
                count += matrix.width
            }
        }
        // A bit for each dot, a byte for each row's filter, deflate's blocks, and the chunks around them.
        var size = (matrix.stride + 1) * matrix.height * 101 / 100 + 4096
        var file = [UInt8](repeating: 0, count: size)
        guard png_image_write_to_memory(&image, &file, &size, 0, pixels, 0, colours) != 0 else { throw refusal(&image) }
        file.removeLast(file.count - size)
        return file
    }
}
