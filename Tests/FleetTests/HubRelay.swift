import Glibc
import KioskTestSupport

/// One kiosk's way to the hub, which can be cut in silence: `socat` with a process for each connection. What is sent
/// meanwhile comes when the way is mended.
final class HubRelay: Sendable {
    let port: Int
    var url: String { "nats://127.0.0.1:\(port)" }
    private let child: ChildProcess

    /// Starts it, and returns once it listens.
    init(to hub: Int) async throws {
        port = try freePort()
        child = try ChildProcess(
            try InstalledProgram.path("socat", package: "socat"),
            ["TCP-LISTEN:\(port),bind=127.0.0.1,fork,reuseaddr", "TCP:127.0.0.1:\(hub)"])
        try await waitUntilListening(child, on: port)
    }

    deinit {
        // Whoever is stopped ends only when it goes on.
        try? mend()
        for process in childProcesses(of: child.processID) { Glibc.kill(process, SIGTERM) }
        child.kill()
    }

    func cut() throws { try signal(SIGSTOP) }

    func mend() throws { try signal(SIGCONT) }

    private func signal(_ signal: Int32) throws {
        // The one that listens first: then there are no new ones.
        for process in [child.processID] + childProcesses(of: child.processID) {
            // A connection may have ended meanwhile.
            guard Glibc.kill(process, signal) == 0 || errno == ESRCH else {
                throw TestSupportError.errno("kill", errno)
            }
        }
    }
}
