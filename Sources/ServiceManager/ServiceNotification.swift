/// A message to the service manager: assignments, a line each (sd_notify(3)).
package struct ServiceNotification: Hashable, Sendable, CustomStringConvertible {
    private var lines: [String]

    /// The message as it is sent.
    package var description: String { lines.joined(separator: "\n") }

    /// The service has started, or is done with reloading.
    package static let ready = ServiceNotification(lines: ["READY=1"])
    /// The service is about to end.
    package static let stopping = ServiceNotification(lines: ["STOPPING=1"])
    /// The service is alive: the watchdog's time begins anew.
    package static let watchdog = ServiceNotification(lines: ["WATCHDOG=1"])

    /// The service reloads its configuration, since `microseconds` of CLOCK_MONOTONIC. `ready` ends that.
    package static func reloading(since microseconds: UInt64) -> ServiceNotification {
        ServiceNotification(lines: ["RELOADING=1", "MONOTONIC_USEC=\(microseconds)"])
    }

    /// The state of the service, a line for people (`systemctl status`). Control characters become spaces.
    package static func status(_ text: String) -> ServiceNotification {
        let line = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
        return ServiceNotification(lines: ["STATUS=\(line)"])
    }

    /// The watchdog's time is this from now on, whatever the unit says.
    package static func watchdogTime(microseconds: UInt64) -> ServiceNotification {
        ServiceNotification(lines: ["WATCHDOG_USEC=\(microseconds)"])
    }

    /// Both in one message.
    package static func + (left: ServiceNotification, right: ServiceNotification) -> ServiceNotification {
        ServiceNotification(lines: left.lines + right.lines)
    }
}
