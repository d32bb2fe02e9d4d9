import FuzzLoop
import KioskDrawingMessages
import KioskReceipts
import ReceiptPictures

@main enum FuzzPictures {
    static func main() { fuzz(check) }

    /// More would make each run slow; `kiosk-draw` takes `ReceiptImage.maximumPixels`.
    private static let pixels = 1 << 18

    /// Scaled to a size that follows from the input's length, in each way of dithering.
    static func check(_ bytes: [UInt8]) {
        guard let size = try? ReceiptImage(bytes).size(), size.width * size.height <= pixels else { return }
        let (width, height) = (1 + bytes.count % 40, 1 + bytes.count % 23)
        let dithering = Dithering.allCases[bytes.count % Dithering.allCases.count]
        do throws(DrawingRefusal) {
            let dots = try PictureRenderer.draw(DrawnPicture(bytes, dithering: dithering), width: width, height: height)
            guard dots.width == width, dots.height == height else { fatalError("dots of another size") }
        } catch {
            guard error.code == .picture, !error.message.isEmpty else { fatalError("an error that says nothing") }
        }
    }
}
