import Glibc

/// Wakes a thread that waits for work.
final class WakeBell: Sendable {
    private let ends: (waker: Int32, sleeper: Int32)

    enum Cause { case rang, spoke, timedOut }

    init() {
        var pair: [Int32] = [-1, -1]
        // Without descriptors the sleeper looks by itself every now and then.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        if socketpair(AF_UNIX, type, 0, &pair) != 0 { pair = [-1, -1] }
        ends = (pair[0], pair[1])
    }

    deinit {
        if ends.waker >= 0 { close(ends.waker) }
        if ends.sleeper >= 0 { close(ends.sleeper) }
    }

    func ring() {
        var byte: UInt8 = 0
        // A full socket wakes as well.
        send(ends.waker, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    private static let withoutDescriptors: Int32 = 100

    /// Until it rings, something comes over the other descriptor, or the time is over.
    func wait(beside descriptor: Int32?, for time: Duration?) -> Cause {
        var polled = [pollfd(fd: ends.sleeper, events: Int16(POLLIN), revents: 0)]
        if let descriptor { polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
        let count = poll(
            &polled, nfds_t(polled.count), ends.sleeper >= 0 ? time?.milliseconds ?? -1 : Self.withoutDescriptors)
        guard count > 0 else { return count == 0 && ends.sleeper >= 0 ? .timedOut : .rang }
        if polled.count > 1, polled[1].revents != 0 { return .spoke }
        var bytes = [UInt8](repeating: 0, count: 256)
        while recv(ends.sleeper, &bytes, bytes.count, 0) > 0 {}
        return .rang
    }
}

extension Duration {
    /// As poll(2) takes them, rounded up.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
