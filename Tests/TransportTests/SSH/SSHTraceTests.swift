import Foundation
import KioskPrintModel
import KioskSSH
import KioskTestSupport
import Testing

@Suite("SSH: the trace of a connection", .timeLimit(.minutes(10)))
struct SSHTraceTests {
    private let trace = WireTrace()
    private let lines = Recorder<WireTrace.Line>()

    private var messages: [String] { lines.all.map(\.message) }

    /// Runs a command with this login, and records what is told about the connection.
    private func run(_ login: SSHLogin, at server: SSHServer) async throws {
        let printers = Set([
            try PrinterURL("ssh+lpr://kiosk@127.0.0.1/receipt"), try PrinterURL("ssh+lpr://kiosk@127.0.0.1/label"),
        ])
        let listener = trace.listen(to: printers.first) { [lines] in lines.add($0) }
        defer { listener.stop() }
        try await server.withHost(login, trace: ConnectionTrace(trace) { printers }) { host in
            _ = try await host.run(RemoteCommand(line: "echo on"))
        }
    }

    @Test("The host key, the login and the end are told, and nothing of the key")
    func keyLogin() async throws {
        let server = try await SSHServer()
        let path = try await server.makeKey(passphrase: "secret words")
        try await run(SSHLogin(privateKey: .init(path: path, passphrase: Secret("secret words"))), at: server)
        let told = messages
        #expect(told.contains("connected to 127.0.0.1, port \(server.port)"))
        #expect(told.contains { $0.hasPrefix("host key ") && $0.contains(" SHA256:") })
        #expect(told.contains { $0.hasPrefix("the server offers ") && $0.contains("publickey") })
        #expect(told.contains("log in as \(server.user) with a key"))
        #expect(told.contains("logged in as \(server.user)"))
        #expect(told.contains { $0.hasPrefix("the connection ended: ") })
        #expect(told.count(where: { $0.hasPrefix("logged in") }) == 1, "each printer is told once")
        let key = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n").dropFirst()
        #expect(!told.contains { $0.contains("secret words") })
        #expect(!told.contains { message in key.contains { message.contains($0) } })
        #expect(lines.all.allSatisfy { $0.source == .ssh })
    }

    @Test("A refused login tells what the server did not accept")
    func refusedLogin() async throws {
        let server = try await SSHServer()
        let path = try await server.makeKey(authorized: false)
        _ = try await sshError { try await run(SSHLogin(privateKey: .init(path: path)), at: server) }
        #expect(messages.contains("the server does not accept a key"))
        #expect(messages.contains { $0.hasPrefix("no connection: log in: ") })
        #expect(!messages.contains { $0.hasPrefix("logged in") })
    }

    @Test("A password is in no line", .enabled(if: geteuid() == 0, "a user of its own needs root"))
    func passwordLogin() async throws {
        var options = SSHServer.Options()
        options.accounts = .clerk(password: "correct horse")
        let server = try await SSHServer(options)
        try await run(SSHLogin(password: Secret("correct horse")), at: server)
        #expect(messages.contains { $0.hasPrefix("log in as ") && $0.contains("with a password") })
        #expect(messages.contains("logged in as \(server.user)"))
        #expect(!messages.contains { $0.contains("correct horse") })
    }
}
