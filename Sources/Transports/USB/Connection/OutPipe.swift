import CLibUSB
import DevicePrinting
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

    func begin(_ bytes: ArraySlice<UInt8>, isLast: Bool, taken: @escaping @Sendable (Int) -> Void) -> PendingSend {
        let call = SendCall(bytes, isLast: isLast, packet: endpoint.packet, taken: taken)
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
        if state.calls.isEmpty { state.idle.removeAll { $0.buffer.count > largestIdle } }
        return ended.compactMap { call in call.pending.take().map { ($0, call.result) } }
    }

    private static let largestIdle = 16384

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
        reported?.taken(count)
        for (pending, result) in ended { pending.finish(result) }
        if isDisconnected { whenDisconnected() }
    }
}

/// A send that has not ended. The lock of its `OutPipe` protects all of it.
private final class SendCall: @unchecked Sendable {
    private let bytes: ArraySlice<UInt8>
    /// Whether nothing follows that belongs with it.
    let isLast: Bool
    let taken: @Sendable (Int) -> Void
    /// The caller's handle; nil once it was told the end.
    var pending: PendingSend?
    /// Bytes submitted to libusb, and those of them that the device has taken.
    var submitted = 0
    var finished = 0
    var transfers: [Transfer] = []
    /// Why it fails. It then only waits for its transfers.
    var failure: DevicePipeError?

    /// The packet size in bytes.
    private let packet: Int

    init(_ bytes: ArraySlice<UInt8>, isLast: Bool, packet: Int, taken: @escaping @Sendable (Int) -> Void) {
        self.bytes = bytes
        self.isLast = isLast
        self.packet = packet
        self.taken = taken
    }

    /// The bytes that were not submitted to libusb yet.
    var rest: ArraySlice<UInt8> { bytes.dropFirst(submitted) }
    var isSubmitted: Bool { submitted == bytes.count }
    var hasEnded: Bool { transfers.isEmpty && (failure != nil || isSubmitted) }

    var result: PendingSend.Result {
        guard var failure else { return .success(()) }
        // After an unexpected end, the device may have taken one more packet whose acknowledgement was lost.
        let isCertain = failure.kind == .cancelled || failure.kind == .stalled
        failure.taken = isCertain ? finished : min(finished + packet, submitted)
        return .failure(failure)
    }
}
