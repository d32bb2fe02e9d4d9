import Foundation

/// Debian's `dbus-daemon` as a system bus of the test's own.
package final class MessageBus: Sendable {
    private let folder: TemporaryFolder
    private let daemon: ChildProcess

    /// Starts it, and returns once it listens.
    package init() async throws {
        folder = try TemporaryFolder("bus")
        let socket = folder.appending("bus")
        let configuration = try folder.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>system</type><listen>unix:path=\(socket)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
            """, to: "bus.conf")
        let program = try InstalledProgram.path("dbus-daemon", package: "dbus-daemon")
        let daemon = try ChildProcess(program, ["--config-file=\(configuration)", "--nofork", "--nopidfile"])
        self.daemon = daemon
        try await eventually("the socket of dbus-daemon") {
            guard daemon.isRunning else { throw TestSupportError("dbus-daemon ended: \(daemon.standardError)") }
            return try isListening(atSocket: socket)
        }
    }

    /// What leads a program to it.
    package var environment: [String: String] {
        ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.appending("bus"))"]
    }
}
