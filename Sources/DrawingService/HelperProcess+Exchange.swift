import DrawingMessages
import Glibc

/// The limits on the time of one answer. Processor time measures how much a drawing asks for, however busy the machine
/// is.
struct ExchangeLimits {
    var processorTime: Duration
    var standstill: Duration
    var longest: Duration
}

extension HelperProcess {
    /// Why there is no reply.
    enum Trouble: Error {
        /// The program took more processor time than it may.
        case processorTime
        /// The program got no processor time, or next to none.
        case standstill(Duration)
        /// It closed its end.
        case ended
        /// It said what no drawing program says.
        case nonsense(DrawingMessageError)
    }

    /// Reads the message with which the program says that it is ready to draw.
    func greeting(within limits: ExchangeLimits) throws(Trouble) -> DrawingReply {
        var watch = ExchangeWatch(self, limits)
        return try reply(&watch)
    }

    /// Writes a request and reads its reply. After trouble the program is good for nothing but its end.
    func exchange(_ frame: [UInt8], within limits: ExchangeLimits) throws(Trouble) -> DrawingReply {
        var watch = ExchangeWatch(self, limits)
        var written = 0
        while written < frame.count {
            let count = frame.withUnsafeBytes { bytes in
                send(
                    socket, bytes.baseAddress! + written, bytes.count - written,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 { written += count } else { try wait(POLLOUT, &watch) }
        }
        return try reply(&watch)
    }

    private func reply(_ watch: inout ExchangeWatch) throws(Trouble) -> DrawingReply {
        let header = try read(MessageFrame.headerLength, &watch)
        let length: Int
        do throws(DrawingMessageError) { length = try MessageFrame.length(header) } catch { throw .nonsense(error) }
        let message = try read(length, &watch)
        do throws(DrawingMessageError) { return try DrawingReply(message) } catch { throw .nonsense(error) }
    }

    private func read(_ count: Int, _ watch: inout ExchangeWatch) throws(Trouble) -> [UInt8] {
        // The room grows with what comes, whatever was announced.
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(count, 1 << 18))
        while bytes.count < count {
            let received = recv(socket, &part, min(part.count, count - bytes.count), Int32(MSG_DONTWAIT))
            guard received != 0 else { throw .ended }
            if received > 0 { bytes += part[..<received] } else { try wait(POLLIN, &watch) }
        }
        return bytes
    }

    /// After a call that failed: throws unless it may be tried again.
    private func wait(_ event: Int32, _ watch: inout ExchangeWatch) throws(Trouble) {
        guard errno == EAGAIN || errno == EINTR else { throw .ended }
        var polled = pollfd(fd: socket, events: Int16(event), revents: 0)
        poll(&polled, 1, ExchangeWatch.interval.milliseconds)
        try watch.look()
    }
}

/// Watches what a program does while it is waited for.
private struct ExchangeWatch {
    private let helper: HelperProcess
    private let limits: ExchangeLimits
    private let firstProcessorTime: Duration
    private var processorTime: Duration
    private var lastLook = ContinuousClock.now
    private var elapsed = Duration.zero
    private var standstill = Duration.zero

    static let interval = Duration.milliseconds(100)

    init(_ helper: HelperProcess, _ limits: ExchangeLimits) {
        self.helper = helper
        self.limits = limits
        firstProcessorTime = helper.processorTime ?? .zero
        processorTime = firstProcessorTime
    }

    mutating func look() throws(HelperProcess.Trouble) {
        let now = ContinuousClock.now
        guard now - lastLook >= Self.interval else { return }
        // Where this process itself was stopped, or the machine asleep, the program had no more time than usual.
        let step = min(now - lastLook, Self.interval * 2)
        lastLook = now
        elapsed += step
        let used = helper.processorTime ?? processorTime
        standstill = used > processorTime ? .zero : standstill + step
        processorTime = used
        if processorTime - firstProcessorTime > limits.processorTime { throw .processorTime }
        if standstill > limits.standstill { throw .standstill(standstill) }
        if elapsed > limits.longest { throw .standstill(elapsed) }
    }
}

extension HelperProcess.End {
    /// The signals of a crash. `kiosk-draw` ends with an exit status instead when another process sent the signal.
    private static let faults: Set<Int32> = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS]

    /// Whether the program crashed over what it did itself.
    var isFault: Bool {
        switch self {
        case .signalled(let signal): Self.faults.contains(signal)
        case .exited: false
        }
    }

    /// The end of a sentence whose subject is the program.
    var words: String {
        switch self {
        case .exited(let status) where status == HelperExit.killedByOthers: "was killed by another program"
        case .exited(let status): "ended (status \(status))"
        case .signalled(let signal) where isFault: "crashed (signal \(signal))"
        case .signalled(let signal): "was killed (signal \(signal))"
        }
    }
}
