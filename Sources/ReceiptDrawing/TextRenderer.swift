import CKioskPango
import KioskDrawingMessages
import KioskReceipts
import KioskTextShaping

/// Renders lines of text in black and white. Text is laid out in cells of 12 × 24 and scaled to the cells of the
/// printer's font: so all sizes share their fonts, and letters are hinted at their size on paper.
final class TextRenderer {
    private let shaper: LineShaper

    init() throws(DrawingRefusal) {
        do throws(TextShapingError) { shaper = try LineShaper(isHinted: true) } catch {
            throw DrawingRefusal(.drawing, error.description)
        }
    }

    func draw(
        _ text: DrawnText, width: Int, height: Int
    ) throws(DrawingRefusal) -> (dots: DotMatrix, withoutGlyph: [Unicode.Scalar]) {
        guard width * height <= DrawingLimits.dots else {
            throw DrawingRefusal(.tooLarge, "a line of \(width) × \(height) dots is too large to be drawn")
        }
        guard let surface = InkSurface(width: width, height: height) else {
            throw DrawingRefusal(.drawing, "there is not enough memory to draw a line of text")
        }
        let drawable = LineShaper.drawable(text.text)
        let line: ShapedLine
        do throws(TextShapingError) {
            // The receipt's layout decided the direction of the whole text.
            line = try shaper.line(drawable, .forced(isRightToLeft: text.isRightToLeft), emphasis: text.emphasis)
        } catch {
            throw DrawingRefusal(.drawing, error.description)
        }
        let scale = (
            x: Double(text.cellWidth * text.scaleWidth) / TextCell.width,
            y: Double(text.cellHeight * text.scaleHeight) / TextCell.height
        )
        line.draw(surface.context, scale: scale, width: Double(width))
        return (surface.dots(), line.withoutGlyph)
    }

    /// Draws characters of the most frequent scripts in each weight, which finds and opens their fonts.
    func warmUp() {
        for emphasis in [false, true] {
            for text in ["Aż€Жλשعไह中☺😀", "あア中", "한中"] {
                let drawn = DrawnText(text, emphasis: emphasis, cellWidth: 12, cellHeight: 24)
                _ = try? draw(drawn, width: 600, height: 24)
            }
        }
    }
}

/// A surface of cairo that stores coverage only.
final class InkSurface {
    let context: OpaquePointer
    private let surface: OpaquePointer
    private let width: Int
    private let height: Int

    /// Returns nil where there is no memory.
    init?(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(width), Int32(height)) else { return nil }
        self.surface = surface
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let context = cairo_create(surface) else {
            cairo_surface_destroy(surface)
            return nil
        }
        self.context = context
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    /// The coverage, of 255, from which a dot is black: strokes of one and a half dots are not to become one dot wide.
    private static let threshold: UInt8 = 112

    func dots() -> DotMatrix {
        cairo_surface_flush(surface)
        guard let data = cairo_image_surface_get_data(surface) else { return DotMatrix(width: width, height: height) }
        let lineLength = Int(cairo_image_surface_get_stride(surface))
        let stride = (width + 7) / 8
        var bytes = [UInt8](repeating: 0, count: stride * height)
        for y in 0..<height {
            let line = data + y * lineLength
            for x in 0..<width where line[x] >= Self.threshold { bytes[y * stride + x >> 3] |= 0x80 >> UInt8(x & 7) }
        }
        return DotMatrix(width: width, height: height, bytes: bytes) ?? DotMatrix(width: width, height: height)
    }
}
