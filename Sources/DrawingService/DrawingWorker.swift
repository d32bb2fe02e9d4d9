import DrawingMessages
import Glibc
import Synchronization

/// The state of drawing, with a sentence (without a full stop) about what is wrong.
package enum DrawingCondition: Hashable, Sendable {
    case well
    /// The program is slow, or ended lately and has not drawn since.
    case slow(String)
    /// The program does not start: nothing can be drawn.
    case cannotStart(String)
}

/// A thread of its own that hands one request after the other to the program and waits for its replies. The program is
/// started on it, since Linux ends it with the thread that started it (PR_SET_PDEATHSIG).
final class DrawingWorker: Sendable {
    private let program: String
    private let settings: DrawingSettings
    private let queue: RequestQueue
    private let bell = WakeBell()
    private let thread = Mutex(ThreadState())
    private let activity = Mutex(Activity())

    private struct ThreadState {
        var isRunning = false
        /// The program's, as long as it is certainly its own.
        var processID: pid_t?
        var ending: [CheckedContinuation<Void, Never>] = []
    }

    private struct Activity {
        /// The time when the current drawing or start began.
        var since: ContinuousClock.Instant?
        /// The last failure, until something succeeds.
        var trouble: DrawingError?
    }

    init(program: String, settings: DrawingSettings) {
        self.program = program
        self.settings = settings
        queue = RequestQueue(settings: settings)
    }

