import CSandbox
import DrawingMessages
import Glibc

/// What this program gives up before it reads anything from outside.
enum Sandbox {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Before the fonts are opened, and before there is a second thread.
    static func begin(as user: (id: UInt32, group: UInt32)?) throws {
        csandbox_close_from_3()
        if let user { try essential("setresuid \(user.id):\(user.group)", csandbox_become(user.id, user.group)) }
        try essential("PR_SET_NO_NEW_PRIVS", csandbox_no_new_privileges())
        try essential("PR_SET_PDEATHSIG", csandbox_die_with_parent())
        for limit in limits where !isSanitized || !limit.isOfMemory {
            try essential("setrlimit \(limit.name)", csandbox_limit(limit.resource, limit.value))
        }
        try essential("PR_SET_DUMPABLE", csandbox_hide_memory())
        if !isSanitized { try essential("sigaction", csandbox_tell_kills_apart(HelperExit.killedByOthers)) }
        wanted("Landlock", readable.withCStrings { csandbox_read_only($0) })
    }

    /// Once the fonts are open.
    static func close() throws {
        for limit in lastLimits { try essential("setrlimit \(limit.name)", csandbox_limit(limit.resource, 0)) }
        try essential("seccomp", SystemCalls.filter())
    }

    /// What the fonts and their cache are read from. Everything else is out of sight.
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

    private static func essential(_ measure: String, _ failure: Int32) throws {
        guard failure == 0 else {
            throw Failure(
                description: "\(measure) failed (\(String(cString: strerror(failure)))); nothing is drawn without it")
        }
    }

    /// An older kernel may lack it.
    private static func wanted(_ measure: String, _ failure: Int32) {
        if failure != 0 { Complaint.write("goes on without \(measure) (\(String(cString: strerror(failure))))") }
    }
}

extension [String] {
    /// As C's own strings, with a null pointer at the end.
    fileprivate func withCStrings<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
        let copies = map { strdup($0) }
        defer { copies.forEach { free($0) } }
        let strings = copies.map { UnsafePointer<CChar>($0) } + [nil]
        return strings.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
