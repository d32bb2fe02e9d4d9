/// A way to one device and back: a pair of USB bulk endpoints, or a TCP connection to port 9100. Whoever holds it owns
/// the device; nobody else writes to it meanwhile.
///
/// Every call may be cancelled, and then ends within 100 ms with `DevicePipeError.Kind.cancelled`.
package protocol DevicePipe: AnyObject, Sendable {
    /// Whether the device can answer at all.
    var hasBackChannel: Bool { get }

    /// Begins to send bytes behind those of earlier calls; the next call may be made while one is under way, so that
    /// the pipe stays full. It ends when the device has taken all, and waits for as long as it takes none: whoever has
    /// waited enough cancels. In a task that is cancelled already it ends at once, and no byte goes out.
    ///
    /// `isLast`: nothing follows that belongs with it, which a device may want to be told. `taken` is told how many
    /// bytes more the device took, and never after the end.
    func begin(_ bytes: ArraySlice<UInt8>, isLast: Bool, taken: @escaping @Sendable (Int) -> Void) -> PendingSend

    /// What the device says, in pieces as they come, from now on; what it said before is gone. One caller at a time.
    /// Ends when the pipe breaks. Without a back-channel it ends at once.
    ///
    /// What nobody takes is kept up to 64 KiB; then the oldest is dropped.
    func answers() -> AsyncStream<[UInt8]>

    /// The byte of the printer class's GET_PORT_STATUS; nil where there is no such thing.
    func portStatus() async throws(DevicePipeError) -> PortStatus?

    /// Makes a pipe usable again after a stall or a cancelled call: halts are cleared. `resetting` also empties the
    /// device's buffers where the pipe has a way of its own for that (SOFT_RESET), which not every device survives.
    func restore(resetting: Bool) async throws(DevicePipeError)
}

extension DevicePipe {
    /// Sends bytes, and returns when the device has taken all. Cancelling the task cancels the send.
    package func send(
        _ bytes: ArraySlice<UInt8>, isLast: Bool, taken: @escaping @Sendable (Int) -> Void
    ) async throws(DevicePipeError) {
        try await begin(bytes, isLast: isLast, taken: taken).end()
    }

    /// Sends something that is whole.
    package func send(_ bytes: [UInt8], taken: @escaping @Sendable (Int) -> Void) async throws(DevicePipeError) {
        try await send(bytes[...], isLast: true, taken: taken)
    }
}
