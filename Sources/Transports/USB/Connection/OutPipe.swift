import CKioskLibUSB
import KioskAsyncPrimitives
import KioskDevicePrinting
import Synchronization

/// The bulk OUT pipe of a device. Keeps several transfers under way, so that the device never waits for data.
///
/// Sends are transferred in the order of the calls. One that is cancelled or fails also ends those behind it, since
/// their data belongs behind the missing data.
final class OutPipe: Sendable {
    private struct State {
        /// The sends in their order; transfers belong to the first ones.
        var calls: [SendCall] = []
        var idle: [Transfer] = []
        var sizing = TransferSizing()
        /// Whether the last send belongs with the following one.
        var isContinued = false
        /// Why nothing is sent any more.
        var broken: DevicePipeError?
    }

    private let handle: DeviceHandle
    private let endpoint: USBEndpoint
    private let endsWithZeroPacket: Bool
    private let clock: ElapsedClock
    private let state: Mutex<State>
    /// Called on the event thread when the device is disconnected.
    private let whenDisconnected: @Sendable () -> Void

    init(
        _ handle: DeviceHandle, _ endpoint: USBEndpoint, endsWithZeroPacket: Bool, clock: ElapsedClock,
        whenDisconnected: @escaping @Sendable () -> Void
    ) {
        self.handle = handle
        self.endpoint = endpoint
        self.endsWithZeroPacket = endsWithZeroPacket
        self.clock = clock
        self.whenDisconnected = whenDisconnected
        state = Mutex(State())
    }

    func begin(_ bytes: ArraySlice<UInt8>, isLast: Bool, accepted: @escaping @Sendable (Int) -> Void) -> PendingSend {
        let call = SendCall(bytes, isLast: isLast, packet: endpoint.packet, accepted: accepted)
        let sending = PendingSend { [self] in cancel(call) }
        if bytes.isEmpty {
            sending.finish(.success(()))
        } else if Task.isCancelled {
            // Not one byte of it is sent.
            sending.finish(.failure(.cancelled))
        } else {
            begin(call, sending)
        }
        return sending
    }

    private func begin(_ call: SendCall, _ sending: PendingSend) {
        update { state in
            call.pending = sending
            if state.calls.isEmpty, !state.isContinued { state.sizing = TransferSizing(after: state.sizing) }
            state.isContinued = !call.isLast
            state.calls.append(call)
            if let broken = state.broken {
                fail(call, broken, &state)
            } else {
                fill(&state)
            }
        }
    }

    private func cancel(_ call: SendCall) {
        update { state in
            guard let index = state.calls.firstIndex(where: { $0 === call }) else { return }
            for call in state.calls[index...] { fail(call, .cancelled, &state) }
        }
    }

    /// Ends every send, now and from now on, until `repair`.
    func abort(_ failure: DevicePipeError) {
        update { state in
            if state.broken?.kind != .disconnected { state.broken = failure }
            for call in state.calls { fail(call, failure, &state) }
        }
    }

    /// Allows sends again, after a stall has been cleared.
    func repair() {
        state.withLock { state in
            if state.broken?.kind != .disconnected { state.broken = nil }
        }
    }

    var broken: DevicePipeError? { state.withLock(\.broken) }

    /// Changes the state, and then finishes the sends that have ended.
    private func update(_ change: (inout sending State) -> Void) {
        let ended = state.withLock { state in
            change(&state)
            return Self.takeEnded(&state)
        }
        for (pending, result) in ended { pending.finish(result) }
    }

    private typealias Ended = (PendingSend, PendingSend.Result)

    private static func takeEnded(_ state: inout State) -> [Ended] {
        guard state.calls.contains(where: \.hasEnded) else { return [] }
        let ended = state.calls.filter(\.hasEnded)
        state.calls.removeAll(where: \.hasEnded)
        // The memory of large ones is freed when the document is complete.
        if state.calls.isEmpty { state.idle.removeAll { $0.buffer.count > maximumIdleCapacity } }
        return ended.compactMap { call in call.pending.take().map { ($0, call.result) } }
    }

    private static let maximumIdleCapacity = 16384

