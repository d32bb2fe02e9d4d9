import DeviceStatus

/// One `send` that has not ended. Everything in it belongs to the lock of its `OutPipe`.
final class SendCall: @unchecked Sendable {
    let bytes: [UInt8]
    let taken: @Sendable (Int) -> Void
    var continuation: CheckedContinuation<Result<Void, DevicePipeError>, Never>?
    /// Bytes handed to libusb, and those of them that the device has taken.
    var submitted = 0
    var finished = 0
    var transfers: [Transfer] = []
    var isCancelled = false
    /// Why it ends; it then waits for its transfers only.
    var failure: DevicePipeError?

    init(_ bytes: [UInt8], taken: @escaping @Sendable (Int) -> Void) {
        self.bytes = bytes
        self.taken = taken
    }

    var isSubmitted: Bool { submitted == bytes.count }
    var hasEnded: Bool { transfers.isEmpty && (failure != nil || isSubmitted) }

    var result: Result<Void, DevicePipeError> {
        guard var failure else { return .success(()) }
        failure.taken = min(failure.taken + finished, bytes.count)
        return .failure(failure)
    }
}
