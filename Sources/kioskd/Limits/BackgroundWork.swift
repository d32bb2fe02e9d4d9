import Glibc
import NIOPosix

/// A thread of low priority for long computations, such as decoding a large body, one after the other. Neither the
/// event loops nor the threads that print wait for them.
enum BackgroundWork {
    /// The thread's nice(2) value.
    private static let niceness: CInt = 10

    private static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        // On Linux the priority is the calling thread's own. It stays as it is where the service manager denies the
        // call, as the shipped unit does.
        pool.submit { _ in setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
        return pool
    }()

    /// Runs work on the thread. Work whose task is cancelled before its turn is not begun.
    static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await pool.runIfActive(work)
    }
}
