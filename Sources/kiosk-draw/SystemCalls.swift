import CSandbox
import Glibc

/// The system calls that are left once the fonts are open. All others fail with EPERM: among them whatever opens a
/// socket, starts a program or process or thread, writes to a file by its name, sends a signal to anybody else, looks
/// into another process, or shares memory that is written.
enum SystemCalls {
    private static let allowed = [
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
    static func filter() -> Int32 {
        guard let filter = csandbox_filter() else { return ENOMEM }
        defer { seccomp_release(filter) }
        for name in allowed {
            let failure = csandbox_allow(filter, name)
            guard failure == 0 else { return failure }
        }
        let failure = csandbox_allow_in_part(filter)
        return failure == 0 ? csandbox_load(filter) : failure
    }
}
