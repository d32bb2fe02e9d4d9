import CLibUSB
import Synchronization

/// The way back from the device: one transfer is always under way, so that whatever the device says is there at once,
/// and nothing is done while it says nothing.
final class InPipe: Sendable {
    private struct State {
        var transfer: Transfer?
        /// A transfer begins after a pause, or when a halt has been cleared.
        var isDelayed = false
        var isPaused = false
        var isStopped = false
        /// Waits until nothing is under way.
        var whenIdle: CheckedContinuation<Void, Never>?
        /// Ends in a row that brought nothing.
        var emptyEnds = 0
    }

    private let handle: DeviceHandle
    private let endpoint: USBEndpoint
    private let state = Mutex(State())
    private let answers: AnswerBox
    private let whenGone: @Sendable () -> Void

    init(
        _ handle: DeviceHandle, _ endpoint: USBEndpoint, overflow: AnswerBox.Overflow,
        whenGone: @escaping @Sendable () -> Void
    ) {
        (self.handle, self.endpoint, self.whenGone) = (handle, endpoint, whenGone)
        answers = AnswerBox(overflow)
    }

    func listen() -> AsyncStream<[UInt8]> { answers.listen { [weak self] in self?.ask() } }

    /// Asks for more, unless that is being done, or there is no room for it.
    func ask() {
        let code = state.withLock { state in
            guard state.transfer == nil, !state.isDelayed, !state.isPaused, !state.isStopped, !answers.isFull else {
                return LibUSBCode(0)
            }
            guard let transfer = Transfer(on: handle, capacity: Self.capacity(endpoint), ended: ended) else {
                return .noMemory
            }
            return submit(transfer, &state)
        }
        if code.isError { broughtNothing(code) }
    }

    private func submit(_ transfer: Transfer, _ state: inout State) -> LibUSBCode {
        let code = transfer.submitBulk(endpoint: endpoint.address, length: transfer.buffer.count)
        if !code.isError { state.transfer = transfer }
        return code
    }

    /// Whole packets, or what does not fit of one would be lost (USB 2.0 §5.8.3).
    private static func capacity(_ endpoint: USBEndpoint) -> Int { max(1, wanted / endpoint.packet) * endpoint.packet }
    private static let wanted = 16384

    /// On the event thread.
    private func ended(_ transfer: Transfer) {
        let count = transfer.count
        var code = LibUSBCode(ending: transfer.status)
        if count > 0 { answers.add(Array(transfer.buffer.prefix(count))) }
        let hasBroughtSomething = count > 0 && !code.isError
        let idle: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.transfer = nil
            if hasBroughtSomething {
                state.emptyEnds = 0
                if !state.isPaused, !state.isStopped, !answers.isFull { code = submit(transfer, &state) }
            }
            return state.transfer == nil ? state.whenIdle.take() : nil
        }
        idle?.resume()
        if code.isError || !hasBroughtSomething { broughtNothing(code) }
    }

    /// A stall is cleared; after that, or after anything else that brought nothing, it is asked again a little later.
    private func broughtNothing(_ code: LibUSBCode) {
        if code == .noDevice {
            stop()
            return whenGone()
        }
        let pause: Duration? = state.withLock { state in
            guard !state.isStopped, !state.isPaused, !state.isDelayed else { return nil }
            state.isDelayed = true
            state.emptyEnds = min(state.emptyEnds + 1, Self.pauses.count)
            return Self.pauses[state.emptyEnds - 1]
        }
        guard let pause else { return }
        handle.context.after(pause) { [weak self] in
            guard let self else { return }
            if code == .stalled { clearHalt() } else { askAfterDelay() }
        }
    }

    /// A device may answer "nothing" as fast as it is asked, and stall as often as it is cleared.
    private static let pauses: [Duration] = [.zero, .milliseconds(10), .milliseconds(50), .milliseconds(100)]

    private func askAfterDelay() {
        state.withLock { $0.isDelayed = false }
        ask()
    }

    private func clearHalt() {
        guard handle.beginUse() else { return }
        let thread = OwnThread("usb-call") { [self] in
            libusb_clear_halt(handle.pointer, endpoint.address)
            handle.useEnded()
            askAfterDelay()
        }
        if let thread { return thread.detach() }
        handle.useEnded()
        handle.context.after(Self.pauses[Self.pauses.count - 1]) { [weak self] in self?.clearHalt() }
    }

    /// Asks for nothing until `resume`; returns when nothing is under way.
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
        ask()
    }

    /// Nothing is asked for any more; what is under way is cancelled.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.transfer?.cancel()
        }
        answers.end()
    }
}
