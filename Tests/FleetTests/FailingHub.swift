import Foundation
import KioskFleet
import KioskTestSupport

/// A server that names itself as NATS's does, and then fails each login at the same point.
final class FailingHub: Sendable {
    /// What it does last.
    enum Failure: String, CaseIterable, Sendable {
        /// It takes the connection and says nothing.
        case mute
        /// It names itself, and says nothing to the login.
        case silent
        /// It asks for TLS, and leaves the handshake to the client.
        case silentInHandshake = "silent-in-handshake"
        /// Behind the handshake it says nothing to the login, ends the connection as a crash does, or sends what is no
        /// TLS record.
        case silentOverTLS = "silent-over-tls"
        case endsOverTLS = "ends-over-tls"
        case junkOverTLS = "junk-over-tls"
    }

    let port: Int
    /// Where it asks for TLS, this signed its certificate for `localhost`, else nil.
    let authority: String?
    private let folder: TemporaryFolder
    private let process: ChildProcess

    private static let program = #"""
        import signal, socket, ssl, sys, threading, time
        port, failure, folder, certificate, key = sys.argv[1:]
        listener = socket.create_server(("127.0.0.1", int(port)))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if certificate: context.load_cert_chain(certificate, key)

        def fail(connection):
            over_tls = failure.endswith("-over-tls")
            if failure != "mute":
                required = "true" if over_tls or failure == "silent-in-handshake" else "false"
                connection.sendall(b'INFO {"server_id":"A","version":"2.9.10","max_payload":1048576,"tls_required":%s}\r\n'
                    % required.encode())
            if over_tls:
                raw = socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM)
                connection = context.wrap_socket(connection, server_side=True)
                while not (received := connection.recv(65536)).endswith(b"PING\r\n"):
                    if not received: return
            with open(folder + "/failed", "a") as log: log.write("login\n")
            if failure == "junk-over-tls": raw.sendall(b"PONG\r\n" * 20)
            if failure == "ends-over-tls":
                raw.shutdown(socket.SHUT_RDWR)
            else:
                while connection.recv(65536): pass

        def serve(connection):
            try: fail(connection)
            except OSError: pass

        print("ready", flush=True)
        while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """#

    /// Returns once it takes connections, at a free port where none is named.
    init(_ failure: Failure, port: Int? = nil) async throws {
        self.port = try port ?? freePort()
        folder = try TemporaryFolder("failing-hub")
        var files = ["", ""]
        if failure.rawValue.hasSuffix("-over-tls") {
            let certificate = try await TestAuthority.selfSigned()
            files = [certificate.certificate, certificate.key]
        }
        authority = files[0].isEmpty ? nil : files[0]
        process = try ChildProcess(
            InstalledProgram.path("python3", package: "python3"),
            ["-c", Self.program, String(self.port), failure.rawValue, folder.path] + files)
        try await process.waitForOutput("ready")
    }

    /// Those of a link that is left to it for two seconds.
    var options: NATSLink.Options {
        var options = NATSLink.Options.test(["\(authority == nil ? "nats" : "tls")://localhost:\(port)"])
        options.connectTimeout = .seconds(2)
        if let authority { options.tls = .authorities(file: authority) }
        return options
    }

    /// How many logins have come as far as the point where it fails.
    var failures: Int {
        let log = try? String(contentsOfFile: folder.appending("failed"), encoding: .utf8)
        return log?.split(separator: "\n").count ?? 0
    }

    func end() async throws {
        process.kill()
        try await process.wait()
    }
}
