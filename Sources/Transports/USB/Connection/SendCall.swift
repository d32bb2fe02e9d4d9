import DevicePrinting

/// One send that has not ended. Everything in it belongs to the lock of its `OutPipe`.
final class SendCall: @unchecked Sendable {
    private let bytes: ArraySlice<UInt8>
    /// Nothing follows that belongs with it.
    let isLast: Bool
    let taken: @Sendable (Int) -> Void
    /// The send that waits for this call; nil once it knows how it ended.
    var sending: PendingSend?
    /// Bytes handed to libusb, and those of them that the device has taken.
    var submitted = 0
    var finished = 0
    var transfers: [Transfer] = []
    /// Why it ends; it then waits for its transfers only.
    var failure: DevicePipeError?

    /// Bytes of a packet.
    private let packet: Int

    init(_ bytes: ArraySlice<UInt8>, isLast: Bool, packet: Int, taken: @escaping @Sendable (Int) -> Void) {
        self.bytes = bytes
        self.isLast = isLast
        self.packet = packet
        self.taken = taken
    }

    /// What has not been handed to libusb yet.
    var rest: ArraySlice<UInt8> { bytes.dropFirst(submitted) }
    var isSubmitted: Bool { submitted == bytes.count }
    var hasEnded: Bool { transfers.isEmpty && (failure != nil || isSubmitted) }

    var result: PendingSend.Result {
        guard var failure else { return .success(()) }
        // Where it broke off by itself, one packet more may have come through, of which only the answer was lost.
        let isCertain = failure.kind == .cancelled || failure.kind == .stalled
        failure.taken = isCertain ? finished : min(finished + packet, submitted)
        return .failure(failure)
    }
}
