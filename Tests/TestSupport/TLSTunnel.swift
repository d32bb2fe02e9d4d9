/// Debian's `socat` as a TLS server on loopback in front of a Unix socket: a daemon's door for remote clients, made
/// without any of our code.
package final class TLSTunnel: Sendable {
    package let port: Int
    private let running = RunningChild()
    private let folder: TemporaryFolder

    /// Starts it, and returns once it listens. Nil for `certificate` speaks no TLS.
    package init(to socket: String, certificate: TestCertificate?) async throws {
        folder = try TemporaryFolder("tunnel")
        port = try freePort()
        let common = "bind=127.0.0.1,fork,reuseaddr"
        let listener: String
        if let certificate {
            let both = try folder.write(readFile(certificate.chain) + readFile(certificate.key), to: "both.pem")
            listener = "OPENSSL-LISTEN:\(port),\(common),cert=\(both),verify=0"
        } else {
            listener = "TCP-LISTEN:\(port),\(common)"
        }
        let program = try InstalledProgram.path("socat", package: "socat")
        let child = try ChildProcess(program, [listener, "UNIX-CONNECT:\(socket)"])
        running.child = child
        try await waitUntilListening(child, on: port)
    }
}
