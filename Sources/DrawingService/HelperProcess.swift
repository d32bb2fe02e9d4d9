import Glibc
import KioskAsyncPrimitives
import KioskDrawingMessages

/// A running `kiosk-draw` process and the socket to it. Used on `DrawingWorker`'s thread only, which must call `end()`:
/// there is no `deinit`.
final class HelperProcess {
    let processID: pid_t
    /// The service's end of a socket pair. The other end is the program's standard input and output.
    let socket: Int32

    /// How the program ended.
    enum End: Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// The reason why there is no response.
    enum Failure: Error {
        /// The program exceeded its CPU time.
        case cpuTime
        /// The program used no CPU time for this long.
        case stalled(Duration)
        /// The program kept working, but exceeded the time for the whole exchange.
        case timedOut(Duration)
        /// The program closed its end of the socket.
        case ended
        /// The program sent something that is not a valid response.
        case invalidResponse(DrawingMessageError)
    }

    init(_ program: String, as user: DrawingSettings.User?) throws(DrawingError) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw Self.startError(program, errno)
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

    private static func startError(_ program: String, _ code: Int32) -> DrawingError {
        let next =
            [ENOENT, EACCES, ENOTDIR, ENOEXEC].contains(code)
            ? "install it beside kioskd" : "see what overloads the machine"
        return DrawingError(
            .cannotStart,
            "\(program), which draws what the printer cannot, cannot be started (\(String(cString: strerror(code)))); \(next)"
        )
    }

    /// Starts the program with default signals. Its environment only keeps Swift from starting a debugger of its own.
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
        var child: pid_t = 0
        let code = posix_spawn(&child, program, &actions, &attributes, &arguments, &environment)
        guard code == 0 else { throw startError(program, code) }
        return child
    }

    /// Whether the program has ended. While there is no request, its socket becomes readable only by its end.
    var hasEnded: Bool {
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) != 0
    }

    /// The CPU time of all its threads until now (clock_getcpuclockid(3)).
    var cpuTime: Duration? {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(processID, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    func kill() { _ = Glibc.kill(processID, SIGKILL) }

    /// Kills the program, waits for its end, and closes the socket.
    func end() -> End? {
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

/// The time limits of one exchange. CPU time measures how much work a drawing is, however busy the machine is.
struct ExchangeLimits {
    var cpuTime: Duration
    /// Time without any CPU time.
    var stall: Duration
    /// Time from the beginning.
    var total: Duration
}

extension HelperProcess {
    /// Reads the message that the program sends at its start: it is ready, or cannot start.
    func greeting(within limits: ExchangeLimits) throws(Failure) -> DrawingResponse {
        var timer = ExchangeTimer(self, limits)
        return try response(&timer)
    }

    /// Writes a request and reads its response. After a failure the program can only be ended.
    func exchange(_ frame: [UInt8], within limits: ExchangeLimits) throws(Failure) -> DrawingResponse {
        var timer = ExchangeTimer(self, limits)
        var written = 0
        while written < frame.count {
            let count = frame.withUnsafeBytes { bytes in
                send(
                    socket, bytes.baseAddress! + written, bytes.count - written,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 { written += count } else { try wait(POLLOUT, &timer) }
        }
        return try response(&timer)
    }

    private func response(_ timer: inout ExchangeTimer) throws(Failure) -> DrawingResponse {
        let header = try read(MessageFrame.headerLength, &timer)
        let length: Int
        do throws(DrawingMessageError) { length = try MessageFrame.length(header) } catch {
            throw .invalidResponse(error)
        }
        let message = try read(length, &timer)
        do throws(DrawingMessageError) { return try DrawingResponse(message) } catch { throw .invalidResponse(error) }
    }

    private func read(_ count: Int, _ timer: inout ExchangeTimer) throws(Failure) -> [UInt8] {
        // The buffer grows with the bytes that arrive, whatever length was announced.
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(count, 1 << 18))
        while bytes.count < count {
            let received = recv(socket, &part, min(part.count, count - bytes.count), Int32(MSG_DONTWAIT))
            guard received != 0 else { throw .ended }
            if received > 0 { bytes += part[..<received] } else { try wait(POLLIN, &timer) }
        }
        return bytes
    }

    /// Waits until a failed call can be repeated; throws where it cannot.
    private func wait(_ event: Int32, _ timer: inout ExchangeTimer) throws(Failure) {
        guard errno == EAGAIN || errno == EINTR else { throw .ended }
        var polled = pollfd(fd: socket, events: Int16(event), revents: 0)
        poll(&polled, 1, ExchangeTimer.interval.milliseconds)
        try timer.check()
    }
}

/// Measures the time that a program takes for one exchange.
private struct ExchangeTimer {
    private let helper: HelperProcess
    private let limits: ExchangeLimits
    private let firstCPUTime: Duration
    private var cpuTime: Duration
    private var lastCheck = ContinuousClock.now
    private var elapsed = Duration.zero
    private var stalled = Duration.zero

    static let interval = Duration.milliseconds(100)

    init(_ helper: HelperProcess, _ limits: ExchangeLimits) {
        self.helper = helper
        self.limits = limits
        firstCPUTime = helper.cpuTime ?? .zero
        cpuTime = firstCPUTime
    }

    mutating func check() throws(HelperProcess.Failure) {
        let now = ContinuousClock.now
        guard now - lastCheck >= Self.interval else { return }
        // While this process was stopped or the machine asleep, the program made no progress either.
        let step = min(now - lastCheck, Self.interval * 2)
        lastCheck = now
        elapsed += step
        let used = helper.cpuTime ?? cpuTime
        stalled = used > cpuTime ? .zero : stalled + step
        cpuTime = used
        if cpuTime - firstCPUTime > limits.cpuTime { throw .cpuTime }
        if stalled > limits.stall { throw .stalled(stalled) }
        if elapsed > limits.total { throw .timedOut(elapsed) }
    }
}

extension HelperProcess.End: CustomStringConvertible {
    /// The signals of a crash. `kiosk-draw` ends with an exit status instead when another process sent the signal.
    private static let faults: Set<Int32> = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS]

    /// Whether the program crashed by a fault of its own.
    var isFault: Bool {
        switch self {
        case .signalled(let signal): Self.faults.contains(signal)
        case .exited: false
        }
    }

    /// The rest of a sentence whose subject is the program.
    var description: String {
        switch self {
        case .exited(let status) where status == DrawingExitStatus.killedByOtherProcess: "was killed by another program"
        case .exited(let status): "ended (status \(status))"
        case .signalled(let signal) where isFault: "crashed (signal \(signal))"
        case .signalled(let signal): "was killed (signal \(signal))"
        }
    }
}
