import Glibc
import KioskAsyncPrimitives
import KioskDevicePrinting
import KioskPrintModel
import Synchronization

/// A serial port as a byte pipe. A thread of its own does what may block.
///
/// What the line has had the time to send counts as taken by the printer; what the kernel was given counts as taken at
/// most, so that what UART and USB adapter hold is allowed for.
final class SerialPipe: DevicePipe {
    let hasBackChannel = true
    private let path: String
    private let inbox = SerialInbox()
    private let clock: ElapsedClock

    /// The threads that a driver keeps longer than somebody waited for them, by the ports' paths. The next who opens such
    /// a port waits for its thread: so no port ever has many.
    private static let blocked = Mutex<[String: SerialInbox]>([:])

    private init(_ path: String, _ clock: ElapsedClock) { (self.path, self.clock) = (path, clock) }

    /// Has a thread open the port, and waits for that, for `time` at most: drivers may block for long.
    static func open(
        _ path: String, _ settings: SerialSettings, within time: Duration, clock: any Clock<Duration>,
        calls: BlockingCalls = BlockingCalls()
    ) async throws(SerialPortError) -> SerialPipe {
        let pipe = SerialPipe(path, ElapsedClock(clock))
        if let earlier = blocked.withLock({ $0[path] }) {
            let phase = await earlier.wait(for: time, pipe.clock, until: \.hasEnded)
            guard phase.hasEnded else { throw SerialPortError(Task.isCancelled ? .cancelled : .blocked, "close") }
        }
        let inbox = pipe.inbox
        guard let thread = WorkerThread("serial", { Self.run(path, settings, inbox, calls) }) else {
            throw SerialPortError(.failed, "pthread_create", EAGAIN)
        }
        thread.detach()
        switch await inbox.wait(for: time, pipe.clock, until: { !$0.isOpening }) {
        case .open: return pipe
        case .failed(let error): throw error
        case .closed(let end): throw SerialPortError(.disconnected, end.operation, end.code)
        case .opening:
            // It is closed as soon as it is open.
            inbox.close()
            pipe.abandon()
            throw SerialPortError(Task.isCancelled ? .cancelled : .blocked, "open")
        }
    }

    private static func run(
        _ path: String, _ settings: SerialSettings, _ inbox: SerialInbox, _ calls: BlockingCalls
    ) {
        do throws(SerialPortError) {
            let end = try serve(path, settings, inbox, calls)
            // The port is closed by now.
            inbox.enter(.closed(end))
        } catch {
            inbox.enter(.failed(error))
        }
        blocked.withLock { if $0[path] === inbox { $0[path] = nil } }
    }

    private static func serve(
        _ path: String, _ settings: SerialSettings, _ inbox: SerialInbox, _ calls: BlockingCalls
    ) throws(SerialPortError) -> DevicePipeError {
        let port = try SerialPort.open(path, settings, calls)
        var driver = SerialDriver(port, settings, pacesBySpeed: hasLineSpeed(path))
        inbox.enter(.open)
        return driver.run(inbox)
    }

    /// Waits no longer for the thread: the next who opens the port does.
    private func abandon() {
        Self.blocked.withLock { blocked in
            if !inbox.phase.hasEnded { blocked[path] = inbox }
        }
    }

    /// Whether the speed in the URL is that of a line. A printer's own USB port and Bluetooth know none.
    private static func hasLineSpeed(_ path: String) -> Bool {
        guard let resolved = realpath(path, nil) else { return true }
        defer { free(resolved) }
        let device = String(cString: resolved)
        return !device.hasPrefix("/dev/ttyACM") && !device.hasPrefix("/dev/rfcomm")
    }

    func begin(_ bytes: ArraySlice<UInt8>, isLast: Bool, accepted: @escaping @Sendable (Int) -> Void) -> PendingSend {
        let inbox = inbox
        let number = SendQueue.nextNumber()
        let sending = PendingSend { inbox.add(.cancel(number)) }
        if bytes.isEmpty {
            sending.finish(.success(()))
        } else if Task.isCancelled {
            sending.finish(.failure(.cancelled))
        } else {
            inbox.add(.send(SendQueue.Call(number, bytes, sending, accepted)))
        }
        return sending
    }

    func responses() -> AsyncStream<[UInt8]> {
        let (stream, output) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(Self.maximumUnread / SerialPort.receiveChunk))
        inbox.add(.listen(output))
        return stream
    }

    private static let maximumUnread = 65_536

    func portStatus() async throws(DevicePipeError) -> PortStatus? { nil }

    /// Nothing halts: a cancelled send is taken out of the kernel's buffer, and the line goes on.
    func restore(resetting: Bool) async throws(DevicePipeError) {
        if let end = inbox.end { throw end }
    }

    /// Closes the port, and returns once that is done, after `time` at the latest: a driver may wait for a printer without
    /// room. Nothing can open the port before it is done.
    func close(within time: Duration) async {
        inbox.close()
        let phase = await inbox.wait(for: time, clock, until: \.hasEnded)
        if !phase.hasEnded { abandon() }
    }
}
