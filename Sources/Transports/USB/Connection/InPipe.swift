import CKioskLibUSB
import KioskAsyncPrimitives
import KioskDevicePrinting
import Synchronization

/// The bulk IN pipe of a device. One transfer is always under way, so that the device's bytes arrive at once, and
/// nothing is done while it sends nothing.
final class InPipe: Sendable {
    private struct State {
        var transfer: Transfer?
        /// Whether a transfer starts after a delay, or when a halt has been cleared.
        var isDelayed = false
        var isPaused = false
        var isStopped = false
        /// The caller that waits until nothing is under way.
        var whenIdle: CheckedContinuation<Void, Never>?
        /// Consecutive transfers that received nothing.
        var emptyTransfers = 0
    }

    private let handle: DeviceHandle
    private let endpoint: USBEndpoint
    private let state = Mutex(State())
    private let buffer: ReceiveBuffer
    private let trace: DeviceTrace
    private let whenDisconnected: @Sendable () -> Void

    init(
        _ handle: DeviceHandle, _ endpoint: USBEndpoint, overflow: ReceiveBuffer.Overflow, trace: DeviceTrace,
        whenDisconnected: @escaping @Sendable () -> Void
    ) {
        (self.handle, self.endpoint, self.whenDisconnected) = (handle, endpoint, whenDisconnected)
        self.trace = trace
        buffer = ReceiveBuffer(overflow)
    }

    func read() -> AsyncStream<[UInt8]> { buffer.read { [weak self] in self?.request() } }

    /// Requests more bytes, unless a request is under way, or there is no room.
    func request() {
        let code = state.withLock { state in
            guard state.transfer == nil, !state.isDelayed, !state.isPaused, !state.isStopped, !buffer.isFull else {
                return LibUSBCode(0)
            }
            guard let transfer = Transfer(on: handle, capacity: Self.capacity(endpoint), ended: ended) else {
                return .noMemory
            }
            return submit(transfer, &state)
        }
        if code.isError { receivedNothing(code) }
    }

    private func submit(_ transfer: Transfer, _ state: inout State) -> LibUSBCode {
        let code = transfer.submitBulk(endpoint: endpoint.address, length: transfer.buffer.count)
        if !code.isError { state.transfer = transfer }
        return code
    }

    /// A multiple of the packet size; the part of a packet that does not fit would be lost (USB 2.0 §5.8.3).
    private static func capacity(_ endpoint: USBEndpoint) -> Int {
        max(1, wantedCapacity / endpoint.packet) * endpoint.packet
    }
    private static let wantedCapacity = 16384

    /// Runs on the event thread.
    private func ended(_ transfer: Transfer) {
        let count = transfer.count
        var code = LibUSBCode(ending: transfer.status)
        if count > 0 { buffer.add(Array(transfer.buffer.prefix(count))) }
        let hasReceived = count > 0 && !code.isError
        let idle: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.transfer = nil
            if hasReceived {
                state.emptyTransfers = 0
                if !state.isPaused, !state.isStopped, !buffer.isFull { code = submit(transfer, &state) }
            }
            return state.transfer == nil ? state.whenIdle.take() : nil
        }
        idle?.resume()
        if code.isError || !hasReceived { receivedNothing(code) }
    }

    /// Clears a stall; then, or after any other transfer that received nothing, requests bytes again a little later.
    private func receivedNothing(_ code: LibUSBCode) {
        if code == .noDevice {
            stop()
            return whenDisconnected()
        }
        if code.isError, code != .interrupted {
            trace.tell("bulk IN endpoint \(DeviceTrace.hexadecimal([endpoint.address])): \(code.message)")
        }
        let delay: Duration? = state.withLock { state in
            guard !state.isStopped, !state.isPaused, !state.isDelayed else { return nil }
            state.isDelayed = true
            state.emptyTransfers = min(state.emptyTransfers + 1, Self.delays.count)
            return Self.delays[state.emptyTransfers - 1]
        }
        guard let delay else { return }
        handle.context.after(delay) { [weak self] in
            guard let self else { return }
            if code == .stalled { clearHalt() } else { requestAfterDelay() }
        }
    }

    /// A device may respond without bytes as fast as it is polled, and stall as often as the stall is cleared.
    private static let delays: [Duration] = [.zero, .milliseconds(10), .milliseconds(50), .milliseconds(100)]

    private func requestAfterDelay() {
        state.withLock { $0.isDelayed = false }
        request()
    }

    private func clearHalt() {
        guard handle.beginUse() else { return }
        let thread = WorkerThread("usb-call") { [self] in
            libusb_clear_halt(handle.pointer, endpoint.address)
            handle.useEnded()
            requestAfterDelay()
        }
        if let thread { return thread.detach() }
        handle.useEnded()
        handle.context.after(Self.delays[Self.delays.count - 1]) { [weak self] in self?.clearHalt() }
    }

    /// Requests nothing until `resume`; returns when nothing is under way.
    func pause() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isPaused = true
                state.transfer?.cancel()
                if state.transfer != nil { state.whenIdle = continuation }
                return state.transfer == nil
            }
            if isIdle { continuation.resume() }
        }
    }

    func resume() {
        state.withLock { $0.isPaused = false }
        request()
    }

    /// Cancels the transfer under way, and requests nothing more.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.transfer?.cancel()
        }
        buffer.end()
    }
}

