import Glibc
import KioskAsyncPrimitives
package import KioskHelperMessages

/// A running helper, such as `kiosk-draw`, and the socket to it. Used only on the thread that starts it, which must
/// live as long (Linux ends a child with the thread that started it, PR_SET_PDEATHSIG) and call `end()`: there is no
/// `deinit`.
package final class HelperProcess {
    /// Its process id, until `end()`.
    package let processID: Int32
    /// The service's end of a socket pair. The other end is the program's standard input and output.
    package let socket: Int32

    /// The user that a helper runs as, for which its parent must be root.
    package struct User: Hashable, Sendable {
        /// The user id, not 0.
        package var id: UInt32
        /// The group id, not 0.
        package var group: UInt32

        /// Creates a user.
        package init(id: UInt32, group: UInt32) { (self.id, self.group) = (id, group) }
    }

    /// How the program ended.
    package enum End: Equatable, Sendable {
        /// It ended itself with this status.
        case exited(Int32)
        /// A signal ended it.
        case signalled(Int32)
    }

    /// Why the program could not be started: the rest of a sentence whose subject is the program.
    package struct StartFailure: Error, CustomStringConvertible {
        /// An errno value.
        package var code: Int32

        /// "cannot be started", why, and what to do.
        package var description: String {
            let next =
                [ENOENT, EACCES, ENOTDIR, ENOEXEC].contains(code)
                ? "install it beside kioskd" : "see what overloads the machine"
            return "cannot be started (\(String(cString: strerror(code)))); \(next)"
        }
    }

    /// The reason why there is no response.
    package enum Failure: Error {
        /// The program exceeded its CPU time.
        case cpuTime
        /// The program used no CPU time for this long.
        case stalled(Duration)
        /// The program kept working, but exceeded the time for the whole exchange.
        case timedOut(Duration)
        /// The program closed its end of the socket.
        case ended
        /// The program sent something that is not a valid response.
        case invalidResponse(HelperMessageError)
    }

    /// Starts a program of this path.
    package init(_ program: String, as user: User?) throws(StartFailure) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw StartFailure(code: errno)
        }
        defer { close(pair[1]) }
        do throws(StartFailure) {
            processID = try Self.spawn(program, as: user, pair[1])
        } catch {
            close(pair[0])
            throw error
        }
        socket = pair[0]
    }

    /// Starts the program with default signals. Its environment only keeps Swift from starting a debugger of its own.
    private static func spawn(
        _ program: String, as user: User?, _ socket: Int32
    ) throws(StartFailure) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, socket, 0)
        posix_spawn_file_actions_adddup2(&actions, socket, 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // A Ctrl-C in the daemon's terminal is for the daemon alone.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        // The program changes to that user itself, before it reads anything.
        let commandLine = [program] + (user.map { ["--user", "\($0.id):\($0.group)"] } ?? [])
        var arguments: [UnsafeMutablePointer<CChar>?] = commandLine.map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [
            strdup("SWIFT_BACKTRACE=enable=no"), strdup("LC_ALL=C.UTF-8"), nil,
        ]
        defer { (arguments + environment).forEach { free($0) } }
        var child: Int32 = 0
        let code = posix_spawn(&child, program, &actions, &attributes, &arguments, &environment)
        guard code == 0 else { throw StartFailure(code: code) }
        return child
    }

    /// Whether the program has ended. While there is no request, its socket becomes readable only by its end.
    package var hasEnded: Bool {
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) != 0
    }

    /// The CPU time of all its threads until now (clock_getcpuclockid(3)).
    package var cpuTime: Duration? {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(processID, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Ends the program at once. Its end is still to be waited for.
    package func kill() { _ = Glibc.kill(processID, SIGKILL) }

    /// Kills the program, waits for its end, and closes the socket.
    package func end() -> End? {
        close(socket)
        kill()
        var status: Int32 = 0
        while waitpid(processID, &status, 0) == -1 {
            // ECHILD: other code waits for all children of this process.
            guard errno == EINTR else { return nil }
        }
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }
}

extension HelperProcess.End: CustomStringConvertible {
    /// The signals of a crash. A helper ends with an exit status instead when another process sent the signal.
    private static let faults: Set<Int32> = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS]

    /// Whether the program crashed by a fault of its own.
    package var isFault: Bool {
        switch self {
        case .signalled(let signal): Self.faults.contains(signal)
        case .exited: false
        }
    }

    /// The rest of a sentence whose subject is the program.
    package var description: String {
        switch self {
        case .exited(let status) where status == HelperExitStatus.killedByOtherProcess: "was killed by another program"
        case .exited(let status): "ended (status \(status))"
        case .signalled(let signal) where isFault: "crashed (signal \(signal))"
        case .signalled(let signal): "was killed (signal \(signal))"
        }
    }
}

extension HelperProcess {
    /// The path of a program in the folder of the running binary, where helpers are installed. Only its name where the
    /// kernel does not report that folder.
    package static func siblingProgram(_ name: String) -> String {
        // PATH_MAX bytes are the most that the kernel gives (path_resolution(7)).
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
        guard count > 0 else { return name }
        let program = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return program.prefix(through: program.lastIndex(of: "/") ?? program.startIndex) + name
    }
}
