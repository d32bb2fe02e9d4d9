import CLibUSB
import DeviceStatus
import Synchronization

/// The way back from the device: one transfer is always under way, so that whatever the device says is there at once, and
/// nothing is done while it says nothing.
final class InPipe: Sendable {
    private struct State {
        var transfer: Transfer?
        var isStopped = false
        /// Ends in a row that brought nothing.
        var idleEnds = 0
    }

    private let handle: DeviceHandle
    private let endpoint: USBEndpoint
    private let context: USBContext
    private let state = Mutex(State())
    private let whenGone: @Sendable () -> Void
    private let box: AnswerBox

    /// `keepsAll`: the device is asked no faster than somebody listens, and nothing is lost.
    init(_ handle: DeviceHandle, _ endpoint: USBEndpoint, keepsAll: Bool = false, whenGone: @escaping @Sendable () -> Void) {
        box = AnswerBox(keepsAll: keepsAll)
        self.handle = handle
        self.endpoint = endpoint
        context = handle.context
        self.whenGone = whenGone
    }

    /// Of `DevicePipe.answers`.
    func answers() -> AsyncStream<[UInt8]> {
        let pieces = box.listen()
        // Whoever listened before may have left it full.
        start()
        guard box.keepsAll else { return pieces }
        return AsyncStream { [weak self] in
            var pieces = pieces.makeAsyncIterator()
            let piece = await pieces.next()
            self?.start()
            return piece
        }
    }

    func start() {
        let code = state.withLock { state in
            guard !state.isStopped, state.transfer == nil, box.hasRoom else { return LibUSBCode(0) }
            guard let transfer = Transfer(on: handle, capacity: Self.capacity(endpoint), ended: ended) else { return .noMemory }
            let code = transfer.submitBulk(endpoint: endpoint.address, length: transfer.buffer.count)
            if !code.isError { state.transfer = transfer }
            return code
        }
        if code.isError { failed(code) }
    }

    /// Nothing is asked for any more; what is under way is cancelled.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.transfer?.cancel()
        }
        box.end()
    }

    /// Whole packets, or one that is too long for the rest would be lost (USB 2.0 §5.8.3).
    private static func capacity(_ endpoint: USBEndpoint) -> Int { max(1, wanted / endpoint.packet) * endpoint.packet }
    private static let wanted = 16384

    /// On the event thread.
    private func ended(_ transfer: Transfer) {
        let (status, count) = (transfer.status, transfer.count)
        if count > 0 { box.add(Array(transfer.buffer.prefix(count))) }
        var code = LibUSBCode(ending: status)
        var isFull = false
        let again = state.withLock { state in
            state.transfer = nil
            guard !state.isStopped else { return false }
            guard status == LIBUSB_TRANSFER_COMPLETED, count > 0 else { return false }
            state.idleEnds = 0
            isFull = !box.hasRoom
            guard !isFull else { return true }
            code = transfer.submitBulk(endpoint: endpoint.address, length: transfer.buffer.count)
            if !code.isError { state.transfer = transfer }
            return true
        }
        if code.isError || !again { failed(code) }
        // Somebody may have made room in between.
        if isFull { start() }
    }

    /// Nothing came. A stall is cleared; then, or after anything else, it is asked again a little later.
    private func failed(_ code: LibUSBCode) {
        if code == .noDevice {
            box.end()
            return whenGone()
        }
        let pause: Duration? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.idleEnds += 1
            return Self.pauses[min(state.idleEnds, Self.pauses.count) - 1]
        }
        guard let pause else { return }
        context.after(pause) { [weak self] in
            guard let self else { return }
            if code == .stalled { clearHalt() } else { start() }
        }
    }

    /// A device may answer "nothing" as fast as it is asked; it is asked again after this.
    private static let pauses: [Duration] = [.milliseconds(1), .milliseconds(10), .milliseconds(50), .milliseconds(100)]

    private func clearHalt() {
        let address = endpoint.address
        guard handle.beginUse() else { return }
        let thread = OwnThread("usb-call") { [self] in
            libusb_clear_halt(handle.pointer, address)
            handle.useEnded()
            start()
        }
        if let thread { thread.detach() } else { handle.useEnded() }
    }
}
