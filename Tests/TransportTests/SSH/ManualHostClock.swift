import KioskSSH
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// A clock that a test advances. Unchecked: its state is used on the event loop of the one host that has it.
final class ManualHostClock: HostClock, @unchecked Sendable {
    private(set) var now = NIODeadline.now()
    private var timers: [Int: (due: NIODeadline, eventLoop: any EventLoop, work: () -> Void)] = [:]
    private var next = 0
    /// The host's event loop.
    let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

    func schedule(in time: TimeAmount, on eventLoop: any EventLoop, _ work: @escaping () -> Void) -> HostTimer {
        eventLoop.preconditionInEventLoop()
        next += 1
        let number = next
        timers[number] = (now + time, eventLoop, work)
        return HostTimer { self.timers[number] = nil }
    }

    /// Advances the clock, runs what becomes due in order, and returns when it is done.
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

/// A record of log messages and metadata, complete as soon as the logging call has returned.
final class LogRecord: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(record: self) }
    }

    private struct Handler: LogHandler {
        let record: LogRecord
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            record.lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }
}
