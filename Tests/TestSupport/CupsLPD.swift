import Foundation

/// CUPS's line printer daemon (`cups-lpd` of `cups-bsd`) in front of a private CUPS, as inetd would start it: `socat`
/// starts one for each connection.
package final class CupsLPD: Sendable {
    package let cups: CupsServer
    package let port: Int
    private let listener: ChildProcess

    /// Why it cannot run here; nil where it can.
    package static var obstacle: String? {
        FileManager.default.isExecutableFile(atPath: program) ? nil : "cups-lpd is missing: install cups-bsd"
    }

    private static let program = "/usr/lib/cups/daemon/cups-lpd"

    /// Starts both, and returns once connections are taken.
    package init() async throws {
        cups = try await CupsServer()
        port = try freePort()
        listener = try ChildProcess(
            try InstalledProgram.path("socat", package: "socat"),
            [
                "TCP-LISTEN:\(port),bind=127.0.0.1,reuseaddr,fork",
                // Where it ends with another status, socat may drop what it said last.
                "SYSTEM:'\(Self.program) -n -h 127.0.0.1\\:\(cups.port); true'",
            ])
        try await waitUntilListening(listener, on: port)
    }

    deinit {
        for process in descendants(of: listener.processID) { Glibc.kill(process, SIGKILL) }
        listener.kill()
    }
}
