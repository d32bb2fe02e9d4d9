package import NIOCore

/// Runs tasks on an event loop: what waits for requests or responses then goes on where they arrive, without a switch
/// of threads. Whatever blocks or computes long must run elsewhere.
///
/// A task prefers this executor while it works, and enters a free actor in place. An actor with an executor of its own
/// would take two turns of the loop instead: a continuation resumes where its task prefers to run, and goes to the
/// actor only after that (swift_continuation_init takes the generic executor).
package final class EventLoopTaskExecutor: TaskExecutor {
    package let eventLoop: any EventLoop

    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
