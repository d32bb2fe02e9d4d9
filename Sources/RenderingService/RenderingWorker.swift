import Glibc
import KioskAsyncPrimitives
import KioskHelperMessages
import KioskHelperProcesses
import KioskPageEncoding
import KioskRenderingMessages
import Synchronization

/// One `kiosk-render` process and the thread that talks to it. The thread also starts the process, because Linux ends a
/// child with the thread that started it (PR_SET_PDEATHSIG). It draws one document, and ends with it.
final class RenderingWorker: Sendable {
    typealias OpenResult = Result<DocumentInfo, RenderingError>

    private let program: String
    private let settings: RenderingSettings
    private let report: @Sendable (RenderingWorker, Report) -> Void
    private let wakeup = WakeupSocket()
    private let state = Mutex(State())

    /// What the service is told.
    enum Report: Sendable {
        case started(library: String?, built: String?)
        case cannotStart(RenderingError)
        /// The program hung, or ended without being asked to.
        case failed
        /// The thread, and with it the program, is gone.
        case ended
    }

    /// What the thread does next.
    private enum Work {
        /// The descriptor is the worker's.
        case open(Int32, RenderingRequest, CheckedContinuation<OpenResult, Never>)
        case render(RasterDocument, sides: Int, @Sendable (Int) -> SideDrawing, PartQueue)

        func fail(_ error: RenderingError) {
            switch self {
            case .open(let descriptor, _, let continuation):
                Glibc.close(descriptor)
                continuation.resume(returning: .failure(error))
            case .render(_, _, _, let parts): parts.finish(.failure(error))
            }
        }
    }

    private struct State {
        var work: Work?
        /// Why no more work is taken.
        var closed: RenderingError?
        /// The program's process id, until the program has been waited for and the id may belong to another process.
        var processID: pid_t?
    }

    /// `report` is called on the worker's thread.
    init(
        program: String, settings: RenderingSettings, report: @escaping @Sendable (RenderingWorker, Report) -> Void
    ) {
        self.program = program
        self.settings = settings
        self.report = report
    }

    /// Starts the thread. Without a document yet, the program does in advance what it can (`isSpare`).
    func start(isSpare: Bool) throws(RenderingError) {
        guard let thread = WorkerThread("rendering", { self.run(isSpare: isSpare) }) else {
            throw RenderingError(.cannotStart, "the system can start no further thread for drawing documents")
        }
        thread.detach()
    }

    // MARK: For callers

    /// Opens the document that is in this file, by this request, and takes over the descriptor. To be called once.
    func open(_ descriptor: Int32, _ request: RenderingRequest) async -> OpenResult {
        await withTaskCancellationHandler {
            await withCheckedContinuation { submit(.open(descriptor, request, $0)) }
        } onCancel: {
            close(.canceled)
        }
    }

    /// Draws sides. The drawing of each is asked for on the worker's thread when its time has come.
    func render(
        _ document: RasterDocument, sides: Int, _ side: @escaping @Sendable (Int) -> SideDrawing
    ) -> PartQueue {
        let parts = PartQueue(
            settings, spaceFreed: { [wakeup] in wakeup.signal() }, canceled: { [weak self] in self?.close(.canceled) })
        submit(.render(document, sides: sides, side, parts))
        return parts
    }

    private func submit(_ work: Work) {
        let refusal = state.withLock { state -> RenderingError? in
            if let closed = state.closed { return closed }
            guard state.work == nil else { return RenderingError(.failed, "the document is being drawn already") }
            state.work = work
            return nil
        }
        if let refusal { return work.fail(refusal) }
        wakeup.signal()
    }

    /// Kills the program. What is under way fails with this error, and so does all that comes.
    func close(_ reason: RenderingError) {
        let work = state.withLock { state in
            if state.closed == nil { state.closed = reason }
            if let processID = state.processID { _ = kill(processID, SIGKILL) }
            return state.work.take()
        }
        work?.fail(reason)
        wakeup.signal()
    }

    // MARK: On the thread

    private func run(isSpare: Bool) {
        var helper: HelperProcess?
        var restartDelay = settings.firstRestartDelay
        var hasDocument = false
        if let failure = start(&helper, preparing: isSpare), !isSpare { close(failure) }
        while closed == nil {
            if let work = state.withLock({ $0.work.take() }) {
                perform(work, &helper)
                hasDocument = true
            } else if let running = helper {
                guard wakeup.wait(orFor: running.socket, timeout: nil) != .signalled else { continue }
                // It sends nothing without a request: it has ended.
                let end = stop(&helper)
                if closed == nil { report(self, .failed) }
                if hasDocument { close(error(.failure(.ended), end, Progress())) }
            } else {
                guard wakeup.wait(orFor: nil, timeout: restartDelay) == .timedOut else { continue }
                restartDelay = min(restartDelay * 2, settings.maximumRestartDelay)
                _ = start(&helper, preparing: true)
            }
        }
        stop(&helper)
        report(self, .ended)
    }