/// The bytes that a device has sent and nobody has read yet.
final class ReceiveBuffer: Sendable {
    private struct State {
        /// The current reader; nil while there is none, and received bytes are dropped.
        var reader: Int?
        var lastReader = 0
        var chunks: [[UInt8]] = []
        var count = 0
        var waiting: CheckedContinuation<[UInt8]?, Never>?
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let overflow: Overflow

    /// What happens when the buffer is full.
    enum Overflow: Sendable {
        /// The oldest bytes are dropped: an old status report is of no use.
        case drop
        /// No more bytes are requested until some are read: every byte of a stream counts.
        case wait
    }

    /// The capacity that `DevicePipe.responses` promises.
    static let capacity = 64 << 10
    private static let chunkSize = 4096

    init(_ overflow: Overflow) { self.overflow = overflow }

    /// Starts to read, in place of the previous reader. `whenRead` is called when there may be room again.
    func read(whenRead: @escaping @Sendable () -> Void) -> AsyncStream<[UInt8]> {
        let (waiting, reader) = state.withLock { state in
            state.lastReader += 1
            state.reader = state.lastReader
            (state.chunks, state.count) = ([], 0)
            return (state.waiting.take(), state.lastReader)
        }
        waiting?.resume(returning: nil)
        whenRead()
        return AsyncStream { [weak self] in
            await self?.next(for: reader, whenRead: whenRead)
        } onCancel: { [weak self] in
            self?.stopReading(reader)
            whenRead()
        }
    }

    var isFull: Bool { overflow == .wait && state.withLock { $0.count >= Self.capacity } }

    func add(_ bytes: [UInt8]) {
        let waiting: CheckedContinuation<[UInt8]?, Never>? = state.withLock { state in
            guard state.reader != nil, !bytes.isEmpty else { return nil }
            if let waiting = state.waiting.take() { return waiting }
            // Keeps the number of chunks small, however few bytes arrive at a time.
            if let last = state.chunks.indices.last, state.chunks[last].count + bytes.count <= Self.chunkSize {
                state.chunks[last] += bytes
            } else {
                state.chunks.append(bytes)
            }
            state.count += bytes.count
            while overflow == .drop, state.count > Self.capacity { state.count -= state.chunks.removeFirst().count }
            return nil
        }
        waiting?.resume(returning: bytes)
    }

    /// Ends the buffer, since the pipe is broken: buffered bytes can still be read.
    func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            return state.waiting.take()
        }
        waiting?.resume(returning: nil)
    }

    private func next(for reader: Int, whenRead: @Sendable () -> Void) async -> [UInt8]? {
        defer { if overflow == .wait { whenRead() } }
        return await withCheckedContinuation { continuation in
            let (now, isDone): ([UInt8]?, Bool) = state.withLock { state in
                guard state.reader == reader else { return (nil, true) }
                if !state.chunks.isEmpty {
                    let chunk = state.chunks.removeFirst()
                    state.count -= chunk.count
                    return (chunk, true)
                }
                if state.hasEnded { return (nil, true) }
                state.waiting = continuation
                return (nil, false)
            }
            if isDone { continuation.resume(returning: now) }
        }
    }

    private func stopReading(_ reader: Int) {
        let waiting: CheckedContinuation<[UInt8]?, Never>? = state.withLock { state in
            guard state.reader == reader else { return nil }
            state.reader = nil
            (state.chunks, state.count) = ([], 0)
            return state.waiting.take()
        }
        waiting?.resume(returning: nil)
    }
}
