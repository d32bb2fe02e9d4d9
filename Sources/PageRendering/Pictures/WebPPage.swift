import CKioskWebP
import KioskPictureHeaders
package import KioskRenderingMessages

extension PDFSource {
    /// This WebP file as a page, decoded on white.
    package func decodingWebP() throws(RenderingRefusal) -> PDFSource {
        let file = try wholePicture()
        let size = WebPHeader.size(length: file.count) { bytes(at: $0, atMost: $1) }
        var features = WebPBitstreamFeatures()
        guard WebPGetFeatures(file, file.count, &features) == VP8_STATUS_OK else {
            throw RenderingRefusal(.damaged, "the document is no WebP picture, or is damaged; save or export it anew")
        }
        guard features.has_animation == 0 else {
            throw RenderingRefusal(.unsupported, "the WebP picture is animated; save the picture that is to be printed")
        }
        let (width, height) = (Int(features.width), Int(features.height))
        let hasAlpha = features.has_alpha != 0
        // Pixels with alpha are in memory beside those on white.
        try PicturePage.check(width, height, samples: hasAlpha ? 4 : 3)
        let page = PicturePage(
            width: width, height: height, size: size, space: "DeviceRGB", length: width * height * 3)
        return try page.source { pixels throws(RenderingRefusal) in
            let isWhole =
                hasAlpha
                ? Self.decode(file, pixels, count: width * height)
                : WebPDecodeRGBInto(
                    file, file.count, pixels.baseAddress, page.length, Int32(width * 3)) != nil
            guard isWhole else {
                throw RenderingRefusal(
                    .damaged, "the WebP picture is damaged, or there is no memory for it; save or export it anew")
            }
        }
    }

    /// Puts a picture with alpha on white.
    private static func decode(_ file: [UInt8], _ pixels: UnsafeMutableRawBufferPointer, count: Int) -> Bool {
        guard let decoded = WebPDecodeRGBA(file, file.count, nil, nil) else { return false }
        defer { WebPFree(decoded) }
        for pixel in 0..<count {
            let alpha = Int(decoded[4 * pixel + 3])
            for sample in 0..<3 {
                let tone = (Int(decoded[4 * pixel + sample]) * alpha + 255 * (255 - alpha) + 127) / 255
                pixels[3 * pixel + sample] = UInt8(tone)
            }
        }
        return true
    }
}
