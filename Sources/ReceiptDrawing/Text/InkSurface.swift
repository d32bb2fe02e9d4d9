import CPango
import Receipts

/// A surface of cairo that knows only how much ink lies where.
final class InkSurface {
    let context: OpaquePointer
    private let surface: OpaquePointer
    private let width: Int
    private let height: Int

    /// Nil where there is no memory.
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

    /// A dot is black from here on, of 255: strokes of one and a half dots shall not become one.
    static let blackest: UInt8 = 112

    func dots() -> DotMatrix {
        cairo_surface_flush(surface)
        guard let data = cairo_image_surface_get_data(surface) else { return DotMatrix(width: width, height: height) }
        let lineLength = Int(cairo_image_surface_get_stride(surface))
        let stride = (width + 7) / 8
        var bytes = [UInt8](repeating: 0, count: stride * height)
        for y in 0..<height {
            let line = data + y * lineLength
            for x in 0..<width where line[x] >= Self.blackest { bytes[y * stride + x >> 3] |= 0x80 >> UInt8(x & 7) }
        }
        return DotMatrix(width: width, height: height, bytes: bytes) ?? DotMatrix(width: width, height: height)
    }
}
