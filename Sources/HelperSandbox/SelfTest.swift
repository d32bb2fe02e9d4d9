import CKioskSandbox
import Glibc
import KioskHelperMessages

/// `--self-test` of a helper: gives up its rights as before its work, tries each forbidden act, and prints the results.
package struct SelfTest {
    private let sandbox: Sandbox
    private let work: String

    /// `work` is what the program may still do, as the rest of a sentence: "draw".
    package init(_ sandbox: Sandbox, work: String) {
        self.sandbox = sandbox
        self.work = work
    }

    /// Returns the exit status: 0 where everything was denied. `load` is what the program does before its sandbox
    /// begins, `prepare` what it does before the sandbox closes.
    package func run(load: () throws -> Void = {}, prepare: () throws -> Void) throws -> Int32 {
        let status = csandbox_go_on_as_child()
        guard status < 0 else { return status }
        let distinguishesSignals = checkSignalOrigin()
        try load()
        try sandbox.begin(as: nil)
        try prepare()
        try sandbox.close()
        var isTight = distinguishesSignals
        for (name, act) in Self.attempts {
            let failure = act()
            if failure == 0 || !Self.denials.contains(failure) { isTight = false }
            printLine("\(name): \(Self.words(failure))")
        }
        printLine(
            isTight
                ? "\(sandbox.program) may do nothing but \(work)"
                : "\(sandbox.program) may do MORE than it should; check its installation, and the kernel's seccomp and Landlock"
        )
        return isTight ? 0 : 1
    }

    private static func words(_ failure: Int32) -> String {
        if failure == 0 { return "POSSIBLE" }
        return denials.contains(failure) ? "denied" : "not denied (\(String(cString: strerror(failure))))"
    }

    /// The error numbers of the filter, the limits and Landlock. (The filter fails clone3(2) as a kernel without it
    /// does.)
    private static let denials: Set<Int32> = [EPERM, EACCES, ENOMEM, ENOSYS]

    private static let attempts: [(String, @Sendable () -> Int32)] = [
        ("send the parent a signal (kill)", csandbox_try_kill), ("kill itself by kill", csandbox_try_kill_own),
        ("send the parent a signal (tkill)", csandbox_try_tkill),
        ("send the parent a signal (tgkill)", csandbox_try_tgkill),
        ("send the parent a signal (rt_sigqueueinfo)", csandbox_try_sigqueue),
        ("send a signal (pidfd_send_signal)", csandbox_try_pidfd_signal),
        ("hold another process (pidfd_open)", csandbox_try_pidfd_open),
        ("have signals sent (F_SETOWN)", csandbox_try_owner),
        ("have signals sent (F_SETFL)", csandbox_try_asynchronous),
        ("control a descriptor (ioctl)", csandbox_try_ioctl),
        ("start a process (fork)", csandbox_try_fork), ("start a process (clone)", csandbox_try_clone),
        ("start a process (clone3)", csandbox_try_clone3), ("start a thread", csandbox_try_thread),
        ("have processes or threads (RLIMIT_NPROC)", csandbox_may_make_processes),
        ("start a program (execve)", csandbox_try_program),
        ("trace a process (ptrace)", csandbox_try_trace), ("read a process's memory", csandbox_try_read_process),
        ("write a process's memory", csandbox_try_write_process),
        ("share memory that is written", csandbox_try_shared_memory),
        ("share memory that is read", csandbox_try_shared_reading),
        ("make memory a program", csandbox_try_program_memory),
        ("make a file of memory (memfd_create)", csandbox_try_memory_file),
        ("make a shared segment (shmget)", csandbox_try_shared_segment),
        ("take a gigabyte", csandbox_try_gigabyte), ("write to a file", csandbox_try_write_file),
        ("make a file grow (RLIMIT_FSIZE)", csandbox_may_write_files),
        ("read a file besides the fonts", csandbox_try_read_file), ("remove a file", csandbox_try_unlink),
        ("open a socket", csandbox_try_socket), ("send a descriptor (sendmsg)", csandbox_try_send_descriptor),
        ("receive a descriptor from elsewhere (recvmsg)", csandbox_try_receive_descriptor),
        ("show its memory (PR_SET_DUMPABLE)", csandbox_try_dumpable), ("set a limit", csandbox_try_raise_limit),
    ]

    /// Checks that a crash ends a process by its signal, and the same signal from another process by an exit status.
    private func checkSignalOrigin() -> Bool {
        let own = csandbox_end_of_child(1, HelperExitStatus.killedByOtherProcess) & 0x7F == SIGSEGV
        let others =
            csandbox_end_of_child(0, HelperExitStatus.killedByOtherProcess) == HelperExitStatus.killedByOtherProcess
            << 8
        printLine("a crash of its own: \(own ? "reported by its signal" : "NOT reported by its signal")")
        printLine(
            "a signal from another process: \(others ? "distinguished from a crash" : "NOT distinguished from a crash")"
        )
        return own && others
    }

    private func printLine(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(1, bytes, bytes.count)
    }
}
