import Glibc
import KioskDrawingMessages
package import KioskHelperProcesses
package import KioskReceipts

/// Draws text, pictures and codes of receipts in a sandboxed process, `kiosk-draw`: harmful input fails only its own
/// request. Holds only the cache; `DrawingWorker` has the queue and the process, which it starts for the first request,
/// ends after half a day without one, and starts again when it ended or hung. `ReceiptPreparation` uses the service.
/// Its maker (`kioskd`, or a `ReceiptPreparation` in other programs) ends it: by `shutDown()`, or by releasing it.
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

    /// How often the program did not start, hung, or ended without being asked to.
    package nonisolated var failureCount: Int { worker.failureCount }

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

    /// The program's path in the folder of the running binary, where it is installed.
    package static func siblingProgram() -> String { HelperProcess.siblingProgram(programName) }
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

/// The purpose of a drawing. Drawings for printing come before previews.
package enum DrawingPurpose: Hashable, Sendable { case printing, preview }

/// The limits and timeouts of a drawing service, and the Unix user that `kiosk-draw` runs as.
package struct DrawingSettings: Hashable, Sendable {
    /// The CPU time that one drawing for printing may take. A busy machine takes longer for it, which is not the
    /// drawing's fault.
    package var cpuTime: Duration = .seconds(10)
    /// The CPU time that a preview may take; a receipt may have to wait for it.
    package var previewCPUTime: Duration = .seconds(3)
    /// The CPU time that the program's start may take: it opens its fonts then.
    package var startCPUTime: Duration = .seconds(60)
    /// The time without any CPU time after which the program is ended: it was stopped, or it hangs.
    package var stallTimeout: Duration = .seconds(5)
    /// The time after which a drawing or a start is ended, even if it still makes progress.
    package var timeout: Duration = .seconds(300)
    /// The time after which a drawing or a start counts as slow.
    package var slowThreshold: Duration = .seconds(3)
    /// The time without requests after which the program is stopped. Where receipts are printed it runs all day.
    package var idleTimeout: Duration = .seconds(12 * 3600)
    /// The first delay between two attempts to start the program while there are no requests. It doubles up to the
    /// maximum.
    package var firstRestartDelay: Duration = .seconds(1)
    package var maximumRestartDelay: Duration = .seconds(30)
    /// Waiting requests, in bytes and in number: so much for printing, and as much again for previews.
    package var queuedBytes = 64 << 20
    package var queuedRequests = 1024
    /// Bytes of the cache of drawings.
    package var cachedBytes = 8 << 20
    /// The user that the program runs as, for which its parent must be root; nil: the parent's user.
    package var user: HelperProcess.User?

    package init() {}
}

/// The reason why the drawing service returned no drawing.
package struct DrawingError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// What happened and what to do: a sentence without its full stop.
    package var message: String

    package struct Code: Hashable, Sendable {
        private enum Kind {
            case tooLarge, picture, code, failed, busy, canceled, cpuTime, crashed, interrupted, cannotStart,
                shutDown
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// Larger than any receipt.
        package static let tooLarge = Code(.tooLarge)
        /// A damaged picture.
        package static let picture = Code(.picture)
        /// Data that the symbology cannot hold, or a code that is larger than its space on the paper.
        package static let code = Code(.code)
        /// The drawing program could not draw it, even right after its start.
        package static let failed = Code(.failed)
        /// The queue is full; the same drawing may be tried again.
        package static let busy = Code(.busy)
        /// The task was canceled.
        package static let canceled = Code(.canceled)
        /// The drawing took more CPU time than it may.
        package static let cpuTime = Code(.cpuTime)
        /// The drawing program crashed on it, twice.
        package static let crashed = Code(.crashed)
        /// The drawing program was killed or stopped, or made no progress, through no fault of the drawing.
        package static let interrupted = Code(.interrupted)
        /// The drawing program could not be started.
        package static let cannotStart = Code(.cannotStart)
        /// The service is shutting down.
        package static let shutDown = Code(.shutDown)

        /// Whether the same drawing may succeed later, because the drawing itself is not at fault.
        package var isPassing: Bool {
            switch kind {
            case .busy, .canceled, .interrupted, .cannotStart, .shutDown: true
            case .tooLarge, .picture, .code, .failed, .cpuTime, .crashed: false
            }
        }
    }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ refusal: DrawingRefusal) {
        let code: Code =
            switch refusal.code {
            case .tooLarge: .tooLarge
            case .picture: .picture
            case .code: .code
            case .drawing: .failed
            }
        self.init(code, refusal.message)
    }

    package var description: String { message }
}

/// The state of the drawing service, with a sentence (without its full stop) about what is wrong.
package enum DrawingCondition: Hashable, Sendable {
    case well
    /// The program is slow, or ended recently and has not drawn since.
    case slow(String)
    /// The program does not start: nothing can be drawn.
    case cannotStart(String)
}
