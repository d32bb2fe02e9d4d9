import Foundation
import PrintModel
import SSH
import TestSupport
import Testing

@Suite("SSH: connections that break", .timeLimit(.minutes(2)))
struct SSHBrokenConnectionTests {
    private func goesOn(_ host: SSHHost) async throws {
        let result = try await host.run(RemoteCommand(line: "echo on"))
        #expect(result.text == "on\n")
    }

    @Test("A warm session that broke is made anew by the next call")
    func whileIdle() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            for _ in 0..<10 {
                try await goesOn(host)
                server.killSessions()
            }
            try await goesOn(host)
        }
    }

    @Test("Killed while a command runs, before it has all its input, and after", arguments: [20_000_000, 5])
    func whileRunning(length: Int) async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let record = ProgressRecord()
            let command = RemoteCommand("sleep 100", input: [UInt8](repeating: 65, count: length), trailer: [1])
            let running = Task { try await sshError { _ = try await host.run(command, progress: record.note) } }
            try await eventually { length > 5 ? record.all.count > 3 : record.all.contains(.sent) }
            server.killSessions()
            let error = try await running.value
            #expect(error.code == .connectionLost, "\(error)")
            #expect(error.operation == "exec")
            #expect(error.octetsSent > 0)
            #expect(error.isInputComplete == (length == 5))
            try await goesOn(host)
        }
    }

    @Test("Killed during an upload: the call fails, and the part is removed over the next connection")
    func whileUploading() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let record = ProgressRecord()
            let document = DocumentSource.bytes([UInt8](repeating: 65, count: 50_000_000))
            let running = Task { try await sshError { try await host.upload(document, to: "part", progress: record.note) } }
            try await eventually { record.all.count > 3 }
            server.killSessions()
            let error = try await running.value
            #expect(error.code == .connectionLost)
            #expect(error.octetsSent > 0)
            try await eventually("the part's removal") { !FileManager.default.fileExists(atPath: "\(server.home)/part") }
        }
    }

    @Test("A server that is gone refuses, and is used again when it is back")
    func gone() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            try await goesOn(host)
            try await server.stop()
            let error = try await sshError { try await goesOn(host) }
            #expect(error.code == .connectionRefused, "\(error)")
            try await server.start()
            try await goesOn(host)
        }
    }

    @Test("A session that falls silent is noticed, and a call that was not begun goes to another")
    func silent() async throws {
        let server = try await SSHServer()
        var deadlines = SSHDeadlines()
        deadlines.keepAlive = .milliseconds(500)
        try await server.withHost(deadlines: deadlines) { host in
            try await goesOn(host)
            server.freezeSessions()
            try await goesOn(host)
        }
    }

    @Test("A server that owes us a channel is given up, and the call goes to another connection")
    func owesChannel() async throws {
        let server = try await SSHServer()
        var deadlines = SSHDeadlines()
        deadlines.answer = .milliseconds(500)
        try await server.withHost(deadlines: deadlines) { host in
            try await goesOn(host)
            server.freezeSessions()
            try await goesOn(host)
        }
    }

    @Test("What nobody uses for a while is closed, and made again")
    func idle() async throws {
        let server = try await SSHServer()
        var deadlines = SSHDeadlines()
        deadlines.idle = .milliseconds(200)
        try await server.withHost(deadlines: deadlines) { host in
            try await goesOn(host)
            try await eventually { server.log.contains("Connection closed by") || server.log.contains("Received disconnect") }
            try await goesOn(host)
        }
    }

    @Test("The server's own keep-alive is answered while nothing goes on")
    func answersKeepAlive() async throws {
        var options = SSHServer.Options()
        options.lines = ["ClientAliveInterval 1", "ClientAliveCountMax 1"]
        let server = try await SSHServer(options)
        try await server.withHost { host in
            try await goesOn(host)
            try await Task.sleep(for: .seconds(4))
            try await goesOn(host)
        }
        #expect(server.log.components(separatedBy: "Accepted publickey").count == 2)
    }
}