    private func fail(_ call: SendCall, _ failure: DevicePipeError, _ state: inout State) {
        guard call.failure == nil else { return }
        call.failure = failure
        state.isContinued = false
        for transfer in call.transfers { transfer.cancel() }
    }

    /// Submits as many transfers as should be under way. Where the kernel has no memory for one more, those under way
    /// continue alone; where there are none, a smaller one is tried.
    private func fill(_ state: inout State) {
        if Self.underWay(state) == 0 { state.sizing.began(at: clock.now) }
        while Self.underWay(state) < TransferSizing.depth,
            let call = state.calls.first(where: { !$0.isSubmitted && $0.failure == nil })
        {
            let failure = submitNext(of: call, &state)
            guard failure.code.isError else { continue }
            if failure.code == .noMemory {
                if Self.underWay(state) > 0 { return }
                if state.sizing.shrink() { continue }
            }
            return failAll(failure, &state)
        }
    }

    private static func underWay(_ state: State) -> Int { state.calls.reduce(0) { $0 + $1.transfers.count } }

    /// Submits the next transfer of a send. It is under way unless the returned code is an error.
    private func submitNext(of call: SendCall, _ state: inout State) -> LibUSBFailure {
        let chunk = call.rest.prefix(state.sizing.size)
        guard let transfer = transfer(for: chunk.count, &state) else {
            return LibUSBFailure("libusb_alloc_transfer", .noMemory)
        }
        _ = transfer.buffer.update(fromContentsOf: chunk)
        let isEnd = call.isLast && chunk.count == call.rest.count
        let code = transfer.submitBulk(
            endpoint: endpoint.address, length: chunk.count,
            endingWithZeroPacket: endsWithZeroPacket && isEnd && chunk.count.isMultiple(of: endpoint.packet))
        if !code.isError {
            call.submitted += chunk.count
            call.transfers.append(transfer)
        }
        return LibUSBFailure("libusb_submit_transfer", code)
    }

    private func transfer(for count: Int, _ state: inout State) -> Transfer? {
        if let idle = state.idle.popLast(), idle.buffer.count >= count { return idle }
        // Idle transfers are retained here, so they must not retain this pipe.
        return Transfer(on: handle, capacity: max(count, state.sizing.size)) { [weak self] in self?.ended($0) }
    }

    private func failAll(_ failure: LibUSBFailure, _ state: inout State) {
        let error = DevicePipeError(failure)
        state.broken = error
        for call in state.calls { fail(call, error, &state) }
    }

    /// Runs on the event thread.
    private func ended(_ transfer: Transfer) {
        let (status, count) = (transfer.status, transfer.count)
        var reported: SendCall?
        let (ended, isDisconnected): ([Ended], Bool) = state.withLock { state in
            guard let call = state.calls.first(where: { $0.transfers.contains { $0 === transfer } }) else {
                return ([], false)
            }
            call.transfers.removeAll { $0 === transfer }
            call.finished += count
            if count > 0 { reported = call }
            state.sizing.ended(count, at: clock.now)
            let code = LibUSBCode(ending: status)
            if status == LIBUSB_TRANSFER_COMPLETED, count == transfer.length {
                state.idle.append(transfer)
            } else if call.failure == nil {
                failAll(LibUSBFailure("libusb_submit_transfer", code), &state)
            }
            // After the end of a cancelled one too: others may wait for its place.
            if state.broken == nil { fill(&state) }
            return (Self.takeEnded(&state), code == .noDevice)
        }
        reported?.accepted(count)
        for (pending, result) in ended { pending.finish(result) }
        if isDisconnected { whenDisconnected() }
    }
}

/// A send that has not ended. The lock of its `OutPipe` protects all of it.
private final class SendCall: @unchecked Sendable {
    private let bytes: ArraySlice<UInt8>
    /// Whether nothing follows that belongs with it.
    let isLast: Bool
    let accepted: @Sendable (Int) -> Void
    /// The caller's handle; nil once it was told the end.
    var pending: PendingSend?
    /// Bytes submitted to libusb, and those of them that the device has accepted.
    var submitted = 0
    var finished = 0
    var transfers: [Transfer] = []
    /// Why it fails. It then only waits for its transfers.
    var failure: DevicePipeError?

    /// The packet size in bytes.
    private let packet: Int

