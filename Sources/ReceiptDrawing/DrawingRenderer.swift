package import KioskDrawingMessages
import KioskReceipts

/// Renders the drawings of requests into dots. Only one thread may use it at a time.
package final class DrawingRenderer {
    private let textRenderer: TextRenderer

    /// Finds the system's fonts, which takes some tenths of a second.
    package init() throws(DrawingRefusal) { textRenderer = try TextRenderer() }

    /// Opens the fonts that receipts are likely to need.
    package func warmUp() { textRenderer.warmUp() }

    /// Draws one request. An error becomes a refusal, so that there is a response to every request.
    package func response(to request: DrawingRequest) -> DrawingResponse {
        do throws(DrawingRefusal) {
            switch request {
            case .png(let matrix): return .file(try PNGPicture.file(matrix))
            case .draw(let drawing): return try draw(drawing)
            }
        } catch {
            return .refused(error)
        }
    }

    private func draw(_ drawing: Drawing) throws(DrawingRefusal) -> DrawingResponse {
        let (width, height) = (drawing.width, drawing.height)
        switch drawing.content {
        case .text(let text):
            let drawn = try textRenderer.draw(text, width: width, height: height)
            return .dots(drawn.dots, withoutGlyph: drawn.withoutGlyph)
        case .picture(let picture):
            return .dots(try PictureRenderer.draw(picture, width: width, height: height), withoutGlyph: [])
        case .code(let code): return .dots(try CodeRenderer.draw(code, width: width, height: height), withoutGlyph: [])
        }
    }
}
