import CKioskPNG
package import KioskRenderingMessages

extension PDFSource {
    /// This PNG file as a page, decoded on white.
    package func decodingPNG() throws(RenderingRefusal) -> PDFSource {
        guard length <= Self.maximumFile else {
            throw RenderingRefusal(
                .tooLarge, "the picture has more than \(Self.maximumFile / 1_000_000) MB; make it smaller")
        }
        let file = bytes(at: 0, atMost: length)
        let resolution = Self.resolution(file)
        // libpng keeps the addresses of the bytes and of the picture from the first call to the last.
        return try file.withUnsafeBufferPointer { file throws(RenderingRefusal) in
            try Self.decode(file, resolution: resolution)
        }
    }

    private static func decode(
        _ file: UnsafeBufferPointer<UInt8>, resolution: (x: Double, y: Double)?
    ) throws(RenderingRefusal) -> PDFSource {
        let image = UnsafeMutablePointer<png_image>.allocate(capacity: 1)
        image.initialize(to: cpng_image())
        defer {
            png_image_free(image)
            image.deallocate()
        }
        guard png_image_begin_read_from_memory(image, file.baseAddress, file.count) != 0 else { throw damaged(image) }
        let isGrey = image.pointee.format & UInt32(PNG_FORMAT_FLAG_COLOR) == 0
        let (width, height, samples) = (Int(image.pointee.width), Int(image.pointee.height), isGrey ? 1 : 3)
        guard width > 0, height > 0, width * height <= RenderingLimits.picturePixels,
            width * height * samples <= maximumSamples
        else {
            throw RenderingRefusal(
                .tooLarge,
                "the picture has \(width * height / 1_000_000) megapixels; at most \(maximumSamples / samples / 1_000_000) are printed, so make it smaller"
            )
        }
        image.pointee.format = isGrey ? 0 : UInt32(PNG_FORMAT_FLAG_COLOR)
        // Without it libpng takes samples of 16 bits for linear light, where the file does not say what they are.
        image.pointee.flags |= cpng_tones_of_16_bits()
        let page = PicturePage(
            width: width, height: height, resolution: resolution, space: isGrey ? "DeviceGray" : "DeviceRGB",
            length: width * height * samples)
        let prefix = page.prefix
        return try PDFSource(
            prefix: prefix, count: page.length, suffix: page.suffix(behind: prefix), hasStatedSize: resolution != nil
        ) { pixels throws(RenderingRefusal) in
            var white = png_color(red: 255, green: 255, blue: 255)
            guard png_image_finish_read(image, &white, pixels.baseAddress, 0, nil) != 0 else {
                throw damaged(image)
            }
        }
    }

    /// Bytes of a file that is read whole.
    private static let maximumFile = 256_000_000
    /// Bytes of its pixels, which are in memory beside the file.
    private static let maximumSamples = 256_000_000

    private static func damaged(_ image: UnsafePointer<png_image>) -> RenderingRefusal {
        let reason = cpng_message(image).map { String(cString: $0) } ?? ""
        return RenderingRefusal(.damaged, "the PNG picture is damaged (\(reason)); save or export it anew")
    }

    /// Pixels per inch, where they are stated and sane: the chunk pHYs, in pixels per metre (ISO/IEC 15948 §11.3.5.3).
    private static func resolution(_ file: [UInt8]) -> (x: Double, y: Double)? {
        func number(_ place: Int) -> Int { file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        var place = 8
        while place <= file.count - 21 {
            let type = file[place + 4..<place + 8]
            if type.elementsEqual("IDAT".utf8) { return nil }
            if type.elementsEqual("pHYs".utf8), file[place + 16] == 1 {
                let (x, y) = (Double(number(place + 8)) * 0.0254, Double(number(place + 12)) * 0.0254)
                return JPEGHeader.sane.contains(x) && JPEGHeader.sane.contains(y) ? (x, y) : nil
            }
            place += 12 + number(place)
        }
        return nil
    }
}
