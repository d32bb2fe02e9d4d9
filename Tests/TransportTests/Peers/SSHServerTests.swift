import Foundation
import KioskTestSupport
import Testing

/// OpenSSH's own client as the witness that the peer is what the tests take it for.
@Suite("SSHServer")
struct SSHServerTests {
    private func ssh(_ server: SSHServer, key: String, _ command: String) async throws -> ChildProcess.Result {
        let arguments = [
            "-F", "none", "-o", "UserKnownHostsFile=/dev/null", "-o", "StrictHostKeyChecking=no", "-o", "BatchMode=yes",
            "-o", "LogLevel=ERROR", "-i", key, "-p", "\(server.port)", "\(server.user)@127.0.0.1", command,
        ]
        return try await ChildProcess.run(try InstalledProgram.path("ssh", package: "openssh-client"), arguments)
    }

    @Test("A client with an authorised key runs a command in the environment that was asked for")
    func runsCommand() async throws {
        var options = SSHServer.Options()
        options.environment = ["PATH": "/nowhere:/usr/bin:/bin"]
        let server = try await SSHServer(options)
        let key = try await server.makeKey()
        let result = try await ssh(server, key: key, #"echo "$PATH $HOME""#)
        #expect(result.end.isSuccess, "\(result.standardError)")
        #expect(result.standardOutput == "/nowhere:/usr/bin:/bin \(server.home)\n")
    }

    @Test("A key that nobody authorised is refused")
    func refusesKey() async throws {
        let server = try await SSHServer()
        let key = try await server.makeKey(authorized: false)
        let result = try await ssh(server, key: key, "true")
        #expect(result.end == .exited(255))
        #expect(result.standardError.contains("Permission denied"))
    }

    @Test("Stopped with its sessions, it can start again on the same port")
    func startsAgain() async throws {
        let server = try await SSHServer()
        let key = try await server.makeKey()
        try await server.stop()
        #expect(try await ssh(server, key: key, "true").end == .exited(255))
        try await server.start()
        #expect(try await ssh(server, key: key, "true").end.isSuccess)
    }
}
