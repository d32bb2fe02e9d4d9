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
    private let inbox = Inbox()

    /// Waits for its thread to have opened the port.
    static func open(_ path: String, _ settings: SerialSettings) async throws(SerialPortError) -> SerialPipe {
        let pipe = SerialPipe()
        let result: Result<Void, SerialPortError> = await withCheckedContinuation { continuation in
            let thread = WorkerThread("serial") { [inbox = pipe.inbox] in
                Self.run(path, settings, inbox, opened: continuation)
            }
            guard let thread else {
                return continuation.resume(returning: .failure(SerialPortError(.failed, "pthread_create", EAGAIN)))
            }
            thread.detach()
        }
        try result.get()
        return pipe
    }

    private static func run(
        _ path: String, _ settings: SerialSettings, _ inbox: Inbox,
        opened: CheckedContinuation<Result<Void, SerialPortError>, Never>
    ) {
        let end: DevicePipeError
        do throws(SerialPortError) {
            var driver = SerialDriver(try SerialPort.open(path, settings), settings, pacesBySpeed: hasLineSpeed(path))
            opened.resume(returning: .success(()))
            end = driver.run(inbox)
        } catch {
            return opened.resume(returning: .failure(error))
        }
        // The port is closed by now.
        inbox.close(end)
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

    /// Closes the port, and returns once that is done.
    func close() async {
        await withCheckedContinuation { inbox.add(.close($0)) }
    }
}

/// What a port's thread is to do next, from any thread.
private final class Inbox: Sendable {
    enum Command: Sendable {
        case send(SendQueue.Call)
        case cancel(Int)
        case listen(AsyncStream<[UInt8]>.Continuation)
        case close(CheckedContinuation<Void, Never>)
    }

    private struct State {
        var commands: [Command] = []
        var end: DevicePipeError?
        /// Those who wait for the port to be closed.
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    let wakeup = WakeupSocket()

    /// Why the port is closed; nil while it is open.
    var end: DevicePipeError? { state.withLock(\.end) }

    func add(_ command: Command) {
        let end = state.withLock { state in
            if state.end == nil { state.commands.append(command) }
            return state.end
        }
        guard let end else { return wakeup.signal() }
        Self.refuse(command, end)
    }

    func take() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    func waitForClose(_ continuation: CheckedContinuation<Void, Never>) {
        state.withLock { $0.closing.append(continuation) }
    }

    /// Refuses all that is left, and whatever comes.
    func close(_ end: DevicePipeError) {
        let (left, closing) = state.withLock { state in
            state.end = end
            defer { (state.commands, state.closing) = ([], []) }
            return (state.commands, state.closing)
        }
        for command in left { Self.refuse(command, end) }
        for continuation in closing { continuation.resume() }
    }

    private static func refuse(_ command: Command, _ end: DevicePipeError) {
        switch command {
        case .send(let call): call.refuse(end)
        case .cancel: break
        case .listen(let output): output.finish()
        case .close(let continuation): continuation.resume()
        }
    }
}

/// What a port's thread does: writes what callers hand in, follows how much of it has left, and hands on what the
/// printer says.
private struct SerialDriver: ~Copyable {
    private let port: SerialPort
    private let flowControl: SerialSettings.FlowControl
    private let clock = ContinuousClock()
    /// Nil where the speed of the line is not known.
    private var pace: LinePace?
    private var queue = SendQueue()
    /// All bytes that were written to the kernel, and those of them that have left.
    private var (written, sent) = (0, 0)
    private var output: AsyncStream<[UInt8]>.Continuation?
    private var checkInterval = shortestCheck
    /// The most bytes that are written and have not left: they may be taken.
    private let window: Int

    private static let (shortestCheck, longestCheck) = (Duration.milliseconds(1), Duration.milliseconds(32))
    /// How often a printer without room is looked at again, by its DTR.
    private static let readyCheck = Duration.milliseconds(10)
    /// A page, as the kernel's buffer of a serial port (UART_XMIT_SIZE), or what a fast line sends in this time.
    private static let (smallestWindow, windowTime) = (4096, Duration.milliseconds(100))
    /// Printers lower DTR while they have room for 128 bytes and more (Epson's TM series: 128 to 256).
    private static let readyWindow = 64

