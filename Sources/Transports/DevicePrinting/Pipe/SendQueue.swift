import Synchronization

/// The bytes that callers send into a pipe, in their order: what is to be written next, and how much of it the device
/// has accepted. Does no I/O; belongs to whatever writes to the device.
package struct SendQueue {
    /// The bytes of one caller.
    package struct Call: Sendable {
        package let number: Int
        fileprivate let bytes: ArraySlice<UInt8>
        fileprivate let sending: PendingSend
        fileprivate let accepted: @Sendable (Int) -> Void
        /// How many of them were written.
        fileprivate var written = 0
        /// How many of them are accepted, and were reported.
        fileprivate var acceptedCount = 0
        /// Whether nothing more of it is to be written.
        fileprivate var isCancelled = false
        /// Whether its caller knows that it has ended, while the device has not accepted all that was written of it.
        fileprivate var isFinished = false

        /// Whether it is a status request that was written completely.
        fileprivate var isWholeRequest: Bool { bytes.count <= 16 && written == bytes.count }

        package init(
            _ number: Int, _ bytes: ArraySlice<UInt8>, _ sending: PendingSend,
            _ accepted: @escaping @Sendable (Int) -> Void
        ) {
            (self.number, self.bytes, self.sending, self.accepted) = (number, bytes, sending, accepted)
        }

        /// Refuses it: nothing of it was written, and it is in no queue.
        package func refuse(_ error: DevicePipeError) { sending.finish(.failure(error)) }

        /// Tells its caller how it ended. At most what was written is accepted of a call that failed.
        fileprivate mutating func finish(_ error: DevicePipeError? = nil) {
            guard !isFinished else { return }
            isFinished = true
            guard var error else { return sending.finish(.success(())) }
            error.accepted = written
            sending.finish(.failure(error))
        }
    }

    private static let numbers = Atomic(0)

    /// A number that no other call has.
    package static func nextNumber() -> Int { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    private var calls: [Call] = []

    package init() {}

    package mutating func append(_ call: Call) { calls.append(call) }

    /// Whether bytes of this call are still to be accepted, or to be written.
    package func contains(_ number: Int) -> Bool { calls.contains { $0.number == number && !$0.isFinished } }

    /// Whether nothing that is under way has a caller that still wants it.
    package var isFirstCancelled: Bool { calls.first { !$0.isFinished }?.isCancelled ?? true }

    /// At most this many of the bytes to write next; empty where there are none.
    package func next(maximum: Int) -> ArraySlice<UInt8> {
        guard let call = calls.first(where: { $0.written < $0.bytes.count }), !call.isCancelled else { return [] }
        let start = call.bytes.startIndex + call.written
        return call.bytes[start..<min(start + maximum, call.bytes.endIndex)]
    }

    /// Notes that so many of the bytes that `next` returned were written.
    package mutating func wrote(_ count: Int) {
        guard let index = calls.firstIndex(where: { $0.written < $0.bytes.count }) else { return }
        calls[index].written += count
    }

    /// Tells the callers of bytes that the device has accepted, and ends the calls of which all are.
    package mutating func accepted(_ count: Int) {
        var rest = count
        while rest > 0, let first = calls.first {
            let part = min(rest, first.written - first.acceptedCount)
            calls[0].acceptedCount += part
            rest -= part
            if part > 0, !first.isFinished { first.accepted(part) }
            if calls[0].acceptedCount == first.bytes.count {
                calls[0].finish()
                calls.removeFirst()
            } else if !endCancelled() {
                return
            }
        }
    }

    /// Cancels a call, and those behind it, whose data belongs behind the missing data: nothing more of them is written.
    /// They end once what was written is accepted. A status request that was written completely ends at once, since it
    /// harms nothing that arrives late.
    package mutating func cancel(_ number: Int) {
        guard let index = calls.firstIndex(where: { $0.number == number }) else { return }
        if index == calls.count - 1, calls[index].isWholeRequest { return calls[index].finish(.cancelled) }
        for index in index..<calls.count { calls[index].isCancelled = true }
        _ = endCancelled()
    }

    /// Ends the cancelled calls where all that was written of them is accepted; false where there is none to end. With
    /// `isDiscarded`, nothing more of it will be accepted.
    @discardableResult
    package mutating func endCancelled(isDiscarded: Bool = false) -> Bool {
        guard let index = calls.firstIndex(where: \.isCancelled),
            isDiscarded || calls[index...].allSatisfy({ $0.written == $0.acceptedCount })
        else { return false }
        for index in index..<calls.count { calls[index].finish(.cancelled) }
        calls.removeSubrange(index...)
        // Nor will what a status request has left there, which would be missing from the next call.
        if isDiscarded { calls.removeAll(where: \.isFinished) }
        return true
    }

    /// Ends all calls.
    package mutating func end(_ error: DevicePipeError) {
        let ended = calls
        calls = []
        for var call in ended { call.finish(call.isCancelled ? .cancelled : error) }
    }
}
