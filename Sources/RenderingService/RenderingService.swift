import CKioskLinux
import Glibc
import KioskAsyncPrimitives
import KioskHelperProcesses
package import KioskPageEncoding
package import KioskRenderingMessages
import Synchronization

/// Draws and encodes documents, each in a sandboxed process of its own, `kiosk-render`: a harmful document fails only
/// itself. A spare process may wait, so that a document need not wait for a start. Its maker ends the service, by
/// `shutDown()` or by releasing it.
package final class RenderingService: Sendable {
    private let pool: WorkerPool

    /// The program's file name.
    package static let programName = "kiosk-render"

    /// `program` is `kiosk-render`'s path; where it is missing, each document fails.
    package init(program: String, settings: RenderingSettings = RenderingSettings()) {
        pool = WorkerPool(program: program, settings: settings)
    }

    deinit { pool.shutDown() }

    /// The program's path in the folder of the running binary, where it is installed.
    package static func siblingProgram() -> String { HelperProcess.siblingProgram(programName) }

    /// Keeps a process waiting for the next document, or no longer.
    package func keepSpare(_ isWanted: Bool) { pool.keepSpare(isWanted) }

    /// The state of rendering. It recovers by itself, whether or not anything is to be drawn.
    package var condition: RenderingCondition { pool.condition }

    /// The library that draws PDF and its version, as the last started process said; nil where it is unknown.
    package var library: String? { pool.library }

    /// How often a process did not start, hung, or ended without being asked to.
    package var failureCount: Int { pool.failureCount }

    /// Opens a document and reads what it says of its pages. With `inspectsPages` it is also read through for 100 ms,
    /// so that damaged or oversized pages are found before it is accepted; else they are found when their turn has
    /// come. `paper`: what a text is laid out for.
    package func open(
        _ source: DocumentSource, as format: DocumentKind, password: String? = nil, inspectsPages: Bool = false,
        paper: TextPaper = TextPaper()
    ) async throws(RenderingError) -> RenderingSession {
        if (password?.utf8.count ?? 0) > RenderingLimits.textLength {
            throw RenderingError(.password, "the password is longer than any PDF's; send the right one")
        }
        let descriptor = try source.descriptor()
        let worker: RenderingWorker
        do throws(RenderingError) { worker = try pool.worker() } catch {
            close(descriptor)
            throw error
        }
        let request = RenderingRequest.open(format, password: password, inspectsPages: inspectsPages, paper: paper)
        switch await worker.open(descriptor, request) {
        case .success(let info): return RenderingSession(info, worker)
        case .failure(let error):
            worker.close(error)
            throw error
        }
    }

    /// Ends all processes; what they draw fails. Returns when they are gone.
    package func shutDown() async {
        pool.shutDown()
        await pool.waitUntilEnded()
    }
}

/// Where a document is read from.
package enum DocumentSource: Sendable {
    /// A regular file that is open for reading. It stays the caller's, who may close it once the document is open.
    case descriptor(Int32)
    case bytes([UInt8])

    /// A descriptor of our own for it.
    fileprivate func descriptor() throws(RenderingError) -> Int32 {
        let descriptor =
            switch self {
            case .descriptor(let theirs): fcntl(theirs, F_DUPFD_CLOEXEC, 3)
            case .bytes(let bytes): bytes.withUnsafeBytes { clinux_sealed_file("document", $0.baseAddress, $0.count) }
            }
        guard descriptor >= 0 else {
            throw RenderingError(
                .failed, "the document cannot be handed to the rendering program (\(String(cString: strerror(errno))))")
        }
        return descriptor
    }
}

/// An open document. Its process ends with it, when nobody draws it any more.
package final class RenderingSession: Sendable {
    /// What the document says of its pages.
    package let info: DocumentInfo
    private let worker: RenderingWorker

    init(_ info: DocumentInfo, _ worker: RenderingWorker) {
        self.info = info
        self.worker = worker
    }

    deinit { worker.close(.ended) }

    /// Draws and encodes sides. `side` gives each one when its time has come, on a thread of the service. A document is
    /// drawn once at a time, but any number of times one after the other.
    package func render(
        _ document: RasterDocument, sides: Int, side: @escaping @Sendable (Int) -> SideDrawing
    ) -> RenderedDocument {
        RenderedDocument(parts: worker.render(document, sides: sides, side), session: self)
    }

    /// Ends the process at once; what is being drawn fails.
    package func cancel() { worker.close(.canceled) }

    /// Ends the process, when all was drawn.
    package func end() { worker.close(.ended) }
}

