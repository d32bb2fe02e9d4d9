import KioskAsyncPrimitives
import KioskEngine
import KioskPrintModel
import KioskServiceManager
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// What the service manager that started the daemon is told: that it accepts, reloads, ends and is alive. Nothing,
/// where there is no such manager.
final class Supervision: Sendable {
    private let socket: NotifySocket?
    private let watchdog: WatchdogTime?
    private let logger: Logger

    init(logger: Logger, environment: (String) -> String?) {
        self.logger = logger
        socket = NotifySocket(environment: environment)
        watchdog = WatchdogTime(environment: environment)
    }

    /// The time to recover a damaged queue in, before the manager takes the daemon for hung.
    private static let recoveryMicroseconds: UInt64 = 600_000_000
    /// The pause between two looks at what to tell, where there is no watchdog.
    private static let statusInterval = Duration.seconds(20)

    /// The pause between two signs of life; nil where nobody asks for them.
    fileprivate var interval: Duration? { socket == nil ? nil : watchdog?.interval ?? Self.statusInterval }

    /// The socket accepts connections.
    func ready() async {
        // A start that recovered the queue has the manager wait longer until here (`recovering`).
        var message = ServiceNotification.ready
        if let watchdog { message = message + .watchdogTime(microseconds: watchdog.microseconds) }
        await deliver(message)
    }

    /// Sends what the manager waits for: it ends a service of which it does not hear.
    private func deliver(_ message: ServiceNotification) async {
        guard case .failed(let number)? = await socket?.deliver(message) else { return }
        let word = "\(message)".prefix { $0 != "\n" }
        logger.error(
            "the service manager cannot be told \(word): \(errorText(number)); check NOTIFY_SOCKET, which leads to it")
    }

    /// Tells that the registry is read again, has that done, and tells that it was.
    func reload(_ body: () async -> Void) async {
        await deliver(.reloading(since: monotonicMicroseconds()))
        await body()
        await deliver(.ready)
    }

    /// The daemon is about to start anew in place and recover its queue, which may take longer than the watchdog waits.
    func recovering() async {
        var message = ServiceNotification.status("Recovering the queue")
        if watchdog != nil { message = message + .watchdogTime(microseconds: Self.recoveryMicroseconds) + .watchdog }
        await socket?.deliver(message)
    }

    fileprivate func alive(_ status: String, isNew: Bool) {
        switch (isNew, watchdog != nil) {
        case (true, true): socket?.send(.status(status) + .watchdog)
        case (true, false): socket?.send(.status(status))
        case (false, true): socket?.send(.watchdog)
        case (false, false): break
        }
    }

    fileprivate func stopping() async { await socket?.deliver(.stopping) }
}

/// Feeds the service manager's watchdog, and shows in its status what the daemon does.
///
/// Each sign of life goes round through the event loop, the engine and the queue's thread first. Where one of them
/// hangs it does not come back, none is sent, and the manager starts the daemon anew.
struct WatchdogService: Service {
    let supervision: Supervision
    let engine: PrintEngine
    let stop: StopSignals

    func run() async throws {
        guard let interval = supervision.interval else {
            // A service that ends takes the daemon with it.
            try? await gracefulShutdown()
            return
        }
        await cancelWhenGracefulShutdown {
            var told: String?
            repeat {
                try? await MultiThreadedEventLoopGroup.singleton.next().submit {}.get()
                await engine.ping()
                let status = await summary()
                if Task.isCancelled { return }
                supervision.alive(status, isNew: status != told)
                told = status
            } while (try? await Task.sleep(for: interval)) != nil
        }
        // A daemon that starts anew in place goes on: after this word the manager would end it.
        if stop.hasCome { await supervision.stopping() }
    }

    /// `3 printers, 1 not available; 2 jobs`
    private func summary() async -> String {
        let printers = await engine.printers()
        let jobs = await engine.openJobCount
        let away = printers.count { !$0.availability.isAvailable }
        return "\(Self.count(printers.count, "printer"))\(away > 0 ? ", \(away) not available" : ""); "
            + Self.count(jobs, "job")
    }

    private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

/// The service that ends the daemon when a signal has come.
extension StopSignals: Service {
    /// Returns when one has come, when a graceful shutdown begins, or when the task is cancelled.
    package func run() async throws { await cancelWhenGracefulShutdown { await self.wait() } }
}
