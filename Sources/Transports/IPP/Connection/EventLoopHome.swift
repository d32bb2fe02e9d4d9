import NIOCore

/// Runs the work for one printer on the event loop that serves its connections: asking and answering then take no
/// switch of threads, of which a receipt would otherwise cost a dozen.
///
/// The task prefers this event loop while it works. No actor is involved: a continuation goes on where its task
/// prefers to run, and would come back to an actor only then (swift_continuation_init takes the generic executor).
struct EventLoopHome: Sendable {
    let eventLoop: any EventLoop
    private let preference: Preference

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        preference = Preference(eventLoop: eventLoop)
    }

    func run<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(preference) { try await work() }
    }

    /// Whatever blocks must be called away from it: see `PrinterLink.read`.
    private final class Preference: TaskExecutor {
        private let eventLoop: any EventLoop

        init(eventLoop: any EventLoop) {
            self.eventLoop = eventLoop
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            eventLoop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
