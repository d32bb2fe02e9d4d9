import NIOCore

/// Runs the work for one printer on the event loop that serves its connections: asking and answering then take no
/// switch of threads, of which a receipt would otherwise cost a dozen.
///
/// Being isolated to this actor is not enough for that. A continuation goes on where its task prefers to run, and comes
/// back to the actor only then (swift_continuation_init takes the generic executor): so the task prefers this event
/// loop too. And `withTaskCancellationHandler` would take its operation for one that runs outside of the actor: so
/// callers of it take `isolation`, and its operation captures that.
actor EventLoopHome {
    nonisolated let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }
    private nonisolated let preference: Preference

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        preference = Preference(eventLoop: eventLoop)
    }

    nonisolated func run<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(preference) { try await runHere(work) }
    }

    private func runHere<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try await work()
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