    private var closed: RenderingError? { state.withLock { $0.closed } }

    private func perform(_ work: Work, _ helper: inout HelperProcess?) {
        // A spare whose start failed, or that ended, gets another chance.
        if helper == nil, let failure = start(&helper, preparing: false) {
            work.fail(failure)
            return close(failure)
        }
        guard let running = helper else { return }
        var progress = Progress()
        do throws(Interruption) {
            switch work {
            case .open(let descriptor, let request, let continuation):
                let info = try open(descriptor, request, running)
                Glibc.close(descriptor)
                continuation.resume(returning: .success(info))
            case .render(let document, let sides, let side, let parts):
                try render(document, sides, side, parts, running, &progress)
                parts.finish(.success(()))
            }
        } catch {
            if closed == nil, error.isFailure { report(self, .failed) }
            let failure = closed ?? self.error(error, stop(&helper), progress)
            work.fail(failure)
            close(failure)
        }
    }

    /// What keeps the program from going on.
    private enum Interruption: Error {
        case failure(HelperProcess.Failure)
        case refusal(RenderingRefusal)
        case unexpected
        case closed

        /// Whether the program is at fault, not the document.
        var isFailure: Bool {
            switch self {
            case .failure, .unexpected: true
            case .refusal, .closed: false
            }
        }
    }

    /// How far the program has come.
    private struct Progress {
        /// The side that is drawn; nil while none is.
        var side: Int?
        /// The pages on it, from 1.
        var pages: [Int] = []
        var limits: ExchangeLimits?
    }

    private func open(
        _ descriptor: Int32, _ request: RenderingRequest, _ helper: HelperProcess
    ) throws(Interruption) -> DocumentInfo {
        var timer = ExchangeTimer(helper, limits(settings.openCPUTime))
        try send(request, passing: descriptor, to: helper, &timer)
        guard case .info(let info) = try response(of: helper, &timer) else { throw .unexpected }
        return info
    }

    private func render(
        _ document: RasterDocument, _ sides: Int, _ side: (Int) -> SideDrawing, _ parts: PartQueue,
        _ helper: HelperProcess, _ progress: inout Progress
    ) throws(Interruption) {
        for index in 0..<max(sides, 0) {
            let drawing = side(index)
            guard drawing.isWithinLimits else {
                throw .refusal(
                    RenderingRefusal(
                        .tooLarge,
                        "a side has \(drawing.header.width) × \(drawing.header.height) dots; at most \(RenderingLimits.sideEdge) × \(RenderingLimits.sideEdge) and \(RenderingLimits.sideBytes / 1_000_000) MB are drawn, so choose smaller paper or a lower resolution"
                    ))
            }
            let limits = limits(of: drawing)
            progress = Progress(side: index, pages: Set(drawing.cells.map { $0.page + 1 }).sorted(), limits: limits)
            var timer = ExchangeTimer(helper, limits)
            if index == 0 { try send(.begin(document), to: helper, &timer) }
            try send(.side(drawing), to: helper, &timer)
            try read(until: .sideEnd, atMost: Self.maximumBytes(of: drawing.header), into: parts, from: helper, &timer)
            parts.add(.sideEnd(index))
            try waitForSpace(in: parts)
        }
        progress = Progress()
        var timer = ExchangeTimer(helper, limits(settings.cpuTime))
        if sides <= 0 { try send(.begin(document), to: helper, &timer) }
        try send(.end, to: helper, &timer)
        try read(until: .end, atMost: Self.bytesBesideRows, into: parts, from: helper, &timer)
    }

    /// Bytes of headers and of what ends a document.
    private static let bytesBesideRows = 1 << 20

    /// No language takes twice the bytes of the rows: runs add a byte to 128, ASCII85 one to four.
    private static func maximumBytes(of page: RasterPage) -> Int {
        2 * page.bytesPerRow * page.height + bytesBesideRows
    }

    private func read(
        until end: RenderingResponse, atMost limit: Int, into parts: PartQueue, from helper: HelperProcess,
        _ timer: inout ExchangeTimer
    ) throws(Interruption) {
        var count = 0
        while true {
            switch try response(of: helper, &timer) {
            case .bytes(let bytes):
                count += bytes.count
                guard count <= limit else { throw .unexpected }
                parts.add(.bytes(bytes))
                try waitForSpace(in: parts)
            case end: return
            default: throw .unexpected
            }
        }
    }

    /// Waits until the reader has taken enough. The program waits as well once its socket is full, and uses up none of
    /// its time.
    private func waitForSpace(in parts: PartQueue) throws(Interruption) {
        while closed == nil, !parts.hasSpace { _ = wakeup.wait(orFor: nil, timeout: nil) }
        if closed != nil { throw .closed }
    }

    private func send(
        _ request: RenderingRequest, passing descriptor: Int32? = nil, to helper: HelperProcess,
        _ timer: inout ExchangeTimer
    ) throws(Interruption) {
        do throws(HelperProcess.Failure) {
            try helper.write(request.frame, passing: descriptor, &timer)
        } catch {
            throw .failure(error)
        }
    }