    func ask(_ request: DrawingRequest, for purpose: DrawingPurpose) async throws(DrawingError) -> DrawingReply {
        let frame = MessageFrame.bytes(request)
        guard frame.count <= DrawingLimits.message else {
            throw DrawingError(.tooLarge, "what is to be drawn is too large")
        }
        let ticket = queue.ticket()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.add(frame, for: purpose, ticket: ticket, continuation, start: start)
                bell.ring()
                // A cancellation before this found nothing to cancel.
                if Task.isCancelled { queue.cancel(ticket) }
            }
        } onCancel: {
            queue.cancel(ticket)
        }
        let reply = try result.get()
        if case .refused(let refusal) = reply { throw DrawingError(refusal) }
        return reply
    }

    var condition: DrawingCondition {
        let (since, trouble) = activity.withLock { ($0.since, $0.trouble) }
        if let trouble { return trouble.code == .cannotStart ? .cannotStart(trouble.message) : .slow(trouble.message) }
        guard let since, ContinuousClock.now - since > settings.slow else { return .well }
        return .slow(
            "a drawing takes \((ContinuousClock.now - since).components.seconds) s already; see what uses up the machine's processors"
        )
    }

    var requests: (waiting: Int, isAtWork: Bool) { (queue.waitingCount, activity.withLock { $0.since != nil }) }

    /// Starts the thread, the first time.
    private func start() -> DrawingError? {
        thread.withLock { thread in
            if thread.isRunning { return nil }
            thread.isRunning = WorkerThread.start(run)
            return thread.isRunning ? nil : DrawingError(.cannotStart, "the system has no thread left to draw with")
        }
    }

    func shutDown() {
        queue.close()
        thread.withLock { thread in
            if let processID = thread.processID { _ = kill(processID, SIGKILL) }
        }
        bell.ring()
    }

    /// Returns once the thread, and with it the program, is gone.
    func end() async {
        await withCheckedContinuation { continuation in
            let isOver = thread.withLock { thread in
                if thread.isRunning { thread.ending.append(continuation) }
                return !thread.isRunning
            }
            if isOver { continuation.resume() }
        }
    }

    // MARK: On the thread

    @Sendable private func run() {
        var helper: HelperProcess?
        var startPause = settings.firstStartPause
        while !queue.isClosed {
            if let (frame, purpose) = queue.next() {
                queue.finish(answer(frame, for: purpose, &helper))
                if helper != nil { startPause = settings.firstStartPause }
            } else if helper != nil {
                // It was idle for long, or ended.
                if bell.wait(beside: helper?.socket, for: settings.idleTime) != .rang { stop(&helper) }
            } else if !mayWork {
                // Nobody asks, and the health check is to know when it starts again.
                guard bell.wait(beside: nil, for: startPause) == .timedOut else { continue }
                startPause = min(startPause * 2, settings.longestStartPause)
                _ = begin(&helper)
            } else {
                _ = bell.wait(beside: nil, for: nil)
            }
        }
        stop(&helper)
        let ending = thread.withLock { thread in
            thread.isRunning = false
            defer { thread.ending = [] }
            return thread.ending
        }
        for continuation in ending { continuation.resume() }
    }

    /// Whether nothing is known to be wrong.
    private var mayWork: Bool { activity.withLock { $0.trouble == nil } }

    /// Asks the program, and a new one once more where that did not answer or could not draw: only what happens twice
    /// is the drawing's own fault.
    private func answer(
        _ frame: [UInt8], for purpose: DrawingPurpose, _ helper: inout HelperProcess?
    ) -> Result<DrawingReply, DrawingError> {
        if let idle = helper, idle.hasEnded { stop(&helper) }
        let first = attempt(frame, for: purpose, &helper)
        guard first.isWorthRetry, !queue.isClosed, queue.isCurrentWanted else { return first.result }
        let second = attempt(frame, for: purpose, &helper).result
        if case .failure(let end) = second, end.code == .crashed {
            // Once over this document: the first time somebody else ended it.
            if case .failure(let beginning) = first.result, beginning.code == .crashed { return second }
            return .failure(DrawingError(.interrupted, end.message))
        }
        return second
    }

    private struct Attempt {
        var result: Result<DrawingReply, DrawingError>
        var isWorthRetry = false
    }

    private func attempt(_ frame: [UInt8], for purpose: DrawingPurpose, _ helper: inout HelperProcess?) -> Attempt {
        let wasRunning = helper != nil
        if !wasRunning, let failure = begin(&helper) { return Attempt(result: .failure(failure)) }
        guard let running = helper else {
            return Attempt(result: .failure(DrawingError(.cannotStart, "the drawing program did not start")))
        }
        let processorTime = purpose == .printing ? settings.processorTime : settings.previewProcessorTime
        busy(true)
        defer { busy(false) }
        do throws(HelperProcess.Trouble) {
            let reply = try running.exchange(frame, within: limits(processorTime))
            note(nil)
            // One that has drawn for long may have no memory left.
            guard case .refused(let refusal) = reply, refusal.code == .drawing, wasRunning else {
                return Attempt(result: .success(reply))
            }
            stop(&helper)
            return Attempt(result: .success(reply), isWorthRetry: true)
        } catch {
            let failure = Self.error(error, stop(&helper), processorTime)
            // A fault of the drawing itself says nothing about the state of drawing.
            note(failure.code.isPassing ? failure : nil)
            return Attempt(result: .failure(failure), isWorthRetry: failure.code != .processorTime)
        }
    }

    /// The error that the caller gets.
    private static func error(
        _ trouble: HelperProcess.Trouble, _ end: HelperProcess.End?, _ processorTime: Duration
    ) -> DrawingError {
        switch trouble {
        case .processorTime:
            DrawingError(
                .processorTime,
                "it was not drawn within \(processorTime.components.seconds) s of processor time; make it smaller or simpler"
            )
        case .standstill(let time):
            DrawingError(
                .interrupted,
                "the drawing program got nothing done for \(time.components.seconds) s and was ended; see what stops it or uses up the machine"
            )
        case .nonsense(let error):
            DrawingError(
                .interrupted,
                "the drawing program gave no proper answer (\(error)); see that it is of the same version as kioskd")
        case .ended:
            if end?.isFault == true {
                DrawingError(
                    .crashed,
                    "the drawing program \(end?.words ?? "crashed") over it; the picture or text may be damaged, or need too much memory"
                )
            } else {
                DrawingError(
                    .interrupted,
                    "the drawing program \(end?.words ?? "ended"); see what ended it, or whether memory is short")
            }
        }
    }

    // MARK: The program

    private func limits(_ processorTime: Duration) -> ExchangeLimits {
        ExchangeLimits(processorTime: processorTime, standstill: settings.standstill, longest: settings.longest)
    }

    /// Starts the program and waits until it is ready; returns the error if it does not become so.
    private func begin(_ helper: inout HelperProcess?) -> DrawingError? {
        busy(true)
        defer { busy(false) }
        let failure = spawn(&helper) ?? refusal(of: &helper)
        note(failure)
        return failure
    }

    private func spawn(_ helper: inout HelperProcess?) -> DrawingError? {
        do throws(DrawingError) {
            let started = try HelperProcess(program, as: settings.user)
            thread.withLock { $0.processID = started.processID }
            // Closed in between: the kill found nobody.
            if queue.isClosed { started.kill() }
            helper = started
            return nil
        } catch {
            return error
        }
    }

    /// Waits until the program is ready; returns the reason if it refuses to start, else nil.
    private func refusal(of helper: inout HelperProcess?) -> DrawingError? {
        guard let started = helper else { return nil }
        let reason: String
        do throws(HelperProcess.Trouble) {
            switch try started.greeting(within: limits(settings.startProcessorTime)) {
            case .ready: return nil
            case .refused(let refusal): reason = "\(refusal)"
            case .dots, .file:
                reason = "it says what no drawing program says; see that it is of the same version as kioskd"
            }
            stop(&helper)
        } catch {
            let end = stop(&helper)
            reason =
                switch error {
                case .processorTime:
                    "it took more than \(settings.startProcessorTime.components.seconds) s of processor time; see how many fonts are installed"
                case .standstill(let time):
                    "it got nothing done for \(time.components.seconds) s; see what stops it or uses up the machine"
                case .nonsense(let error):
                    "it gave no proper answer (\(error)); see that it is of the same version as kioskd"
                case .ended: "it \(end?.words ?? "ended"); its own words are in the log"
                }
        }
        return DrawingError(.cannotStart, "\(program), which draws what the printer cannot, does not start: \(reason)")
    }

    @discardableResult
    private func stop(_ helper: inout HelperProcess?) -> HelperProcess.End? {
        guard let running = helper.take() else { return nil }
        // Whoever kills it by its id does so before this, while it is still its own.
        thread.withLock { $0.processID = nil }
        return running.end()
    }

    private func busy(_ isBusy: Bool) { activity.withLock { $0.since = isBusy ? .now : nil } }

    private func note(_ trouble: DrawingError?) { activity.withLock { $0.trouble = trouble } }
}
