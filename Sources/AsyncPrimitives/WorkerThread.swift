import CKioskThreads
import Glibc

/// A thread for blocking work, which must not run on the cooperative pool: that has only one thread per core.
package struct WorkerThread: @unchecked Sendable {
    // An identifier, not memory that this type owns.
    private let thread: pthread_t

    /// Starts the thread; nil where the system has no thread left. Its name, for people who look at the process, has
    /// 15 bytes at most. Each thread must be joined or detached.
    package init?(_ name: String, _ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                cthreads_name_thread(body.name)
                body.run()
                return nil
            }, box.toOpaque())
        guard failure == 0 else {
            box.release()
            return nil
        }
        self.thread = thread
    }

    /// Waits for the end of the thread; blocks.
    package func join() { pthread_join(thread, nil) }

    package func detach() { pthread_detach(thread) }

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Runs `body` on a new thread and returns its result, so that such calls never wait for each other. Nil where the
    /// system has no thread left.
    package static func run<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let thread = WorkerThread(name) { continuation.resume(returning: body()) }
            guard let thread else { return continuation.resume(returning: nil) }
            thread.detach()
        }
    }
}
