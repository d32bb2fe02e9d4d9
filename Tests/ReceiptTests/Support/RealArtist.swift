import DrawingMessages
import ReceiptDrawing
import Receipts
import Synchronization

/// Draws with the system's fonts and libraries, as `kiosk-draw` does, but in this process.
enum RealArtist {
    // A renderer is for one thread at a time.
    private static let lock = Mutex(())
    nonisolated(unsafe) private static let renderer = Result { try DrawingRenderer() }

    /// What a receipt asks for.
    static func drawn(_ drawings: some Collection<Drawing>) throws -> Drawn {
        try lock.withLock { _ in
            var drawn = Drawn()
            for drawing in drawings {
                switch try renderer.get().reply(to: .draw(drawing)) {
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
