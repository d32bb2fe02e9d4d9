import Foundation
import KioskDigests
import KioskPrintModel
import KioskSSH
import KioskTestSupport
import Testing

@Suite("SSH: commands")
struct SSHCommandTests {
    @Test("A command's output, errors and exit status come back")
    func runs() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let result = try await host.run(RemoteCommand.patient("echo out; echo err >&2; exit 3"))
            #expect(result.exit == .status(3))
            #expect(result.text == "out\n")
            #expect(result.errorText == "err\n")
        }
    }

    @Test("A signal that ended the command is told by its name")
    func tellsSignal() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let result = try await host.run(RemoteCommand.patient("kill -TERM $$"))
            #expect(result.exit == .signal("TERM"))
        }
    }

    @Test("A document arrives with its trailer, and progress goes from the start to the end")
    func sendsInput() async throws {
        let server = try await SSHServer()
        let document = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
        try await server.withHost { host in
            let record = ProgressRecord()
            let command = RemoteCommand("sha256sum", input: document, trailer: [1, 2, 3])
            let result = try await host.run(command, progress: record.note)
            #expect(result.text.hasPrefix(try MessageDigest.hexadecimal(.sha256, of: document + [1, 2, 3])))
            #expect(record.all.first == .started)
            #expect(record.all.last == .sent)
            #expect(record.all.contains(.sending(octets: 300_000, of: 300_000)))
        }
    }

    @Test("A large document streams from a file, byte for byte", arguments: [nil, "1M"])
    func sendsFile(rekeyLimit: String?) async throws {
        var options = SSHServer.Options()
        options.rekeyLimit = rekeyLimit
        let server = try await SSHServer(options)
        let folder = try TemporaryFolder("document")
        let document = (0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 11) }
        let path = try folder.write(document, to: "document")
        try await server.withHost { host in
            var command = RemoteCommand.patient("sha256sum")
            command.input = .document(.file(path: path, length: Int64(document.count)), trailer: [])
            command.kind = .delivery
            let result = try await host.run(command)
            #expect(result.text.hasPrefix(try MessageDigest.hexadecimal(.sha256, of: document)))
        }
    }

    @Test("More output than is wanted ends the command, and the session goes on", arguments: ["", " >&2"])
    func boundsOutput(redirection: String) async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let error = try await sshError { _ = try await host.run(RemoteCommand.patient("yes" + redirection)) }
            #expect(error.code == .tooMuchOutput)
            let next = try await host.run(RemoteCommand.patient("echo on"))
            #expect(next.text == "on\n")
        }
    }

    @Test(
        "A command that ends well without reading tells that it has not had its whole input",
        arguments: [
            ("exit 0", 20_000_000, false), ("exec cat >/dev/null", 300_000, true), ("exec cat", 0, true),
        ])
    func tellsInput(line: String, length: Int, isComplete: Bool) async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let result = try await host.run(RemoteCommand(line, input: [UInt8](repeating: 65, count: length)))
            #expect(result.exit == .status(0))
            #expect(result.isInputComplete == isComplete)
            #expect((result.octetsSent == Int64(length)) == isComplete)
        }
    }

    @Test("A thousand commands at once take turns on eight channels of one session", .timeLimit(.minutes(10)))
    func queues() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<rounds(300, long: 1000) {
                    group.addTask {
                        var command = RemoteCommand.patient("echo \(number)")
                        // As long as all of them take.
                        command.total = .seconds(600)
                        let result = try await host.run(command)
                        #expect(result.text == "\(number)\n")
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(server.log.components(separatedBy: "Accepted publickey").count == 2)
        #expect(!server.log.contains("no more sessions"))
    }

    @Test("Two hundred commands share one session, however few channels the server allows", arguments: [1, 2, 10])
    func sharesSession(maxSessions: Int) async throws {
        var options = SSHServer.Options()
        options.maxSessions = maxSessions
        let server = try await SSHServer(options)
        try await server.withHost { host in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        var command = RemoteCommand.patient("cat")
                        command.total = .seconds(600)
                        command.input = .document(.bytes(Array("\(number)".utf8)), trailer: [])
                        if number % 3 > 0 { command.kind = .delivery }
                        let result = try await host.run(command)
                        #expect(result.text == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(server.log.components(separatedBy: "Accepted publickey").count == 2)
    }

    @Test("A command that does nothing is given up, and one that takes too long")
    func hasDeadlines() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            var command = RemoteCommand.patient("sleep 100")
            command.stall = .milliseconds(300)
            let stalled = try await sshError { _ = try await host.run(command) }
            #expect(stalled.code == .timedOut)
            command.line = "while :; do echo x; sleep 0.05; done"
            command.total = .milliseconds(600)
            let late = try await sshError { _ = try await host.run(command) }
            #expect(late.code == .timedOut)
            let next = try await host.run(RemoteCommand.patient("echo on"))
            #expect(next.text == "on\n")
        }
    }
}
