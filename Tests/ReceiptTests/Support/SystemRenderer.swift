import KioskDrawingMessages
import KioskReceiptDrawing
import KioskReceipts
import Synchronization

/// Renders with the system's fonts and libraries, as `kiosk-draw` does, but in this process.
enum SystemRenderer {
    // A renderer is for one thread at a time.
    private static let lock = Mutex(())
    nonisolated(unsafe) private static let renderer = Result { try DrawingRenderer() }

    /// Renders the drawings of a receipt.
    static func drawn(_ drawings: some Collection<Drawing>) throws -> RenderedDrawings {
        try lock.withLock { _ in
            var drawn = RenderedDrawings()
            for drawing in drawings {
                switch try renderer.get().response(to: .draw(drawing)) {
                case .dots(let matrix, let missing):
                    drawn.matrices[drawing] = matrix
                    drawn.withoutGlyph.formUnion(missing)
                case .file, .ready: break
                case .refused(let refusal): throw refusal
                }
            }
            return drawn
        }
    }
}
