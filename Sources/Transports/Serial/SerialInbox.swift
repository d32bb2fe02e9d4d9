import KioskAsyncPrimitives
import KioskDevicePrinting
import Synchronization

/// What a port's thread is to do next, and how far it is: between that thread and the tasks that use the port.
final class SerialInbox: Sendable {
    enum Command: Sendable {
        case send(SendQueue.Call)
        case cancel(Int)
        case listen(AsyncStream<[UInt8]>.Continuation)
    }

    /// How far the port's thread is.
    enum Phase: Sendable {
        case opening, open
        /// It could not be opened, and the thread has ended.
        case failed(SerialPortError)
        /// It was closed or lost, and the thread has ended.
        case closed(DevicePipeError)

        var hasEnded: Bool {
            switch self {
            case .opening, .open: false
            case .failed, .closed: true
            }
        }

        var isOpening: Bool {
            if case .opening = self { true } else { false }
        }
    }

    private struct State {
        var commands: [Command] = []
        var phase = Phase.opening
        var isClosing = false
        /// Those who wait for another phase.
        var waiting: [AsyncSignal] = []
    }

    private let state = Mutex(State())
    let wakeup = WakeupSocket()

    var phase: Phase { state.withLock(\.phase) }

    /// Why the port is closed; nil while it is open.
    var end: DevicePipeError? {
        if case .closed(let end) = phase { end } else { nil }
    }

    /// Hands a command to the thread. It is refused where the port is closed, or is about to be.
    func add(_ command: Command) {
        let end = state.withLock { state -> DevicePipeError? in
            if case .closed(let end) = state.phase { return end }
            if state.isClosing { return Self.closing }
            state.commands.append(command)
            return nil
        }
        guard let end else { return wakeup.signal() }
        Self.refuse(command, end)
    }

    /// Has the thread close the port and end.
    func close() {
        state.withLock { $0.isClosing = true }
        wakeup.signal()
    }

    static let closing = DevicePipeError.disconnected("the port is closed", operation: "close")

    /// What has come since the last call.
    func take() -> (commands: [Command], isClosing: Bool) {
        state.withLock { state in
            defer { state.commands = [] }
            return (state.commands, state.isClosing)
        }
    }

    /// Tells how far the thread is. Where it has ended, all that is left is refused, and whatever comes.
    func enter(_ phase: Phase) {
        let (left, waiting) = state.withLock { state in
            state.phase = phase
            defer { if phase.hasEnded { state.commands = [] } }
            return (phase.hasEnded ? state.commands : [], state.waiting)
        }
        for command in left { Self.refuse(command, end ?? Self.closing) }
        for signal in waiting { signal.raise() }
    }

    /// Waits until the thread's phase is one of these, for this time at most, and returns the phase. Also returns when the
    /// task is cancelled.
    func wait(
        for time: Duration, _ clock: ElapsedClock, until isReached: @Sendable (Phase) -> Bool
    ) async -> Phase {
        let signal = AsyncSignal()
        state.withLock { $0.waiting.append(signal) }
        defer { state.withLock { $0.waiting.removeAll { $0 === signal } } }
        let deadline = clock.now.advanced(by: time)
        while true {
            let phase = phase
            if isReached(phase) || Task.isCancelled || clock.now >= deadline { return phase }
            await signal.wait(until: deadline, clock)
        }
    }

    private static func refuse(_ command: Command, _ end: DevicePipeError) {
        switch command {
        case .send(let call): call.refuse(end)
        case .cancel: break
        case .listen(let output): output.finish()
        }
    }
}
