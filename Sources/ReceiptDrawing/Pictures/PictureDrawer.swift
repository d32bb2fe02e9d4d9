package import DrawingMessages
package import Receipts

/// Draws PNG and JPEG files in black and white.
package enum PictureDrawer {
    package static func draw(_ picture: DrawnPicture, width: Int, height: Int) throws(DrawingRefusal) -> DotMatrix {
        let size: ReceiptImage.Size
        do { size = try ReceiptImage(picture.file).size() } catch { throw DrawingRefusal(.picture, error.message) }
        guard (1...DotMatrix.longest).contains(width), (1...DotMatrix.longest).contains(height),
            width * height <= DrawingLimits.dots
        else {
            throw DrawingRefusal(
                .tooLarge, "a picture of \(width) × \(height) dots is more than a receipt has room for")
        }
        var scaler = AreaScaler(width: size.width, height: size.height, newWidth: width, newHeight: height)
        // A PNG file begins with a byte that no JPEG has (`ReceiptImage.size`).
        if picture.file.first == 0x89 {
            try PNGPicture.read(picture.file, size, into: &scaler)
        } else {
            try JPEGPicture.read(picture.file, size, into: &scaler)
        }
        return scaler.picture.dithered(picture.dithering)
    }
}
