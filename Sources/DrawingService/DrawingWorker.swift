import Glibc
import KioskAsyncPrimitives
import KioskDrawingMessages
import KioskHelperMessages
import KioskHelperProcesses
import Synchronization

/// The thread that sends one request after the other to `kiosk-draw` and waits for its responses. It also starts the
/// program, because Linux ends a child with the thread that started it (PR_SET_PDEATHSIG).
final class DrawingWorker: Sendable {
    private let program: String
    private let settings: DrawingSettings
    private let queue: RequestQueue
    private let wakeup = WakeupSocket()
    private let thread = Mutex(ThreadState())
    private let activity = Mutex(Activity())
    /// How often the program did not start, hung, or ended without being asked to.
    private let failures = Atomic<Int>(0)

    private struct ThreadState {
        var isRunning = false
        /// The program's process id, until the program has been waited for and the id may belong to another process.
        var processID: pid_t?
        /// Callers of `waitUntilEnded()`.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private struct Activity {
        /// The time when the current drawing or start began.
        var startTime: ContinuousClock.Instant?
        /// The last failure, until something succeeds.
        var lastFailure: DrawingError?
    }

    init(program: String, settings: DrawingSettings) {
        self.program = program
        self.settings = settings
        queue = RequestQueue(settings: settings)
    }

