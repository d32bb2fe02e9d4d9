import DrawingMessages
import Glibc

/// The running program. One thread uses it and ends it.
final class HelperProcess {
    let processID: pid_t
    /// Ours of two ends; the program's is its standard input and output.
    let socket: Int32

    /// How it ended.
    enum End: Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    init(_ program: String, as user: DrawingSettings.User?) throws(DrawingError) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw Self.failure(program, errno)
        }
        defer { close(pair[1]) }
        do throws(DrawingError) {
            processID = try Self.spawn(program, as: user, pair[1])
        } catch {
            close(pair[0])
            throw error
        }
        socket = pair[0]
    }

    private static func failure(_ program: String, _ code: Int32) -> DrawingError {
        let next =
            [ENOENT, EACCES, ENOTDIR, ENOEXEC].contains(code)
            ? "install it beside kioskd" : "see what uses up the machine"
        return DrawingError(
            .cannotStart,
            "\(program), which draws what the printer cannot, cannot be started (\(String(cString: strerror(code)))); \(next)"
        )
    }

    /// With default signals and no environment but what keeps Swift from starting a debugger of its own.
    private static func spawn(
        _ program: String, as user: DrawingSettings.User?, _ socket: Int32
    ) throws(DrawingError) -> pid_t {
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
        // A Ctrl-C in the daemon's terminal is the daemon's.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        // It becomes that user itself, before it reads anything.
        let words = [program] + (user.map { ["--user", "\($0.id):\($0.group)"] } ?? [])
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [
            strdup("SWIFT_BACKTRACE=enable=no"), strdup("LC_ALL=C.UTF-8"), nil,
        ]
        defer { (arguments + environment).forEach { free($0) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, program, &actions, &attributes, &arguments, &environment)
        guard code == 0 else { throw failure(program, code) }
        return child
    }

    /// It never ends by itself as long as it works.
    var hasEnded: Bool {
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) != 0
    }

    /// The processor time of all its threads until now (clock_getcpuclockid(3)).
    var processorTime: Duration? {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(processID, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    func kill() { _ = Glibc.kill(processID, SIGKILL) }

    /// Kills it, waits for its end, which is at once then, and gives everything back.
    func end() -> End? {
        close(socket)
        kill()
        var status: Int32 = 0
        while waitpid(processID, &status, 0) == -1 {
            // ECHILD: somebody else waits for all children of this process.
            guard errno == EINTR else { return nil }
        }
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }
}