/// The processes of a service.
private final class WorkerPool: Sendable {
    private let program: String
    private let settings: RenderingSettings
    private let state = Mutex(State())

    private struct State {
        var isSpareWanted = false
        var spare: RenderingWorker?
        /// All whose threads run.
        var workers: [ObjectIdentifier: RenderingWorker] = [:]
        /// The last failure to start, until something starts.
        var failure: RenderingError?
        var library: String?
        /// The date of the library.
        var built: String?
        var hasStarted = false
        var isShutDown = false
        /// How often a process did not start, hung, or ended without being asked to.
        var failureCount = 0
        var waiters: [CheckedContinuation<Void, Never>] = []

        var needsSpare: Bool { (isSpareWanted || failure != nil) && spare == nil && !isShutDown }
    }

    init(program: String, settings: RenderingSettings) {
        self.program = program
        self.settings = settings
    }

    var library: String? { state.withLock { $0.library } }

    var failureCount: Int { state.withLock { $0.failureCount } }

    var condition: RenderingCondition {
        state.withLock { state in
            if let failure = state.failure { return .cannotStart(failure.message) }
            if let library = state.library {
                let warning = state.built.flatMap { LibraryAge.warning(library, built: $0, at: time(nil)) }
                return warning.map { .oldLibrary($0) } ?? .ok
            }
            guard state.hasStarted else { return .ok }
            return .withoutLibrary(
                "PDF files, pictures and text cannot be drawn, since libpdfium.so is not installed; put it beside \(program)"
            )
        }
    }

    func keepSpare(_ isWanted: Bool) {
        let unwanted = state.withLock { state in
            state.isSpareWanted = isWanted
            return state.needsSpare || isWanted ? nil : state.spare.take()
        }
        unwanted?.close(.ended)
        addSpare()
    }

    /// A process for a document: the spare, which is replaced, or a new one.
    func worker() throws(RenderingError) -> RenderingWorker {
        let spare = state.withLock { $0.spare.take() }
        defer { addSpare() }
        if let spare { return spare }
        let worker = makeWorker()
        let isShutDown = state.withLock { state in
            if !state.isShutDown { state.workers[ObjectIdentifier(worker)] = worker }
            return state.isShutDown
        }
        if isShutDown { throw .shutDown }
        try start(worker, isSpare: false)
        return worker
    }

    /// Adds a spare where one is wanted, or needed to learn when the program starts again.
    private func addSpare() {
        let worker = makeWorker()
        let isNeeded = state.withLock { state in
            guard state.needsSpare else { return false }
            state.spare = worker
            state.workers[ObjectIdentifier(worker)] = worker
            return true
        }
        if isNeeded { try? start(worker, isSpare: true) }
    }

    private func makeWorker() -> RenderingWorker {
        RenderingWorker(program: program, settings: settings) { [weak self] worker, report in
            self?.handle(report, of: worker)
        }
    }

    private func start(_ worker: RenderingWorker, isSpare: Bool) throws(RenderingError) {
        do throws(RenderingError) { try worker.start(isSpare: isSpare) } catch {
            state.withLock { $0.failure = error }
            handle(.ended, of: worker)
            throw error
        }
    }

    private func handle(_ report: RenderingWorker.Report, of worker: RenderingWorker) {
        let (waiters, unwanted) = state.withLock { state in
            var unwanted: RenderingWorker?
            switch report {
            case .started(let library, let built):
                (state.failure, state.library, state.built, state.hasStarted) = (nil, library, built, true)
                if state.spare != nil, !state.isSpareWanted { unwanted = state.spare.take() }
            case .cannotStart(let error):
                state.failure = error
                state.failureCount += 1
            case .failed: state.failureCount += 1
            case .ended:
                state.workers[ObjectIdentifier(worker)] = nil
                if state.spare === worker { state.spare = nil }
            }
            let waiters = state.workers.isEmpty ? state.waiters : []
            if state.workers.isEmpty { state.waiters = [] }
            return (waiters, unwanted)
        }
        for waiter in waiters { waiter.resume() }
        unwanted?.close(.ended)
        if case .cannotStart = report { addSpare() }
    }

    func shutDown() {
        let workers = state.withLock { state in
            state.isShutDown = true
            state.spare = nil
            return Array(state.workers.values)
        }
        for worker in workers { worker.close(.shutDown) }
    }

    /// Returns once all threads, and with them the programs, are gone.
    func waitUntilEnded() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.workers.isEmpty { state.waiters.append(continuation) }
                return state.workers.isEmpty
            }
            if isOver { continuation.resume() }
        }
    }
}
