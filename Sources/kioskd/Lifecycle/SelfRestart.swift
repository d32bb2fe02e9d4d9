import Glibc
import KioskAsyncPrimitives
import KioskDurableFiles
import KioskServiceManager
import Logging

/// Restarts the process in place (execve(2)): same process id, program and arguments, without the service manager. The
/// daemon does so to recover a queue whose damage it has met.
struct SelfRestart {
    /// The number of recent restarts, and the time of the last one in seconds since 1970.
    private var count = 0
    private var last = 0

    private static let variable = "KIOSKD_RESTARTS"
    /// Seconds. A run that lasts this long ends the count.
    private static let soundRun = 600
    private static let maximumPause = 60

    init(environment: (String) -> String?) {
        guard let numbers = environment(Self.variable)?.split(separator: " ").compactMap({ Int($0) }),
            numbers.count == 2
        else { return }
        (count, last) = (max(0, numbers[0]), numbers[1])
    }

    private var isRecent: Bool { time(nil) - last < Self.soundRun }

    /// The time to wait before the next restart, so that a disk that damages each new queue causes no busy loop. The
    /// first has none.
    var pause: Duration {
        guard count > 0, isRecent else { return .zero }
        return .seconds(min(1 << min(count - 1, 10), Self.maximumPause))
    }

    /// How a restart came to nothing.
    enum Failure: Hashable {
        /// Somebody asked the process to end meanwhile.
        case stopped
        case refused(reason: String)
    }

    /// Restarts; returns only where that does not happen. The service manager's sockets stay open.
    func perform(unless stop: StopSignals, keeping sockets: [InheritedSocket]) -> Failure {
        // From here on a signal ends the process by itself; one that came before may still be on its way to its
        // handler.
        for number in StopSignals.numbers { signal(number, SIG_DFL) }
        usleep(200_000)
        if stop.hasCome { return .stopped }
        setenv(Self.variable, "\(isRecent ? count + 1 : 1) \(time(nil))", 1)
        // Nothing else may stay open, above all no lock.
        for name in (try? Folder.names(in: "/proc/self/fd")) ?? [] {
            if let descriptor = CInt(name), descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
        // Their count and the process id are in the environment still.
        for socket in sockets { socket.surviveExec() }
        // Signals that this thread blocks would stay blocked in the new program. SIGHUP is ignored until the new
        // program handles it: a reload is then lost, but does not end the process.
        signal(SIGHUP, SIG_IGN)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
        return .refused(reason: errorText(errno))
    }
}
