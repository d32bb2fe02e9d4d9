import DrawingMessages
import Glibc
import Synchronization

/// A thread of its own that hands one request after the other to the program and waits for its replies. The program is started on it, since Linux
/// ends it with the thread that started it (PR_SET_PDEATHSIG).
final class DrawingWorker: Sendable {
    private let program: String
    private let settings: DrawingSettings
    private let queue: RequestQueue
    private let bell = WakeBell()
    private let thread = Mutex(ThreadState())

    private struct ThreadState {
        var isRunning = false
        /// The program's, as long as it is certainly its own.
        var processID: pid_t?
        var ending: [CheckedContinuation<Void, Never>] = []
    }

    init(program: String, settings: DrawingSettings) {
        self.program = program
        self.settings = settings
        queue = RequestQueue(settings: settings)
    }

    func ask(_ request: DrawingRequest) async throws(DrawingError) -> DrawingReply {
        let frame = MessageFrame.bytes(request)
        guard frame.count <= DrawingLimits.message else { throw DrawingError(.tooLarge, "what is to be drawn is too large") }
        let ticket = queue.ticket()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.add(frame, ticket: ticket, continuation, start: start)
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
        while !queue.isClosed {
            if let frame = queue.next() {
                queue.finish(answer(frame, &helper))
            } else if bell.wait(beside: helper?.socket, for: helper == nil ? nil : settings.idleTime) != .rang {
                // It was idle for long, or ended.
                stop(&helper)
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

    /// One that was killed, not over this request perhaps but since memory was short, is asked once more.
    private func answer(_ frame: [UInt8], _ helper: inout HelperProcess?) -> Result<DrawingReply, DrawingError> {
        if let idle = helper, idle.hasEnded { stop(&helper) }
        var wasKilled = false
        let result = attempt(frame, &helper, wasKilled: &wasKilled)
        return wasKilled && !queue.isClosed ? attempt(frame, &helper, wasKilled: &wasKilled) : result
    }

    private func attempt(_ frame: [UInt8], _ helper: inout HelperProcess?, wasKilled: inout Bool) -> Result<DrawingReply, DrawingError> {
        var deadline = ContinuousClock.now + settings.deadline
        if helper == nil {
            deadline += settings.startDeadline
            do throws(DrawingError) { helper = try start(program) } catch { return .failure(error) }
        }
        guard let running = helper else { return .failure(DrawingError(.cannotStart, "the drawing program did not start")) }
        do throws(HelperProcess.Trouble) {
            return .success(try running.exchange(frame, until: deadline))
        } catch {
            let end = stop(&helper)
            if case .ended = error, end == .signalled(SIGKILL) { wasKilled = true }
            return .failure(error.error(end, settings))
        }
    }

    private func start(_ program: String) throws(DrawingError) -> HelperProcess {
        let helper = try HelperProcess(program)
        thread.withLock { $0.processID = helper.processID }
        // Closed in between: the kill found nobody.
        if queue.isClosed { helper.kill() }
        return helper
    }

    @discardableResult
    private func stop(_ helper: inout HelperProcess?) -> HelperProcess.End? {
        guard let running = helper.take() else { return nil }
        // Whoever kills it by its id does so before this, while it is still its own.
        thread.withLock { $0.processID = nil }
        return running.end()
    }
}
