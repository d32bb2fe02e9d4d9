import Glibc

/// A socket pair that wakes a thread waiting for work.
package final class WakeupSocket: Sendable {
    private let ends: (sender: Int32, receiver: Int32)

    /// Why a wait ended.
    package enum Cause: Equatable {
        case signalled, timedOut
        /// What the other descriptor is ready for (poll(2), `revents`).
        case ready(events: Int16)
    }

    package init() {
        var pair: [Int32] = [-1, -1]
        // Without descriptors the waiting thread checks for work at intervals.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        if socketpair(AF_UNIX, type, 0, &pair) != 0 { pair = [-1, -1] }
        ends = (pair[0], pair[1])
    }

    deinit {
        if ends.sender >= 0 { close(ends.sender) }
        if ends.receiver >= 0 { close(ends.receiver) }
    }

    package func signal() {
        var byte: UInt8 = 0
        // A full socket wakes as well.
        send(ends.sender, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// Milliseconds between two checks where there are no descriptors.
    private static let intervalWithoutDescriptors: Int32 = 100

    /// Waits until `signal()` is called, the other descriptor is ready for one of these events (poll(2)) or broken, or
    /// the time is over; without a timeout, for as long as that takes. Blocks.
    package func wait(
        orFor descriptor: Int32?, events: Int16 = Int16(POLLIN), timeout: Duration?
    ) -> Cause {
        var polled = [pollfd(fd: ends.receiver, events: Int16(POLLIN), revents: 0)]
        if let descriptor { polled.append(pollfd(fd: descriptor, events: events, revents: 0)) }
        let count = poll(
            &polled, nfds_t(polled.count),
            ends.receiver >= 0 ? timeout?.milliseconds ?? -1 : Self.intervalWithoutDescriptors)
        guard count > 0 else { return count == 0 && ends.receiver >= 0 ? .timedOut : .signalled }
        if polled.count > 1, polled[1].revents != 0 { return .ready(events: polled[1].revents) }
        var bytes = [UInt8](repeating: 0, count: 256)
        while recv(ends.receiver, &bytes, bytes.count, 0) > 0 {}
        return .signalled
    }
}

extension Duration {
    /// The whole milliseconds of a poll(2) timeout, rounded up.
    package var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