    init(_ port: consuming SerialPort, _ settings: SerialSettings, pacesBySpeed: Bool) {
        self.port = port
        flowControl = settings.flowControl
        let pace = LinePace(settings)
        // Only the pace tells how much the adapter holds when the printer's DTR falls.
        self.pace = pacesBySpeed || settings.flowControl == .dataSetReady ? pace : nil
        window =
            settings.flowControl == .dataSetReady
            ? Self.readyWindow : max(Self.smallestWindow, pace.bytes(in: Self.windowTime))
    }

    /// Serves the port until it is closed or lost, and returns why that was.
    mutating func run(_ inbox: Inbox) -> DevicePipeError {
        let end: DevicePipeError
        do throws(SerialPortError) {
            end = try serve(inbox)
        } catch {
            end = DevicePipeError(
                error.kind == .disconnected ? .disconnected : .failed, operation: error.operation, code: error.code,
                reason: error.kind == .disconnected ? "it was unplugged or switched off" : error.reason)
        }
        queue.end(end)
        output?.finish()
        return end
    }

    private mutating func serve(_ inbox: Inbox) throws(SerialPortError) -> DevicePipeError {
        while true {
            for command in inbox.take() {
                switch command {
                case .send(let call): queue.append(call)
                case .cancel(let number): cancel(number)
                case .listen(let output):
                    self.output?.finish()
                    self.output = output
                case .close(let continuation):
                    inbox.waitForClose(continuation)
                    // Else the kernel would wait up to 30 s for a printer without room (closing_wait).
                    if sent < written { port.discardUnsent() }
                    return .disconnected("the port is closed", operation: "close")
                }
            }
            checkSent()
            let state = try writeNext()
            checkSent()
            let cause = inbox.wakeup.wait(
                orFor: port.descriptor, events: Int16(state == .full ? POLLIN | POLLOUT : POLLIN),
                timeout: timeout(state))
            if case .ready(let events) = cause { try handle(events) }
        }
    }

    private enum WriteState {
        /// There is nothing to write, or enough under way.
        case idle
        /// The kernel has no room.
        case full
        /// The printer has no room.
        case notReady
    }

    private mutating func writeNext() throws(SerialPortError) -> WriteState {
        while written - sent < window {
            let chunk = queue.next(maximum: window - (written - sent))
            guard !chunk.isEmpty else { return .idle }
            if flowControl == .dataSetReady, port.isDataSetReady == false { return .notReady }
            let count = try port.write(chunk)
            guard count > 0 else { return .full }
            queue.wrote(count)
            written += count
            pace?.wrote(count, at: clock.now)
            checkInterval = Self.shortestCheck
        }
        return .idle
    }

    private func timeout(_ state: WriteState) -> Duration? {
        let check = sent < written ? checkInterval : nil
        return state == .notReady ? min(check ?? Self.readyCheck, Self.readyCheck) : check
    }

    /// Tells the callers of what has left since it was last looked at.
    private mutating func checkSent() {
        guard sent < written else { return }
        let now = max(sent, written - max(port.unsent, pace?.unsent(at: clock.now) ?? 0))
        checkInterval = now > sent ? Self.shortestCheck : min(checkInterval * 2, Self.longestCheck)
        queue.accepted(now - sent)
        sent = now
    }

    /// Cancels a call. What has not left the kernel is dropped; what UART and adapter hold still goes out.
    private mutating func cancel(_ number: Int) {
        checkSent()
        queue.cancel(number)
        guard queue.contains(number), queue.isFirstCancelled else { return }
        port.discardUnsent()
        sent = written
        pace?.discard()
        queue.endCancelled(isDiscarded: true)
    }

    private mutating func handle(_ events: Int16) throws(SerialPortError) {
        if events & Int16(POLLIN) != 0 {
            let bytes = try port.read()
            if !bytes.isEmpty { output?.yield(bytes) }
        } else if events & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
            throw SerialPortError(.disconnected, "poll", EIO)
        }
    }
}
