import DrawingMessages
import Glibc
package import Receipts

/// Draws texts, pictures and codes of receipts in a program of its own (`kiosk-draw`), which may do nothing else:
/// harmful input costs no more than that one request. The service starts the program for the first drawing, keeps it
/// for half a day, and starts it again when it ended or hung. The owner of the service shuts it down.
package actor DrawingService {
    private let worker: DrawingWorker
    private var cache: DrawingCache

    /// `program` is `kiosk-draw`'s path; where it is missing, the first drawing fails.
    package init(program: String, settings: DrawingSettings = DrawingSettings()) {
        worker = DrawingWorker(program: program, settings: settings)
        cache = DrawingCache(limit: settings.cachedBytes)
    }

    deinit { worker.shutDown() }

    /// Starts the program, which opens its fonts then, so that the first drawing need not wait for that.
    package func warmUp() async throws(DrawingError) {
        _ = try await worker.perform(.png(DotMatrix(width: 1, height: 1)), for: .preview)
    }

    /// The state of drawing. It recovers by itself, whether or not anything is to be drawn.
    package nonisolated var condition: DrawingCondition { worker.condition }

    /// The number of requests that wait for the program, and whether it works on one.
    package nonisolated var requests: (waiting: Int, isAtWork: Bool) { worker.requests }

    /// Draws all of them, or throws the error of the first that cannot be drawn.
    package func draw(
        _ drawings: [Drawing], for purpose: DrawingPurpose = .printing
    ) async throws(DrawingError) -> RenderedDrawings {
        var drawn = RenderedDrawings()
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
        if let cached = cache.entry(for: drawing) { return cached }
        guard case .dots(let dots, let withoutGlyph) = try await worker.perform(.draw(drawing), for: purpose),
            dots.width == drawing.width,
            dots.height == drawing.height
        else { throw DrawingError(.failed, "the drawing program returned something other than the requested drawing") }
        cache.insert(dots, withoutGlyph: withoutGlyph, for: drawing)
        return (dots, withoutGlyph)
    }

    /// The dots as a PNG file, for a preview.
    package func png(of dots: DotMatrix) async throws(DrawingError) -> [UInt8] {
        guard case .file(let file) = try await worker.perform(.png(dots), for: .preview) else {
            throw DrawingError(.failed, "the drawing program returned no PNG file for a preview")
        }
        return file
    }

    /// Ends the program; waiting requests fail. Returns when the program is gone.
    package func shutDown() async {
        worker.shutDown()
        await worker.waitUntilEnded()
    }
}

extension DrawingService {
    package static let programName = "kiosk-draw"

    /// The program's path in the folder of the running binary, where it is installed. Only its name where the kernel
    /// does not report that folder.
    package static func siblingProgram() -> String {
        // PATH_MAX bytes are the most that the kernel gives (path_resolution(7)).
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
        guard count > 0 else { return programName }
        let program = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return program.prefix(through: program.lastIndex(of: "/") ?? program.startIndex) + programName
    }
}

/// The most recent drawings, such as logos, up to a number of bytes. The least recently used one is evicted first.
private struct DrawingCache {
    private struct Entry {
        var dots: DotMatrix
        var withoutGlyph: [Unicode.Scalar]
        var bytes: Int
        var lastUse: UInt64
    }

    private var entries: [Drawing: Entry] = [:]
    private var uses: UInt64 = 0
    private var bytes = 0
    private let limit: Int

    /// Bytes of an entry, besides its contents.
    private static let overhead = 512

    init(limit: Int) { self.limit = limit }

    mutating func entry(for drawing: Drawing) -> (dots: DotMatrix, withoutGlyph: [Unicode.Scalar])? {
        guard let entry = entries[drawing] else { return nil }
        uses += 1
        entries[drawing]?.lastUse = uses
        return (entry.dots, entry.withoutGlyph)
    }

    mutating func insert(_ dots: DotMatrix, withoutGlyph: [Unicode.Scalar], for drawing: Drawing) {
        let size = drawing.contentBytes + dots.bytes.count + withoutGlyph.count * 4 + Self.overhead
        // A drawing that takes more than a quarter would evict all others.
        guard size <= limit / 4, entries[drawing] == nil else { return }
        uses += 1
        entries[drawing] = Entry(dots: dots, withoutGlyph: withoutGlyph, bytes: size, lastUse: uses)
        bytes += size
        while bytes > limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            bytes -= oldest.value.bytes
            entries[oldest.key] = nil
        }
    }
}

extension Drawing {
    fileprivate var contentBytes: Int {
        switch content {
        case .text(let text): text.text.utf8.count
        case .picture(let picture): picture.file.count
        case .code(let code): code.text.utf8.count
        }
    }
}
