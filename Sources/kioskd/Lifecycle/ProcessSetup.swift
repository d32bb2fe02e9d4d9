import CKioskLinux
import Glibc
import NIOCore
import ServiceLifecycle

/// Settings of the whole process: its threads and memory, which signals it ignores, and how many files it may open.
enum ProcessSetup {
    /// Enough for every connection, printer and document at once; the kernel's default is not.
    private static let wantedDescriptors: rlim_t = 4096

    /// Lets all threads share one heap. glibc would make one of its own for nearly every thread, and keep what was freed
    /// in each. Must come before the first other thread allocates, whose heap stays.
    static func shareHeap() { mallopt(M_ARENA_MAX, 1) }

    /// Returns how many descriptors there may be.
    static func apply() -> Int {
        // One event loop for callers and printers: a receipt then goes from one to the other without a switch of threads.
        NIOSingletons.groupLoopCountSuggestion = 1
        // A client or a log reader that goes away is an error of that write, not the end of the daemon.
        signal(SIGPIPE, SIG_IGN)
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < wantedDescriptors {
            limit.rlim_cur = min(wantedDescriptors, limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }
}

/// Gives memory back to the system that a rush of receipts needed: glibc keeps most of what was freed.
struct MemoryService: Service {
    private static let interval = Duration.seconds(30)
    /// The processor time that tells work from idling, in seconds. An idle daemon takes less than a hundredth of this.
    private static let worthwhile = 0.2

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var seen = Self.processorTime
            while (try? await Task.sleep(for: Self.interval)) != nil {
                let now = Self.processorTime
                if now - seen > Self.worthwhile { malloc_trim(0) }
                seen = now
            }
        }
    }

    private static var processorTime: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
