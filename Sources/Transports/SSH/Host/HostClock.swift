package import NIOCore

/// The clock of a host's deadlines, used on its event loop.
package protocol HostClock: Sendable {
    var now: NIODeadline { get }
    /// Schedules `work` on `eventLoop`, on which this is called; returns the timer that cancels it.
    func schedule(in time: TimeAmount, on eventLoop: any EventLoop, _ work: @escaping () -> Void) -> HostTimer
}

/// Work that is scheduled for later.
package struct HostTimer {
    /// Cancels the work; does nothing where it is done already.
    package let cancel: () -> Void

    package init(cancel: @escaping () -> Void) { self.cancel = cancel }
}

/// The event loop's own time.
package struct EventLoopClock: HostClock {
    package init() {}

    package var now: NIODeadline { .now() }

    package func schedule(in time: TimeAmount, on eventLoop: any EventLoop, _ work: @escaping () -> Void) -> HostTimer {
        let timer = eventLoop.assumeIsolated().scheduleTask(in: time, work)
        return HostTimer { timer.cancel() }
    }
}
