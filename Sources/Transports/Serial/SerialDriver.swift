import Glibc
import KioskAsyncPrimitives
import KioskDevicePrinting
import KioskPrintModel

/// What a port's thread does: writes what callers hand in, follows how much of it has left, and hands on what the
/// printer says.
struct SerialDriver: ~Copyable {
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
    mutating func run(_ inbox: SerialInbox) -> DevicePipeError {
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

    private mutating func serve(_ inbox: SerialInbox) throws(SerialPortError) -> DevicePipeError {
        while true {
            let (commands, isClosing) = inbox.take()
            for command in commands {
                switch command {
                case .send(let call): queue.append(call)
                case .cancel(let number): cancel(number)
                case .listen(let output):
                    self.output?.finish()
                    self.output = output
                }
            }
            if isClosing {
                // Else the kernel would wait up to 30 s for a printer without room (closing_wait). The drivers of most USB
                // adapters drop nothing, and it does wait.
                if sent < written { port.discardUnsent() }
                return SerialInbox.closing
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
