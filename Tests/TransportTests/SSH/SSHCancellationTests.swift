import PrintModel
import SSH
import TestSupport
import Testing

@Suite("SSH: cancellation", .timeLimit(.minutes(2)))
struct SSHCancellationTests {
    private func goesOn(_ host: SSHHost) async throws {
        let result = try await host.run(RemoteCommand(line: "echo on"))
        #expect(result.text == "on\n")
    }

    /// Cancels `work` once `condition` holds, and returns its error.
    private func cancelled(
        when condition: () async throws -> Bool, _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> SSHError {
        let task = Task { try await sshError(work) }
        try await eventually("the moment to cancel") { try await condition() }
        task.cancel()
        return try await task.value
    }

    @Test("While the host is silent, a cancelled call ends, and others go on waiting")
    func whileConnecting() async throws {
        let server = try await ScriptedSSHServer { _ in }
        var deadlines = SSHDeadlines()
        deadlines.handshake = .seconds(2)
        try await withHost(at: SSHEndpoint(host: "127.0.0.1", port: server.port, user: "u"), deadlines: deadlines) { host in
            let other = Task { try await sshError { _ = try await host.run(RemoteCommand(line: "true")) } }
            let error = try await cancelled(when: { true }) { _ = try await host.run(RemoteCommand(line: "true")) }
            #expect(error.code == .cancelled)
            #expect(try await other.value.code == .timedOut)
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
            let first = Task { try await host.run(RemoteCommand(line: "read line; echo done"), progress: record.note) }
            try await eventually { record.all.contains(.started) }
            let error = try await cancelled(when: { true }) { _ = try await host.run(RemoteCommand(line: "true")) }
            #expect(error.code == .cancelled)
            #expect(error.octetsSent == 0)
            first.cancel()
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
                "sleep 0.5; cat > $HOME/input", input: [UInt8](repeating: 65, count: 20_000_000), trailer: Array("END".utf8))
            let error = try await cancelled(when: { record.all.count > 3 }) { _ = try await host.run(command, progress: record.note) }
            #expect(error.code == .cancelled)
            #expect(error.octetsSent > 0)
            #expect(!error.isInputComplete)
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
            let command = RemoteCommand("sleep 100", input: Array("text".utf8), trailer: Array("END".utf8))
            let error = try await cancelled(when: { record.all.contains(.sent) }) {
                _ = try await host.run(command, progress: record.note)
            }
            #expect(error.code == .cancelled)
            #expect(error.octetsSent == 4)
            #expect(error.isInputComplete)
            try await goesOn(host)
        }
    }

    @Test("Cancelled commands that never end do not hold up others for good")
    func stuckCommands() async throws {
        var options = SSHServer.Options()
        options.maxSessions = 2
        let server = try await SSHServer(options)
        try await server.withHost { host in
            for _ in 0..<3 {
                let record = ProgressRecord()
                let command = RemoteCommand("exec sleep 50", input: [UInt8](repeating: 65, count: 20_000_000))
                _ = try await cancelled(when: { record.all.count > 3 }) { _ = try await host.run(command, progress: record.note) }
            }
            try await goesOn(host)
        }
    }

    @Test("An upload that is cancelled leaves nothing behind")
    func whileUploading() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let record = ProgressRecord()
            let error = try await cancelled(when: { record.all.count > 3 }) {
                try await host.upload(.bytes([UInt8](repeating: 65, count: 50_000_000)), to: "part", progress: record.note)
            }
            #expect(error.code == .cancelled)
            try await goesOn(host)
            try await eventually("the part's removal") { (try? readFile("\(server.home)/part")) == nil }
        }
    }
}
