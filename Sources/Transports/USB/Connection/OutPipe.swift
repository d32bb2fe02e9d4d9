import CLibUSB
import DevicePrinting
import Synchronization

/// The way to the device: keeps some transfers under way in front of it, so that it never waits for us.
///
/// Sends go in the order in which they were called. One that is cancelled or fails takes those behind it with it: what
/// they carry belongs behind what is missing.
final class OutPipe: Sendable {
    struct State {
        /// In their order; transfers are of the first ones.
        var calls: [SendCall] = []
        var idle: [Transfer] = []
        var pace = ChunkPace()
        /// What was called last belongs with what follows.
        var isMidway = false
        /// Why nothing goes out any more.
        var broken: DevicePipeError?
    }

    private let handle: DeviceHandle
    private let endpoint: USBEndpoint
    private let endsWithZeroPacket: Bool
    private let clock: ElapsedClock
    private let state: Mutex<State>
    /// Told, on the event thread, that the device has gone.
    private let whenGone: @Sendable () -> Void

    init(
        _ handle: DeviceHandle, _ endpoint: USBEndpoint, endsWithZeroPacket: Bool, clock: ElapsedClock,
        whenGone: @escaping @Sendable () -> Void
    ) {
        self.handle = handle
        self.endpoint = endpoint
        self.endsWithZeroPacket = endsWithZeroPacket
        self.clock = clock
        self.whenGone = whenGone
        state = Mutex(State())
    }

    func begin(_ bytes: ArraySlice<UInt8>, isLast: Bool, taken: @escaping @Sendable (Int) -> Void) -> PendingSend {
        let call = SendCall(bytes, isLast: isLast, packet: endpoint.packet, taken: taken)
        let sending = PendingSend { [self] in cancel(call) }
        if bytes.isEmpty {
            sending.finish(.success(()))
        } else if Task.isCancelled {
            // Not one byte of it goes out.
            sending.finish(.failure(.cancelled))
        } else {
            begin(call, sending)
        }
        return sending
    }

    private func begin(_ call: SendCall, _ sending: PendingSend) {
        end { state in
            call.sending = sending
            if state.calls.isEmpty, !state.isMidway { state.pace = ChunkPace(after: state.pace) }
            state.isMidway = !call.isLast
            state.calls.append(call)
            if let broken = state.broken {
                fail(call, broken, &state)
            } else {
                fill(&state)
            }
        }
    }

    private func cancel(_ call: SendCall) {
        end { state in
            guard let index = state.calls.firstIndex(where: { $0 === call }) else { return }
            for call in state.calls[index...] { fail(call, .cancelled, &state) }
        }
    }

    /// Ends every call, now and from now on, until `mend`.
    func breakOff(_ failure: DevicePipeError) {
        end { state in
            if state.broken?.kind != .gone { state.broken = failure }
            for call in state.calls { fail(call, failure, &state) }
        }
    }

    /// After a stall has been cleared.
    func mend() {
        state.withLock { state in
            if state.broken?.kind != .gone { state.broken = nil }
        }
    }

    var broken: DevicePipeError? { state.withLock(\.broken) }

    /// Changes the state, and then resumes the calls that have ended by it.
    private func end(_ change: (inout sending State) -> Void) {
        let ended = state.withLock { state in
            change(&state)
            return Self.takeEnded(&state)
        }
        for (sending, result) in ended { sending.finish(result) }
    }

    private typealias Ended = (PendingSend, PendingSend.Result)

    private static func takeEnded(_ state: inout State) -> [Ended] {
        guard state.calls.contains(where: \.hasEnded) else { return [] }
        let ended = state.calls.filter(\.hasEnded)
        state.calls.removeAll(where: \.hasEnded)
        // The memory of large ones is given back when the document is through.
        if state.calls.isEmpty { state.idle.removeAll { $0.buffer.count > largestIdle } }
        return ended.compactMap { call in call.sending.take().map { ($0, call.result) } }
    }

    private static let largestIdle = 16384

    private func fail(_ call: SendCall, _ failure: DevicePipeError, _ state: inout State) {
        guard call.failure == nil else { return }
        call.failure = failure
        state.isMidway = false
        for transfer in call.transfers { transfer.cancel() }
    }

    /// Submits as many transfers as shall be under way. Where the kernel has no memory for one more, those that are
    /// under way go on alone; where none is, a smaller one is tried.
    private func fill(_ state: inout State) {
        if Self.underWay(state) == 0 { state.pace.began(at: clock.now) }
        while Self.underWay(state) < ChunkPace.depth,
            let call = state.calls.first(where: { !$0.isSubmitted && $0.failure == nil })
        {
            let failure = submitNext(of: call, &state)
            guard failure.code.isError else { continue }
            if failure.code == .noMemory {
                if Self.underWay(state) > 0 { return }
                if state.pace.shrink() { continue }
            }
            return failAll(failure, &state)
        }
    }

    private static func underWay(_ state: State) -> Int { state.calls.reduce(0) { $0 + $1.transfers.count } }

    /// One transfer more of a call; with a code that is no error it is under way.
    private func submitNext(of call: SendCall, _ state: inout State) -> LibUSBFailure {
        let chunk = call.rest.prefix(state.pace.chunk)
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
        // Those that are idle are kept here, so they must not keep us.
        return Transfer(on: handle, capacity: max(count, state.pace.chunk)) { [weak self] in self?.ended($0) }
    }

    private func failAll(_ failure: LibUSBFailure, _ state: inout State) {
        let error = DevicePipeError(failure)
        state.broken = error
        for call in state.calls { fail(call, error, &state) }
    }

    /// On the event thread.
    private func ended(_ transfer: Transfer) {
        let (status, count) = (transfer.status, transfer.count)
        var told: SendCall?
        let (ended, isGone): ([Ended], Bool) = state.withLock { state in
            guard let call = state.calls.first(where: { $0.transfers.contains { $0 === transfer } }) else {
                return ([], false)
            }
            call.transfers.removeAll { $0 === transfer }
            call.finished += count
            if count > 0 { told = call }
            state.pace.ended(count, at: clock.now)
            let code = LibUSBCode(ending: status)
            if status == LIBUSB_TRANSFER_COMPLETED, count == transfer.length {
                state.idle.append(transfer)
            } else if call.failure == nil {
                failAll(LibUSBFailure("libusb_submit_transfer", code), &state)
            }
            // Also behind the end of a cancelled one: others may wait for its place.
            if state.broken == nil { fill(&state) }
            return (Self.takeEnded(&state), code == .noDevice)
        }
        told?.taken(count)
        for (sending, result) in ended { sending.finish(result) }
        if isGone { whenGone() }
    }
}

extension DevicePipeError {
    static let cancelled = DevicePipeError(.cancelled, operation: "libusb_cancel_transfer", reason: "it was cancelled")
    static let gone = DevicePipeError(LibUSBFailure("libusb_submit_transfer", .noDevice))
}
