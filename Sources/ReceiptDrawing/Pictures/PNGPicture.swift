import CPNG
package import DrawingMessages
package import Receipts

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
