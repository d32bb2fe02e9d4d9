import Synchronization

/// A bidirectional byte pipe to one device: a pair of USB bulk endpoints, or a TCP connection to port 9100. The holder
/// owns the device; nobody else writes to it meanwhile.
///
/// Every call can be cancelled. It then ends within 100 ms with `DevicePipeError.Kind.cancelled`.
package protocol DevicePipe: AnyObject, Sendable {
    /// Whether the device can respond at all.
    var hasBackChannel: Bool { get }

    /// Starts to send bytes behind those of earlier calls. The next call may be made while one is under way, so that
    /// the pipe stays full. The send ends when the device has taken everything, and waits as long as the device takes
    /// nothing; cancel it to stop waiting. In a task that is already cancelled it ends at once, and no byte goes out.
    ///
    /// `isLast` says that nothing follows that belongs with these bytes; some devices need to be told. `taken` is
    /// called with the number of further bytes that the device took, and never after the end.
    func begin(_ bytes: ArraySlice<UInt8>, isLast: Bool, taken: @escaping @Sendable (Int) -> Void) -> PendingSend

    /// The bytes that the device sends from now on, in chunks as they arrive; earlier bytes are dropped. One caller at
    /// a time. The stream ends when the pipe breaks, and at once without a back-channel.
    ///
    /// Bytes that nobody reads are kept up to 64 KiB; then the oldest are dropped.
    func responses() -> AsyncStream<[UInt8]>

    /// The byte of the printer class's GET_PORT_STATUS; nil where the pipe has no such request.
    func portStatus() async throws(DevicePipeError) -> PortStatus?

    /// Makes a pipe usable again after a stall or a cancelled call: clears halts. `resetting` also empties the device's
    /// buffers where the pipe has a request for that (SOFT_RESET), which not every device survives.
    func restore(resetting: Bool) async throws(DevicePipeError)
}

extension DevicePipe {
    /// Sends bytes, and returns when the device has taken all of them. Cancelling the task cancels the send.
    package func send(
        _ bytes: ArraySlice<UInt8>, isLast: Bool, taken: @escaping @Sendable (Int) -> Void
    ) async throws(DevicePipeError) {
        try await begin(bytes, isLast: isLast, taken: taken).wait()
    }

    /// Sends a complete unit: nothing that belongs with it follows.
    package func send(_ bytes: [UInt8], taken: @escaping @Sendable (Int) -> Void) async throws(DevicePipeError) {
        try await send(bytes[...], isLast: true, taken: taken)
    }
}

/// A send that has its place in a pipe, from its start to its end. One task may wait for it.
package final class PendingSend: Sendable {
    package typealias Result = Swift.Result<Void, DevicePipeError>

    private enum State {
        case underWay
        case awaited(CheckedContinuation<Result, Never>)
        case finished(Result)
    }
    private let state = Mutex(State.underWay)
    private let cancel: @Sendable () -> Void

    /// `cancel` makes the pipe finish the send soon; it may be called more than once, and after the end.
    package init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }

    /// Reports how the send ended; called once.
    package func finish(_ result: Result) {
        let waiting = state.withLock { state -> CheckedContinuation<Result, Never>? in
            defer { state = .finished(result) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: result)
    }

    /// Returns when the device has taken everything. Cancelling the task cancels the send; the call then returns when
    /// the send has ended.
    package func wait() async throws(DevicePipeError) {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Result? in
                    if case .finished(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            cancel()
        }
        try result.get()
    }
}

/// Why a pipe call failed.
package struct DevicePipeError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Unplugged or switched off; this pipe will never work again.
        case disconnected
        /// The device refuses more until the pipe is restored.
        case stalled
        case cancelled
        /// Anything else. It may yet turn out to be `disconnected`.
        case failed
    }

    package var kind: Kind
    /// Bytes of this call that the device has taken *at most*.
    package var taken: Int
    /// The failed operation, as the layer below names it: `libusb_submit_transfer`.
    package var operation: String
    /// The code of the layer below.
    package var code: Int32
    /// The description of the layer below.
    package var reason: String

    package init(_ kind: Kind, taken: Int = 0, operation: String, code: Int32 = 0, reason: String) {
        self.kind = kind
        self.taken = taken
        self.operation = operation
        self.code = code
        self.reason = reason
    }
}