    private func response(
        of helper: HelperProcess, _ timer: inout ExchangeTimer
    ) throws(Interruption) -> RenderingResponse {
        let response: RenderingResponse
        do throws(HelperProcess.Failure) {
            let message = try helper.readMessage(limit: RenderingLimits.response, &timer)
            do throws(HelperMessageError) { response = try RenderingResponse(message) } catch {
                throw .invalidResponse(error)
            }
        } catch {
            throw .failure(error)
        }
        if case .refused(let refusal) = response { throw .refusal(refusal) }
        return response
    }

    // MARK: Errors

    /// The error that the caller gets.
    private func error(
        _ interruption: Interruption, _ end: HelperProcess.End?, _ progress: Progress
    ) -> RenderingError {
        let side = progress.side
        let pages = progress.pages.map { "\($0)" }.joined(separator: ", ")
        let subject =
            progress.pages.isEmpty ? "the document" : progress.pages.count == 1 ? "page \(pages)" : "pages \(pages)"
        let invalid = "see that it is of the same version as kioskd"
        switch interruption {
        case .refusal(let refusal): return RenderingError(refusal, side: side)
        case .closed: return .canceled
        case .unexpected:
            return RenderingError(
                .interrupted, "the rendering program sent an unexpected response; \(invalid)", side: side)
        case .failure(.invalidResponse(let error)):
            return RenderingError(
                .interrupted, "the rendering program sent an invalid response (\(error)); \(invalid)", side: side)
        case .failure(.cpuTime):
            let time = progress.limits?.cpuTime ?? settings.openCPUTime
            return RenderingError(
                .cpuTime,
                "\(subject) took more than \(time.components.seconds) s of CPU time; make it simpler, for example by printing it to PDF as an image",
                side: side)
        case .failure(.stalled(let time)):
            return RenderingError(
                .interrupted,
                "the rendering program made no progress with \(subject) for \(time.components.seconds) s and was ended; see what stops it or overloads the machine",
                side: side)
        case .failure(.timedOut(let time)):
            return RenderingError(
                .interrupted,
                "the rendering program did not finish \(subject) within \(time.components.seconds) s and was ended; see what overloads the machine",
                side: side)
        case .failure(.ended):
            if end?.isFault == true {
                return RenderingError(
                    .crashed,
                    "the rendering program \(end?.description ?? "crashed") on \(subject), which may be damaged or need too much memory; save or export it anew",
                    side: side)
            }
            return RenderingError(
                .interrupted,
                "the rendering program \(end?.description ?? "ended"); see what ended it, or whether memory is short",
                side: side)
        }
    }

    // MARK: The program

    private func limits(_ cpuTime: Duration) -> ExchangeLimits {
        ExchangeLimits(cpuTime: cpuTime, stall: settings.stallTimeout, total: settings.timeout)
    }

    private func limits(of side: SideDrawing) -> ExchangeLimits {
        let pages = max(side.cells.count, 1)
        return ExchangeLimits(
            cpuTime: settings.cpuTime * pages, stall: settings.stallTimeout, total: settings.timeout * pages)
    }

    /// Starts the program and waits until it is ready; returns the error if it does not become ready.
    private func start(_ helper: inout HelperProcess?, preparing: Bool) -> RenderingError? {
        var failure = spawn(&helper)
        if failure == nil, let started = helper {
            do throws(Interruption) {
                var timer = ExchangeTimer(started, limits(settings.startCPUTime))
                guard case .ready(let library, let built) = try response(of: started, &timer) else { throw .unexpected }
                if preparing { try send(.prepare, to: started, &timer) }
                report(self, .started(library: library, built: built))
                return nil
            } catch {
                let reason: String
                switch error {
                case .refusal(let refusal): reason = refusal.message
                default: reason = self.error(error, stop(&helper), Progress()).message
                }
                stop(&helper)
                failure = RenderingError(
                    .cannotStart, "\(program), which draws documents, does not start: \(reason)")
            }
        }
        guard let failure else { return nil }
        if let closed { return closed }
        report(self, .cannotStart(failure))
        return failure
    }

    private func spawn(_ helper: inout HelperProcess?) -> RenderingError? {
        do throws(HelperProcess.StartFailure) {
            let started = try HelperProcess(program, as: settings.user)
            let isClosed = state.withLock { state in
                state.processID = started.processID
                return state.closed != nil
            }
            // Closed in between: the kill found no process.
            if isClosed { started.kill() }
            helper = started
            return nil
        } catch {
            return RenderingError(.cannotStart, "\(program), which draws documents, \(error)")
        }
    }

    @discardableResult
    private func stop(_ helper: inout HelperProcess?) -> HelperProcess.End? {
        guard let running = helper.take() else { return nil }
        // `close()` kills it by its id, which must still be its own then.
        state.withLock { $0.processID = nil }
        return running.end()
    }
}
