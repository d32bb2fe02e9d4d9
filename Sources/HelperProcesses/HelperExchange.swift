import CKioskLinux
import Glibc
import KioskAsyncPrimitives
import KioskHelperMessages

/// The time limits of one exchange. CPU time measures how much work a drawing is, however busy the machine is.
package struct ExchangeLimits: Hashable, Sendable {
    /// CPU time of the program.
    package var cpuTime: Duration
    /// Time without any CPU time.
    package var stall: Duration
    /// Time from the beginning.
    package var total: Duration

    /// Creates limits.
    package init(cpuTime: Duration, stall: Duration, total: Duration) {
        (self.cpuTime, self.stall, self.total) = (cpuTime, stall, total)
    }
}

extension HelperProcess {
    /// Writes a frame, and passes a descriptor with its first byte. After a failure the program can only be ended.
    package func write(
        _ frame: [UInt8], passing descriptor: Int32? = nil, _ timer: inout ExchangeTimer
    ) throws(Failure) {
        var written = 0
        while written < frame.count {
            let count = frame.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                guard written == 0, let descriptor else {
                    return send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                return clinux_send_descriptor(socket, rest.baseAddress, rest.count, descriptor)
            }
            if count >= 0 { written += count } else { try wait(POLLOUT, &timer) }
        }
    }

    /// The next message of the program without its frame. After a failure the program can only be ended.
    package func readMessage(limit: Int, _ timer: inout ExchangeTimer) throws(Failure) -> [UInt8] {
        let header = try read(HelperFrame.headerLength, &timer)
        let length: Int
        do throws(HelperMessageError) { length = try HelperFrame.length(header, limit: limit) } catch {
            throw .invalidResponse(error)
        }
        return try read(length, &timer)
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
package struct ExchangeTimer {
    private let helper: HelperProcess
    private let limits: ExchangeLimits
    private let firstCPUTime: Duration
    private var cpuTime: Duration
    private var lastCheck = ContinuousClock.now
    private var elapsed = Duration.zero
    private var stalled = Duration.zero

    /// How often the limits are checked.
    static let interval = Duration.milliseconds(100)

    /// Starts to measure.
    package init(_ helper: HelperProcess, _ limits: ExchangeLimits) {
        self.helper = helper
        self.limits = limits
        firstCPUTime = helper.cpuTime ?? .zero
        cpuTime = firstCPUTime
    }

    /// Throws where a limit is exceeded.
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
