import Foundation
import KioskPrintModel
import KioskSSH
import KioskTestSupport
import NIOCore
import NIOPosix
import Testing

@Suite("SSH: cancellation", .timeLimit(.minutes(10)))
struct SSHCancellationTests {
    private func goesOn(_ host: SSHHost) async throws {
        let result = try await host.run(RemoteCommand(line: "echo on"))
        #expect(result.text == "on\n")
    }

    @Test("While the host is silent, a cancelled call ends, and others go on waiting")
    func whileConnecting() async throws {
        let clients = Recorder<any Channel>()
        let server = try await ScriptedSSHServer { clients.add($0) }
        var deadlines = SSHDeadlines.patient
        deadlines.handshake = .seconds(600)
        try await withHost(at: SSHEndpoint(host: "127.0.0.1", port: server.port, user: "u"), deadlines: deadlines) {
            host in
            let other = Task { try await sshError { _ = try await host.run(RemoteCommand(line: "true")) } }
            try await eventually("the connection") { clients.all.count == 1 }
            let error = try await cancelled(when: { true }) { _ = try await host.run(RemoteCommand(line: "true")) }
            #expect(error.code == .cancelled)
            // It waits for what the host says, until the host hangs up.
            for channel in clients.all { channel.close(promise: nil) }
            #expect(try await other.value.code == .connectionLost)
        }
    }

    @Test("A call that was cancelled before it began does nothing")
    func beforehand() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let error = try await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await sshError { _ = try await host.run(RemoteCommand(line: "touch $HOME/ran")) }
            }.value
            #expect(error.code == .cancelled)
            #expect(error.operation == "exec")
            try await goesOn(host)
            #expect(throws: (any Error).self) { try readFile("\(server.home)/ran") }
        }
    }

    @Test("A call that waits in line leaves it")
    func inLine() async throws {
        var options = SSHServer.Options()
        options.maxSessions = 1
        let server = try await SSHServer(options)
        try await server.withHost { host in
            let record = ProgressRecord()
            let first = Task {
                try await host.run(
                    RemoteCommand(line: "until [ -e $HOME/go ]; do sleep 0.1; done"), progress: record.note)
            }
            try await eventually { record.all.contains(.started) }
            let error = try await cancelled(when: { true }) { _ = try await host.run(RemoteCommand(line: "true")) }
            #expect(error.code == .cancelled)
            #expect(error.octetsSent == 0)
            server.releaseCommands()
            _ = try await first.value
            try await goesOn(host)
        }
    }

    @Test("A command whose input is on its way ends, and never sees the trailer")
    func whileSending() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let record = ProgressRecord()
            // What it takes is bounded by the window, since it reads nothing.
            let command = RemoteCommand(
                "until [ -e $HOME/go ]; do sleep 0.1; done; cat > $HOME/input",
                input: [UInt8](repeating: 65, count: 20_000_000), trailer: Array("END".utf8))
            let error = try await cancelled(when: { record.all.count > 3 }) {
                _ = try await host.run(command, progress: record.note)
            }
            #expect(error.code == .cancelled)
            #expect(error.octetsSent > 0)
            #expect(!error.isInputComplete)
            server.releaseCommands()
            try await goesOn(host)
            try await eventually { (try? readFile("\(server.home)/input"))?.isEmpty == false }
            let input = try readFile("\(server.home)/input")
            #expect(Int64(input.count) <= error.octetsSent)
            #expect(input.last == 65)
        }
    }

    @Test("A command that has all its input ends as one that may have done its work")
    func whileWaiting() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let record = ProgressRecord()
            let command = RemoteCommand("sleep 600", input: Array("text".utf8), trailer: Array("END".utf8))
            let error = try await cancelled(when: { record.all.contains(.sent) }) {
                _ = try await host.run(command, progress: record.note)
            }
            #expect(error.code == .cancelled)
            #expect(error.octetsSent == 4)
            #expect(error.isInputComplete)
            try await goesOn(host)
        }
    }

    @Test("A host that is closed ends every call, and nothing begins afterwards")
    func closing() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            try await goesOn(host)
            try await server.freezeSessions()
            // They ask for channels that never come, and more wait behind them.
            let calls = (0..<12).map { _ in
                Task.immediate { try await sshError { _ = try await host.run(RemoteCommand(line: "touch $HOME/ran")) } }
            }
            await host.close()
            for call in calls {
                let error = try await call.value
                #expect(error.code == .cancelled)
                #expect("\(error)" == "\(error.operationInWords): the connection to the host is being closed")
                #expect(!error.operationInWords.isEmpty)
            }
            #expect(server.log.components(separatedBy: "Accepted publickey").count == 2)
            #expect(throws: (any Error).self) { try readFile("\(server.home)/ran") }
            try await goesOn(host)
        }
    }

    @Test("A look at the host key that hangs before there is a connection is cancelled at once")
    func whileHanging() async throws {
        let full = try FullListener()
        let before = try full.waiting
        var deadlines = SSHDeadlines.patient
        deadlines.connect = .seconds(600)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let error = try await cancelled(when: { try full.waiting > before }) { [deadlines] in
            _ = try await SSHHost.hostKey(
                of: SSHEndpoint(host: "127.0.0.1", port: full.port, user: "u"), policy: .any, deadlines: deadlines,
                eventLoop: loop)
        }
        #expect(error.code == .cancelled)
    }

    @Test("An upload that is cancelled leaves nothing behind")
    func whileUploading() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let error = try await cancelled(atStep: 4) { progress in
                try await host.upload(
                    .bytes([UInt8](repeating: 65, count: 50_000_000)), to: "part", progress: progress)
            }
            #expect(error.code == .cancelled)
            #expect(error.operation.hasPrefix("SFTP"))
            try await goesOn(host)
            try await eventually("the part's removal") { (try? readFile("\(server.home)/part")) == nil }
        }
    }
}
