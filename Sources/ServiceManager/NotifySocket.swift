import CKioskLinux
import Glibc

/// The socket at which the service manager takes notifications (`$NOTIFY_SOCKET`, sd_notify(3)). Never blocks.
package final class NotifySocket: Sendable {
    private let descriptor: CInt
    /// A path, or "@" and an abstract name.
    private let name: String

    /// Nil where no manager asks for notifications, or where it cannot be reached this way.
    package init?(environment: (String) -> String?) {
        guard let name = environment("NOTIFY_SOCKET"), name.hasPrefix("/") || name.hasPrefix("@") else { return nil }
        let type = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return nil }
        self.name = name
    }

    deinit { close(descriptor) }

    /// What became of a message.
    package enum Outcome: Hashable, Sendable {
        case sent
        /// The manager has not read what was sent before.
        case full
        /// An errno value.
        case failed(CInt)
    }

    /// Sends a message; the kernel tells the manager which process did.
    @discardableResult
    package func send(_ notification: ServiceNotification) -> Outcome {
        let bytes = Array("\(notification)".utf8)
        switch clinux_send_datagram(descriptor, name, bytes, bytes.count) {
        case 0: return .sent
        case EAGAIN, ENOBUFS, EINTR: return .full
        case let number: return .failed(number)
        }
    }

    /// The pause between two attempts at a manager that does not read.
    private static let pause = Duration.milliseconds(100)

    /// Sends a message that must not be lost: tries again while the manager does not read, until the task is cancelled.
    @discardableResult
    package func deliver(_ notification: ServiceNotification) async -> Outcome {
        while true {
            let outcome = send(notification)
            guard outcome == .full, (try? await Task.sleep(for: Self.pause)) != nil else { return outcome }
        }
    }
}

/// The time within which the service manager wants to hear of a service again (`$WATCHDOG_USEC`,
/// sd_watchdog_enabled(3)).
package struct WatchdogTime: Hashable, Sendable {
    package let microseconds: UInt64

    /// Nil where there is no watchdog, or where it is another process's.
    package init?(environment: (String) -> String?, processID: CInt = getpid()) {
        if let process = environment("WATCHDOG_PID"), process != "\(processID)" { return nil }
        guard let time = environment("WATCHDOG_USEC").flatMap({ UInt64($0) }), time > 0, time < .max / 1000 else {
            return nil
        }
        microseconds = time
    }

    /// The pause between two messages: the next may be late by most of the time, as behind a slow disk. At least a
    /// millisecond, so that a watchdog of less keeps no processor busy.
    package var interval: Duration { .microseconds(max(1000, Int64(microseconds / 6))) }
}

/// The time since the machine's start, in microseconds (clock_gettime(2), CLOCK_MONOTONIC).
package func monotonicMicroseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
}
