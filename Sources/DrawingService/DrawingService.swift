import DrawingMessages
package import Receipts

/// Has receipts' texts, pictures and codes drawn by a program of its own (`kiosk-draw`), which may do nothing else:
/// whatever it is sent costs no more than that one request. The program is started when something is first to be drawn,
/// stays for half a day, and is started again when it ended or hung. Whoever made the service shuts it down.
package actor DrawingService {
    private let worker: DrawingWorker
    private var cache: DrawingCache

    /// `program` is `kiosk-draw`'s path; where it is missing, the first drawing fails.
    package init(program: String, settings: DrawingSettings = DrawingSettings()) {
        worker = DrawingWorker(program: program, settings: settings)
        cache = DrawingCache(limit: settings.cachedBytes)
    }

    deinit { worker.shutDown() }

    /// Has the program started, and its fonts opened, so that the first drawing need not wait for that.
    package func warmUp() async throws(DrawingError) {
        _ = try await worker.ask(.png(DotMatrix(width: 1, height: 1)), for: .preview)
    }

    /// The state of drawing. It recovers by itself, whether or not anything is to be drawn.
    package nonisolated var condition: DrawingCondition { worker.condition }

    /// Requests that wait for the program, and the one that it has.
    package nonisolated var requests: (waiting: Int, isAtWork: Bool) { worker.requests }

    /// All of them, or the error of the first that cannot be drawn.
    package func draw(
        _ drawings: [Drawing], for purpose: DrawingPurpose = .printing
    ) async throws(DrawingError) -> Drawn {
        var drawn = Drawn()
        for drawing in drawings where drawn.matrices[drawing] == nil {
            let (dots, withoutGlyph) = try await draw(drawing, for: purpose)
            drawn.matrices[drawing] = dots
            drawn.withoutGlyph.formUnion(withoutGlyph)
        }
        return drawn
    }

    private func draw(
        _ drawing: Drawing, for purpose: DrawingPurpose
    ) async throws(DrawingError) -> (DotMatrix, [Unicode.Scalar]) {
        if let kept = cache.use(drawing) { return kept }
        guard case .dots(let dots, let withoutGlyph) = try await worker.ask(.draw(drawing), for: purpose),
            dots.width == drawing.width,
            dots.height == drawing.height
        else { throw DrawingError(.failed, "the drawing program drew something else than it was asked for") }
        cache.keep(dots, withoutGlyph: withoutGlyph, for: drawing)
        return (dots, withoutGlyph)
    }

    /// A PNG file, for people to look at.
    package func png(of dots: DotMatrix) async throws(DrawingError) -> [UInt8] {
        guard case .file(let file) = try await worker.ask(.png(dots), for: .preview) else {
            throw DrawingError(.failed, "the drawing program made no picture of what it was asked for")
        }
        return file
    }

    /// Ends the program; what is waiting is not drawn any more. Returns when the program is gone.
    package func shutDown() async {
        worker.shutDown()
        await worker.end()
    }
}
