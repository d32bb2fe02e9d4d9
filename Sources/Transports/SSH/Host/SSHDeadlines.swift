package import NIOCore

/// How long each step of a connection may take.
package struct SSHDeadlines: Hashable, Sendable {
    /// The time to connect, over all addresses of the host.
    package var connect: Duration = .seconds(10)
    /// From the TCP connection until the host key is known.
    package var handshake: Duration = .seconds(10)
    /// From the host key until the login is complete.
    package var login: Duration = .seconds(20)
    /// Until the server opens a channel, or answers an SFTP request.
    package var response: Duration = .seconds(15)
    /// How long an unused connection stays open.
    package var idle: Duration = .seconds(300)
    /// How long the server may be silent before it is asked for a sign of life; after the same time again, the
    /// connection fails.
    package var keepAlive: Duration = .seconds(30)
    /// From an SFTP call until it begins, and until its end if it moves no document.
    package var sftp: Duration = .seconds(60)
    /// The number of keep-alive requests in one session. The session is then replaced at a moment when it is idle,
    /// since libssh2 keeps each answer as long as the session lasts.
    package var maximumKeepAlives = 500

    package init() {}
}

/// The clock of a host's deadlines, used on its event loop.
package protocol HostClock: Sendable {
    var now: NIODeadline { get }
    /// Schedules `work` on `eventLoop`, on which this is called; returns the timer that cancels it.
    func schedule(in time: TimeAmount, on eventLoop: any EventLoop, _ work: @escaping () -> Void) -> HostTimer
}

/// Work that is scheduled for later.
package struct HostTimer {
    /// Cancels the work; does nothing if it is done already.
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
