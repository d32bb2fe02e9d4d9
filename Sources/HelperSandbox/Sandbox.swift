import CKioskSandbox
import Glibc
import KioskHelperMessages

/// The rights that a helper gives up before it reads any input. Standard input and output are all that it has then.
package struct Sandbox: Sendable {
    /// The program's name, for messages.
    package var program: String
    /// The folders whose files it may still read. All other files are inaccessible.
    package var readable: [String]
    /// The most private memory that it may take, in bytes (RLIMIT_DATA).
    package var dataLimit: UInt64
    /// The most addresses that it may use, in bytes (RLIMIT_AS).
    package var addressLimit: UInt64
    /// Whether it may receive descriptors over its standard input (recvmsg(2)).
    package var receivesDescriptors = false
    /// How readily the kernel ends it where memory is short, up to 1,000; nil as its parent (proc(5), oom_score_adj).
    package var outOfMemoryScore: Int?

    /// The folders of the fonts and their cache.
    package static let fontFolders = ["/usr/share/fonts", "/usr/local/share/fonts", "/var/cache/fontconfig"]

    /// Creates a sandbox.
    package init(program: String, readable: [String], dataLimit: UInt64, addressLimit: UInt64) {
        self.program = program
        self.readable = readable
        self.dataLimit = dataLimit
        self.addressLimit = addressLimit
    }

    /// Why a right could not be given up.
    package struct Failure: Error, CustomStringConvertible {
        /// A sentence without its full stop.
        package var description: String
    }

    /// The first part: before the fonts are opened, and before there is a second thread.
    package func begin(as user: (id: UInt32, group: UInt32)?) throws {
        csandbox_close_from_3()
        if let outOfMemoryScore { request("oom_score_adj", csandbox_out_of_memory_score(Int32(outOfMemoryScore))) }
        if let user { try require("setresuid \(user.id):\(user.group)", csandbox_become(user.id, user.group)) }
        try require("PR_SET_NO_NEW_PRIVS", csandbox_no_new_privileges())
        try require("PR_SET_PDEATHSIG", csandbox_die_with_parent())
        for limit in limits where !Self.isSanitized || !limit.isOfMemory {
            try require("setrlimit \(limit.name)", csandbox_limit(limit.resource, limit.value))
        }
        try require("PR_SET_DUMPABLE", csandbox_hide_memory())
        if !Self.isSanitized {
            try require("sigaction", csandbox_tell_kills_apart(HelperExitStatus.killedByOtherProcess))
        }
        request("Landlock", readable.withCStrings { csandbox_read_only($0) })
    }

    /// The second part: after the fonts were opened.
    package func close() throws {
        for limit in Self.lastLimits { try require("setrlimit \(limit.name)", csandbox_limit(limit.resource, 0)) }
        try require("seccomp", loadSystemCallFilter())
    }

    private var limits: [(name: String, resource: csandbox_resource, value: UInt64, isOfMemory: Bool)] {
        [
            ("RLIMIT_DATA", CSANDBOX_DATA, dataLimit, true), ("RLIMIT_AS", CSANDBOX_MEMORY, addressLimit, true),
            ("RLIMIT_CORE", CSANDBOX_CORE, 0, false), ("RLIMIT_NOFILE", CSANDBOX_FILES, 64, false),
        ]
    }

    /// The limits that are set once the fonts are open: no processes, threads or written files from then on.
    private static let lastLimits: [(name: String, resource: csandbox_resource)] = [
        ("RLIMIT_NPROC", CSANDBOX_PROCESSES), ("RLIMIT_FSIZE", CSANDBOX_FILE_SIZE),
    ]

    /// Built with AddressSanitizer or ThreadSanitizer, which reserve terabytes of addresses.
    private static let isSanitized = ["__asan_init", "__tsan_init"].contains { (symbol: String) in
        dlsym(nil, symbol) != nil
    }

    /// Throws where a measure failed.
    private func require(_ measure: String, _ failure: Int32) throws {
        guard failure == 0 else {
            throw Failure(
                description:
                    "\(measure) failed (\(String(cString: strerror(failure)))); \(program) does not work without it")
        }
    }

    /// Logs where a measure failed that an older kernel may lack.
    private func request(_ measure: String, _ failure: Int32) {
        guard failure != 0 else { return }
        HelperLog(program: program).write("continues without \(measure) (\(String(cString: strerror(failure))))")
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
    private func loadSystemCallFilter() -> Int32 {
        guard let filter = csandbox_filter() else { return ENOMEM }
        defer { seccomp_release(filter) }
        for name in Self.allowedSystemCalls {
            let failure = csandbox_allow(filter, name)
            guard failure == 0 else { return failure }
        }
        var failure = csandbox_allow_in_part(filter)
        if failure == 0, receivesDescriptors { failure = csandbox_allow_receiving(filter) }
        return failure == 0 ? csandbox_load(filter) : failure
    }
}
