import NIOCore
import NIOPosix
import SSH

/// A clock that moves on only when it is told to. Unchecked: its state is used on the event loop of the one host that
/// has it.
final class ManualHostClock: HostClock, @unchecked Sendable {
    private(set) var now = NIODeadline.now()
    private var timers: [Int: (due: NIODeadline, eventLoop: any EventLoop, work: () -> Void)] = [:]
    private var next = 0
    /// The host's.
    let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

    func schedule(in time: TimeAmount, on eventLoop: any EventLoop, _ work: @escaping () -> Void) -> HostTimer {
        eventLoop.preconditionInEventLoop()
        next += 1
        let number = next
        timers[number] = (now + time, eventLoop, work)
        return HostTimer { self.timers[number] = nil }
    }

    /// Does what is due meanwhile, one after the other, and returns when it is done.
    func pass(_ duration: Duration) async throws {
        try await eventLoop.submit { [self] in
            let end = now + TimeAmount(duration)
            while let (number, timer) = timers.min(by: { $0.value.due < $1.value.due }), timer.due <= end {
                timers[number] = nil
                now = timer.due
                timer.work()
            }
            now = end
        }.get()
    }
}
