import CKioskSandbox
import Glibc
import KioskDrawingMessages

/// The rights that this program gives up before it reads any input.
enum Sandbox {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The first part: before the fonts are opened, and before there is a second thread.
    static func begin(as user: (id: UInt32, group: UInt32)?) throws {
        csandbox_close_from_3()
        if let user { try require("setresuid \(user.id):\(user.group)", csandbox_become(user.id, user.group)) }
        try require("PR_SET_NO_NEW_PRIVS", csandbox_no_new_privileges())
        try require("PR_SET_PDEATHSIG", csandbox_die_with_parent())
        for limit in limits where !isSanitized || !limit.isOfMemory {
            try require("setrlimit \(limit.name)", csandbox_limit(limit.resource, limit.value))
        }
        try require("PR_SET_DUMPABLE", csandbox_hide_memory())
        if !isSanitized { try require("sigaction", csandbox_tell_kills_apart(DrawingExitStatus.killedByOtherProcess)) }
        request("Landlock", readable.withCStrings { csandbox_read_only($0) })
    }

    /// The second part: after the fonts were opened.
    static func close() throws {
        for limit in lastLimits { try require("setrlimit \(limit.name)", csandbox_limit(limit.resource, 0)) }
        try require("seccomp", loadSystemCallFilter())
    }

    /// The folders of the fonts and their cache. All other files are inaccessible.
    private static let readable = ["/usr/share/fonts", "/usr/local/share/fonts", "/var/cache/fontconfig"]

    private static let limits: [(name: String, resource: csandbox_resource, value: UInt64, isOfMemory: Bool)] = [
        // The largest picture takes 64 MB, and its dots half as much; fonts are mapped, some 150 MB of them.
        ("RLIMIT_DATA", CSANDBOX_DATA, 384 << 20, true),
        ("RLIMIT_AS", CSANDBOX_MEMORY, 1 << 30, true),
        ("RLIMIT_CORE", CSANDBOX_CORE, 0, false),
        ("RLIMIT_NOFILE", CSANDBOX_FILES, 64, false),
    ]

    /// The limits that are set once the fonts are open: no processes, threads or written files from then on.
    private static let lastLimits: [(name: String, resource: csandbox_resource)] = [
        ("RLIMIT_NPROC", CSANDBOX_PROCESSES), ("RLIMIT_FSIZE", CSANDBOX_FILE_SIZE),
    ]

    /// Built with AddressSanitizer or ThreadSanitizer, which reserve terabytes of addresses.
    private static let isSanitized = ["__asan_init", "__tsan_init"].contains { (symbol: String) in
        dlsym(nil, symbol) != nil
    }

    /// Throws where a measure failed.
    private static func require(_ measure: String, _ failure: Int32) throws {
        guard failure == 0 else {
            throw Failure(
                description:
                    "\(measure) failed (\(String(cString: strerror(failure)))); kiosk-draw does not draw without it")
        }
    }

    /// Logs where a measure failed that an older kernel may lack.
    private static func request(_ measure: String, _ failure: Int32) {
        if failure != 0 { ErrorLog.write("continues without \(measure) (\(String(cString: strerror(failure))))") }
    }
}

extension [String] {
    /// Calls the function with a null-terminated array of C strings.
    fileprivate func withCStrings<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
        let copies = map { strdup($0) }
        defer { copies.forEach { free($0) } }
        let strings = copies.map { UnsafePointer<CChar>($0) } + [nil]
        return strings.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

// MARK: - System calls

extension Sandbox {
    /// The system calls that remain after the fonts were opened. All others fail with EPERM: among them those that open
    /// a socket, start a program, process or thread, write to a file by its name, send a signal to another process,
    /// inspect another process, or share writable memory.
    private static let allowedSystemCalls = [
        "access", "brk", "clock_getres", "clock_gettime", "clock_nanosleep", "close", "exit", "exit_group", "faccessat",
        "faccessat2",
        "fadvise64", "fstat", "fstatfs", "futex", "getcwd", "getdents64", "getegid", "geteuid", "getgid", "getpid",
        "getrandom",
        "getrusage", "gettid", "gettimeofday", "getuid", "lseek", "lstat", "madvise", "membarrier", "mremap", "munmap",
        "nanosleep", "newfstatat",
        "poll", "pread64", "read", "readlink", "readlinkat", "readv", "restart_syscall", "rseq", "rt_sigaction",
        "rt_sigprocmask", "rt_sigreturn",
        "sched_getaffinity", "sched_yield", "set_robust_list", "sigaltstack", "stat", "statfs", "statx", "sysinfo",
        "uname", "write",
        "writev",
    ]

    /// Returns 0 or an errno value.
    private static func loadSystemCallFilter() -> Int32 {
        guard let filter = csandbox_filter() else { return ENOMEM }
        defer { seccomp_release(filter) }
        for name in allowedSystemCalls {
            let failure = csandbox_allow(filter, name)
            guard failure == 0 else { return failure }
        }
        let failure = csandbox_allow_in_part(filter)
        return failure == 0 ? csandbox_load(filter) : failure
    }
}