    /// Queues a request and returns its response.
    func perform(_ request: DrawingRequest, for purpose: DrawingPurpose) async throws(DrawingError) -> DrawingResponse {
        let frame = MessageFrame.bytes(request)
        guard frame.count <= DrawingLimits.message else {
            throw DrawingError(.tooLarge, "the drawing is too large")
        }
        let id = queue.makeID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.add(frame, for: purpose, id: id, continuation, start: startThread)
                wakeup.signal()
                // A cancellation before this found nothing to cancel.
                if Task.isCancelled { queue.cancel(id) }
            }
        } onCancel: {
            queue.cancel(id)
        }
        let response = try result.get()
        if case .refused(let refusal) = response { throw DrawingError(refusal) }
        return response
    }

    var condition: DrawingCondition {
        let (startTime, failure) = activity.withLock { ($0.startTime, $0.lastFailure) }
        if let failure { return failure.code == .cannotStart ? .cannotStart(failure.message) : .slow(failure.message) }
        guard let startTime, ContinuousClock.now - startTime > settings.slowThreshold else { return .well }
        return .slow(
            "a drawing has taken \((ContinuousClock.now - startTime).components.seconds) s so far; see what keeps the machine's processors busy"
        )
    }

    var failureCount: Int { failures.load(ordering: .relaxed) }

    var requests: (waiting: Int, isAtWork: Bool) { (queue.waitingCount, activity.withLock { $0.startTime != nil }) }

    /// Starts the thread, the first time.
    private func startThread() -> DrawingError? {
        thread.withLock { thread -> DrawingError? in
            if thread.isRunning { return nil }
            guard let started = WorkerThread("drawing", run) else {
                return DrawingError(.cannotStart, "the system can start no further thread for drawing")
            }
            started.detach()
            thread.isRunning = true
            return nil
        }
    }

    func shutDown() {
        queue.close()
        thread.withLock { thread in
            if let processID = thread.processID { _ = kill(processID, SIGKILL) }
        }
        wakeup.signal()
    }

    /// Returns once the thread, and with it the program, is gone.
    func waitUntilEnded() async {
        await withCheckedContinuation { continuation in
            let isOver = thread.withLock { thread in
                if thread.isRunning { thread.waiters.append(continuation) }
                return !thread.isRunning
            }
            if isOver { continuation.resume() }
        }
    }

    // MARK: On the thread

    @Sendable private func run() {
        var helper: HelperProcess?
        var restartDelay = settings.firstRestartDelay
        while !queue.isClosed {
            if let (frame, purpose) = queue.next() {
                queue.finish(result(of: frame, for: purpose, &helper))
                if helper != nil { restartDelay = settings.firstRestartDelay }
            } else if helper != nil {
                // Stopped after a long idle time, or because it ended.
                let end = wakeup.wait(orFor: helper?.socket, timeout: settings.idleTimeout)
                if end != .signalled { stop(&helper) }
                if end != .signalled, end != .timedOut, !queue.isClosed { countFailure() }
            } else if hasFailed {
                // There are no requests, but the health check has to learn when the program starts again.
                guard wakeup.wait(orFor: nil, timeout: restartDelay) == .timedOut else { continue }
                restartDelay = min(restartDelay * 2, settings.maximumRestartDelay)
                _ = start(&helper)
            } else {
                _ = wakeup.wait(orFor: nil, timeout: nil)
            }
        }
        stop(&helper)
        let waiters = thread.withLock { thread in
            thread.isRunning = false
            defer { thread.waiters = [] }
            return thread.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Whether the last attempt failed.
    private var hasFailed: Bool { activity.withLock { $0.lastFailure != nil } }

    /// Sends the request to the program, and once more to a new one where the first sent no response or could not
    /// draw: only what happens twice is the drawing's own fault.
    private func result(
        of frame: [UInt8], for purpose: DrawingPurpose, _ helper: inout HelperProcess?
    ) -> Result<DrawingResponse, DrawingError> {
        if let idle = helper, idle.hasEnded { stop(&helper) }
        let first = attempt(frame, for: purpose, &helper)
        guard first.isWorthRetry, !queue.isClosed, queue.isCurrentAwaited else { return first.result }
        let second = attempt(frame, for: purpose, &helper).result
        if case .failure(let end) = second, end.code == .crashed {
            // It crashed on this document only once: the first time another process ended it.
            if case .failure(let earlier) = first.result, earlier.code == .crashed { return second }
            return .failure(DrawingError(.interrupted, end.message))
        }
        return second
    }

    private struct Attempt {
        var result: Result<DrawingResponse, DrawingError>
        var isWorthRetry = false
    }

    private func attempt(_ frame: [UInt8], for purpose: DrawingPurpose, _ helper: inout HelperProcess?) -> Attempt {
        let wasRunning = helper != nil
        if !wasRunning, let failure = start(&helper) { return Attempt(result: .failure(failure)) }
        guard let running = helper else {
            return Attempt(result: .failure(DrawingError(.cannotStart, "the drawing program did not start")))
        }
        let cpuTime = purpose == .printing ? settings.cpuTime : settings.previewCPUTime
        setWorking(true)
        defer { setWorking(false) }
        do throws(HelperProcess.Failure) {
            let response = try exchange(frame, with: running, within: limits(cpuTime))
            record(nil)
            // A program that has drawn for a long time may have no memory left.
            guard case .refused(let refusal) = response, refusal.code == .drawing, wasRunning else {
                return Attempt(result: .success(response))
            }
            stop(&helper)
            return Attempt(result: .success(response), isWorthRetry: true)
        } catch {
            let failure = Self.error(error, stop(&helper), cpuTime)
            if !queue.isClosed { countFailure() }
            // A fault of the drawing itself says nothing about the state of the service.
            record(failure.code.isPassing ? failure : nil)
            return Attempt(result: .failure(failure), isWorthRetry: failure.code != .cpuTime)
        }
    }

    /// The error that the caller gets.
    private static func error(
        _ failure: HelperProcess.Failure, _ end: HelperProcess.End?, _ cpuTime: Duration
    ) -> DrawingError {
        switch failure {
        case .cpuTime:
            DrawingError(
                .cpuTime,
                "it was not drawn within \(cpuTime.components.seconds) s of CPU time; make it smaller or simpler"
            )
        case .stalled(let time):
            DrawingError(
                .interrupted,
                "the drawing program made no progress for \(time.components.seconds) s and was ended; see what stops it or overloads the machine"
            )
        case .timedOut(let time):
            DrawingError(
                .interrupted,
                "the drawing program did not finish within \(time.components.seconds) s and was ended; see what overloads the machine"
            )
        case .invalidResponse(let error):
            DrawingError(
                .interrupted,
                "the drawing program sent an invalid response (\(error)); see that it is of the same version as kioskd")
        case .ended:
            if end?.isFault == true {
                DrawingError(
                    .crashed,
                    "the drawing program \(end?.description ?? "crashed") on it; the picture or text may be damaged, or need too much memory"
                )
            } else {
                DrawingError(
                    .interrupted,
                    "the drawing program \(end?.description ?? "ended"); see what ended it, or whether memory is short")
            }
        }
    }

    // MARK: The program

    private func limits(_ cpuTime: Duration) -> ExchangeLimits {
        ExchangeLimits(cpuTime: cpuTime, stall: settings.stallTimeout, total: settings.timeout)
    }

    /// Writes a request, if any, and reads a response: without a request, the one that the program sends at its start.
    private func exchange(
        _ frame: [UInt8]?, with helper: HelperProcess, within limits: ExchangeLimits
    ) throws(HelperProcess.Failure) -> DrawingResponse {
        var timer = ExchangeTimer(helper, limits)
        if let frame { try helper.write(frame, &timer) }
        let message = try helper.readMessage(limit: DrawingLimits.message, &timer)
        do throws(HelperMessageError) { return try DrawingResponse(message) } catch { throw .invalidResponse(error) }
    }

    /// Starts the program and waits until it is ready; returns the error if it does not become ready.
    private func start(_ helper: inout HelperProcess?) -> DrawingError? {
        setWorking(true)
        defer { setWorking(false) }
        let failure = spawn(&helper) ?? awaitReadiness(of: &helper)
        if failure != nil, !queue.isClosed { countFailure() }
        record(failure)
        return failure
    }

    private func spawn(_ helper: inout HelperProcess?) -> DrawingError? {
        do throws(HelperProcess.StartFailure) {
            let started = try HelperProcess(program, as: settings.user)
            thread.withLock { $0.processID = started.processID }
            // Closed in between: the kill found no process.
            if queue.isClosed { started.kill() }
            helper = started
            return nil
        } catch {
            return DrawingError(.cannotStart, "\(program), which draws what the printer cannot, \(error)")
        }
    }

    /// Waits until the program is ready; returns the error if it does not become ready.
    private func awaitReadiness(of helper: inout HelperProcess?) -> DrawingError? {
        guard let started = helper else { return nil }
        let reason: String
        do throws(HelperProcess.Failure) {
            switch try exchange(nil, with: started, within: limits(settings.startCPUTime)) {
            case .ready: return nil
            case .refused(let refusal): reason = "\(refusal)"
            case .dots, .file:
                reason = "it sent an unexpected response; see that it is of the same version as kioskd"
            }
            stop(&helper)
        } catch {
            let end = stop(&helper)
            reason =
                switch error {
                case .cpuTime:
                    "it took more than \(settings.startCPUTime.components.seconds) s of CPU time; see how many fonts are installed"
                case .stalled(let time):
                    "it made no progress for \(time.components.seconds) s; see what stops it or overloads the machine"
                case .timedOut(let time):
                    "it was not ready within \(time.components.seconds) s; see what overloads the machine"
                case .invalidResponse(let error):
                    "it sent an invalid response (\(error)); see that it is of the same version as kioskd"
                case .ended: "it \(end?.description ?? "ended"); the log has its own message"
                }
        }
        return DrawingError(.cannotStart, "\(program), which draws what the printer cannot, does not start: \(reason)")
    }

    @discardableResult
    private func stop(_ helper: inout HelperProcess?) -> HelperProcess.End? {
        guard let running = helper.take() else { return nil }
        // `shutDown()` kills it by its id, which must still be its own then.
        thread.withLock { $0.processID = nil }
        return running.end()
    }

    private func setWorking(_ isWorking: Bool) { activity.withLock { $0.startTime = isWorking ? .now : nil } }

    private func countFailure() { failures.add(1, ordering: .relaxed) }

    private func record(_ failure: DrawingError?) { activity.withLock { $0.lastFailure = failure } }
}