    init(_ bytes: ArraySlice<UInt8>, isLast: Bool, packet: Int, accepted: @escaping @Sendable (Int) -> Void) {
        self.bytes = bytes
        self.isLast = isLast
        self.packet = packet
        self.accepted = accepted
    }

    /// The bytes that were not submitted to libusb yet.
    var rest: ArraySlice<UInt8> { bytes.dropFirst(submitted) }
    var isSubmitted: Bool { submitted == bytes.count }
    var hasEnded: Bool { transfers.isEmpty && (failure != nil || isSubmitted) }

    var result: PendingSend.Result {
        guard var failure else { return .success(()) }
        // After an unexpected end, the device may have accepted one more packet whose acknowledgement was lost.
        let isCertain = failure.kind == .cancelled || failure.kind == .stalled
        failure.accepted = isCertain ? finished : min(finished + packet, submitted)
        return .failure(failure)
    }
}

/// Determines how many bytes of a document one transfer carries.
///
/// A transfer is reported when it has ended. Large ones keep a fast printer busy; on a slow one the reports would be
/// too rare to show whether it makes progress. So the size follows the printer's speed, starting with one packet: the
/// speed of a new connection is unknown, and transfers under way cannot be made smaller. A document that follows others
/// starts with a size that suited them, limited to what a slow printer may take unreported.
struct TransferSizing: Sendable {
    private(set) var size = Self.minimumSize
    private var last: ElapsedClock.Instant?
    /// Consecutive transfers of this size that ended soon.
    private var quickEnds = 0
    /// Bytes of this document that were sent without any waiting.
    private var quickBytes = 0

    /// The number of transfers under way at once: while one is reported and the next is made, the others keep the bus
    /// busy. Measured (`Benchmarks/usb`): two are as fast as four; the third is for a busy machine.
    static let depth = 3
    /// A high-speed packet (USB 2.0 §5.8.3); all sizes are multiples of it.
    static let minimumSize = 512
    /// Measured as well, for a printer that takes 20 MB per second. The kernel has 16 MB for the transfers of all
    /// programs together (`usbfs_memory_mb`); where it has no more, the transfers become smaller.
    static let maximumSize = 1_048_576
    /// Times between the ends of two transfers.
    private static let (short, long): (Duration, Duration) = (.milliseconds(25), .milliseconds(250))
    /// Quick ends after which the size grows. A slow printer is quick until its buffer is full. A transfer that then
    /// waits is at most half of the buffer plus a packet, which is printed sooner than the data that the printer holds.
    /// A larger number would cost a fast printer time.
    private static let enough = 2
    /// Growth factors. A printer that has quickly accepted more than any buffer holds is not slow.
    private static let (step, stepOfFast) = (2, 8)
    /// The divisor for the next document's first size, and its maximum, since the buffer may still be full.
    private static let (divisor, maximumFirstSize) = (4, 8192)

    init() {}

    /// The sizing of a document that follows another.
    init(after last: TransferSizing) {
        size = min(max(last.size / Self.divisor, Self.minimumSize), Self.maximumFirstSize)
    }

    /// Notes that a transfer starts while none is under way: the time before does not count.
    mutating func began(at now: ElapsedClock.Instant) { last = now }

    /// Notes the end of a transfer of `count` bytes.
    mutating func ended(_ count: Int, at now: ElapsedClock.Instant) {
        let time = last.map { $0.duration(to: now) } ?? .zero
        last = now
        let isQuick = time < Self.short
        (quickEnds, quickBytes) = isQuick ? (quickEnds + 1, quickBytes + count) : (0, 0)
        if quickEnds == Self.enough {
            let factor = quickBytes > PrintTimeEstimate.maximumBuffer ? Self.stepOfFast : Self.step
            change(to: min(size * factor, Self.maximumSize))
        }
        if time > Self.long { change(to: max(size / 2, Self.minimumSize)) }
    }

    /// Halves the size, since there is no memory for it; false where there is no smaller one.
    mutating func shrink() -> Bool {
        guard size > Self.minimumSize else { return false }
        change(to: max(size / 2, Self.minimumSize))
        return true
    }

    private mutating func change(to newSize: Int) { (size, quickEnds) = (newSize, 0) }
}
