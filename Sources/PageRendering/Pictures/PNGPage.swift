import CKioskPNG
import KioskPictureHeaders
package import KioskRenderingMessages

extension PDFSource {
    /// This PNG file as a page, decoded on white.
    package func decodingPNG() throws(RenderingRefusal) -> PDFSource {
        let file = try wholePicture()
        let size = Self.size(file)
        // libpng keeps the addresses of the bytes and of the picture from the first call to the last.
        return try file.withUnsafeBufferPointer { file throws(RenderingRefusal) in
            try Self.decode(file, size)
        }
    }

    private static func decode(
        _ file: UnsafeBufferPointer<UInt8>, _ size: PictureMetadata
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
        try PicturePage.check(width, height, samples: samples)
        image.pointee.format = isGrey ? 0 : UInt32(PNG_FORMAT_FLAG_COLOR)
        // Without it libpng takes samples of 16 bits for linear light, where the file does not say what they are.
        image.pointee.flags |= cpng_tones_of_16_bits()
        let page = PicturePage(
            width: width, height: height, size: size, space: isGrey ? "DeviceGray" : "DeviceRGB",
            length: width * height * samples)
        return try page.source { pixels throws(RenderingRefusal) in
            var white = png_color(red: 255, green: 255, blue: 255)
            guard png_image_finish_read(image, &white, pixels.baseAddress, 0, nil) != 0 else {
                throw damaged(image)
            }
        }
    }

    private static func damaged(_ image: UnsafePointer<png_image>) -> RenderingRefusal {
        let reason = cpng_message(image).map { String(cString: $0) } ?? ""
        return RenderingRefusal(.damaged, "the PNG picture is damaged (\(reason)); save or export it anew")
    }

    /// The chunks pHYs, pixels per metre, and eXIf (ISO/IEC 15948 §11.3.5.3, and its extension of 2017).
    private static func size(_ file: [UInt8]) -> PictureMetadata {
        func number(_ place: Int) -> Int { file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        var size = PictureMetadata()
        var place = 8
        while place <= file.count - 12 {
            let (count, type) = (number(place), file[place + 4..<place + 8])
            guard count <= file.count - place - 12, !type.elementsEqual("IDAT".utf8) else { break }
            if type.elementsEqual("pHYs".utf8), count == 9, file[place + 16] == 1 {
                size.state(
                    PictureMetadata.Resolution(Double(number(place + 8)) * 0.0254, Double(number(place + 12)) * 0.0254))
            } else if type.elementsEqual("eXIf".utf8) {
                size.orientation = PictureMetadata(exif: Array(file[place + 8..<place + 8 + count])).orientation
            }
            place += 12 + count
        }
        return size
    }
}
