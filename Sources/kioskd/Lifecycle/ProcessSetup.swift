import Glibc

/// What holds for the whole process.
enum ProcessSetup {
    /// Enough for every connection, printer and document at once; what the kernel grants by default is not.
    private static let wantedDescriptors: rlim_t = 4096

    /// Returns how many descriptors there may be.
    static func apply() -> Int {
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
