import KioskDevicePrinting
import Synchronization

/// A receipt printer in memory that understands the ESC/POS that conversations need: a small receive buffer with
/// back-pressure, paper that moves within a budget, status, completion, and a cable that can be unplugged.
final class ModelPrinter: DevicePipe {
    struct Settings: Sendable {
        var capacity = 4096
        /// The number of bytes that may still be printed; nil for no limit.
        var budget: Int?
        var knowsProcessIDs = true
        var responds = true
        var hasBackChannel = true
        var portStatus: UInt8? = 0x18
        /// Whether responses to port status requests are held back.
        var holdsPort = false
        var isCoverOpen = false
        var isDrawerOpen = false
        /// Faults, by the bytes accepted so far.
        var unplugAt: Int?
        var stallAt: Int?
    }

    private struct Send {
        var number: Int
        var bytes: ArraySlice<UInt8>
        var count: Int
        var accepted: @Sendable (Int) -> Void
        var pending: PendingSend
    }

    private struct State {
        var settings: Settings
        var machine = ModelMachine()
        var sends: [Send] = []
        var nextNumber = 0
        var cancelled: Set<Int> = []
        var accepted = 0
        var isGone = false
        var isStalled = false
        var sentCount = 0
        var restorations = 0
        var portRequests = 0
        var listener: AsyncStream<[UInt8]>.Continuation?
    }
    private let state: Mutex<State>

    init(_ settings: Settings = Settings()) { state = Mutex(State(settings: settings)) }

    /// The text that is on paper.
    var paper: String { state.withLock { String(decoding: $0.machine.paper, as: UTF8.self) } }
    var cuts: Int { state.withLock(\.machine.cuts) }
    var accepted: Int { state.withLock(\.accepted) }
    var sentCount: Int { state.withLock(\.sentCount) }
    /// The number of one-byte responses that were sent in the printer's turn.
    var responseCount: Int { state.withLock(\.machine.responseCount) }
    var restorations: Int { state.withLock(\.restorations) }
    var portRequests: Int { state.withLock(\.portRequests) }

    func change(_ change: (inout Settings) -> Void) {
        move { state in
            let before = state.settings
            change(&state.settings)
            state.machine.isCoverOpen = state.settings.isCoverOpen
            state.machine.isDrawerOpen = state.settings.isDrawerOpen
            let isNews =
                before.isCoverOpen != state.settings.isCoverOpen || before.isDrawerOpen != state.settings.isDrawerOpen
            if isNews { state.machine.reportChange() }
        }
    }

    func unplug() { change { $0.unplugAt = 0 } }

    // MARK: The pipe

    var hasBackChannel: Bool { state.withLock(\.settings.hasBackChannel) }

    func begin(_ bytes: ArraySlice<UInt8>, isLast _: Bool, accepted: @escaping @Sendable (Int) -> Void) -> PendingSend {
        let number = state.withLock { state in
            state.nextNumber += 1
            state.sentCount += 1
            return state.nextNumber
        }
        let sending = PendingSend { [self] in move { _ = $0.cancelled.insert(number) } }
        if Task.isCancelled { state.withLock { _ = $0.cancelled.insert(number) } }
        move { state in
            state.sends.append(
                Send(number: number, bytes: bytes, count: bytes.count, accepted: accepted, pending: sending))
        }
        return sending
    }

    func responses() -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        if hasBackChannel { state.withLock { $0.listener = continuation } } else { continuation.finish() }
        return stream
    }

    func portStatus() async throws(DevicePipeError) -> PortStatus? {
        let status = state.withLock { state in
            state.portRequests += 1
            return state.settings.portStatus.map { PortStatus($0) }
        }
        while state.withLock(\.settings.holdsPort), (try? await Task.sleep(for: .milliseconds(1))) != nil {}
        return status
    }

    func restore(resetting: Bool) async throws(DevicePipeError) {
        let isGone = state.withLock { state in
            state.restorations += 1
            state.isStalled = false
            return state.isGone
        }
        if isGone { throw Self.disconnected }
    }

    private static let disconnected = DevicePipeError(.disconnected, operation: "send", reason: "it is gone")

    /// Changes something, and lets everything move that can move then.
    private func move(_ change: (inout sending State) -> Void) {
        let (ended, sent, listener, isGone) = state.withLock { state in
            change(&state)
            let ended = Self.flow(&state)
            let sent = state.settings.responds ? state.machine.takeResponses() : []
            return (ended, sent, state.listener, state.isGone)
        }
        if !sent.isEmpty { listener?.yield(sent) }
        for (send, failure) in ended { send.pending.finish(failure.map { .failure($0) } ?? .success(())) }
        if isGone { listener?.finish() }
    }

    private static func flow(_ state: inout State) -> [(Send, DevicePipeError?)] {
        var ended: [(Send, DevicePipeError?)] = []
        while !state.isGone {
            state.machine.knowsProcessIDs = state.settings.knowsProcessIDs
            state.machine.isCoverOpen = state.settings.isCoverOpen
            state.machine.print(&state.settings.budget)
            if let fault = state.settings.unplugAt, state.accepted >= fault { state.isGone = true }
            if let fault = state.settings.stallAt, state.accepted >= fault {
                (state.isStalled, state.settings.stallAt) = (true, nil)
            }
            guard !state.isGone, !state.isStalled, let send = state.sends.first, !state.cancelled.contains(send.number)
            else { break }
            let faults = [state.settings.unplugAt, state.settings.stallAt].compactMap { $0.map { $0 - state.accepted } }
            let room = min(state.settings.capacity - state.machine.buffer.count, send.bytes.count, faults.min() ?? .max)
            guard room > 0 || send.bytes.isEmpty else { break }
            let bytes = send.bytes.prefix(room)
            state.machine.receive(bytes)
            state.accepted += bytes.count
            state.sends[0].bytes = send.bytes.dropFirst(room)
            if room > 0 { send.accepted(room) }
            if state.sends[0].bytes.isEmpty { ended.append((state.sends.removeFirst(), nil)) }
        }
        return ended + broken(&state)
    }

    /// Sends that cannot go on; a cancelled one takes those behind it with it.
    private static func broken(_ state: inout State) -> [(Send, DevicePipeError?)] {
        let first = state.isGone || state.isStalled ? 0 : state.sends.firstIndex { state.cancelled.contains($0.number) }
        guard let first else { return [] }
        let kind: DevicePipeError.Kind = state.isGone ? .disconnected : state.isStalled ? .stalled : .cancelled
        let ended = state.sends[first...].map { send in
            (
                send,
                DevicePipeError(kind, accepted: send.count - send.bytes.count, operation: "send", reason: "\(kind)")
                    as DevicePipeError?
            )
        }
        state.sends.removeSubrange(first...)
        return ended
    }
}
