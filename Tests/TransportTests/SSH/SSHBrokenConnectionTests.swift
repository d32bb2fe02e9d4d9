import Foundation
import KioskPrintModel
import KioskSSH
import KioskTestSupport
import Logging
import NIOPosix
import Testing

@Suite("SSH: connections that break", .timeLimit(.minutes(10)))
struct SSHBrokenConnectionTests {
    private static let year = Duration.seconds(365 * 86_400)

    private func goesOn(_ host: SSHHost) async throws {
        var command = RemoteCommand(line: "echo on")
        // Not by its own deadlines.
        (command.stall, command.total) = (Self.year, Self.year)
        let result = try await host.run(command)
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

    @Test("Calls that begin together on a connection that is gone all go to the next one")
    func manyAtOnce() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            for _ in 0..<10 {
                try await goesOn(host)
                server.killSessions()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 { group.addTask { try await goesOn(host) } }
                    try await group.waitForAll()
                }
            }
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

    /// Uploads a long document to `part`; returns once some of it is there.
    private func longUpload(on host: SSHHost) async throws -> Task<SSHError, any Error> {
        let record = ProgressRecord()
        let document = DocumentSource.bytes([UInt8](repeating: 65, count: 50_000_000))
        let running = Task {
            try await sshError { try await host.upload(document, to: "part", progress: record.note) }
        }
        try await eventually { record.all.count > 3 }
        return running
    }

    @Test("Killed during an upload: the call fails, and the part is removed over the next connection")
    func whileUploading() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let running = try await longUpload(on: host)
            server.killSessions()
            let error = try await running.value
            #expect(error.code == .connectionLost)
            #expect(error.octetsSent > 0)
            try await eventually("the part's removal") {
                !FileManager.default.fileExists(atPath: "\(server.home)/part")
            }
        }
    }

    @Test("Killed while a cancelled upload is being undone: the part is removed all the same")
    func whileUndoing() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            let running = try await longUpload(on: host)
            running.cancel()
            server.killSessions()
            _ = try await running.value
            try await eventually("the part's removal") {
                !FileManager.default.fileExists(atPath: "\(server.home)/part")
            }
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

    /// Deadlines that never pass.
    private var endless: SSHDeadlines {
        var deadlines = SSHDeadlines.patient
        (deadlines.response, deadlines.idle, deadlines.keepAlive) = (Self.year, Self.year, Self.year)
        return deadlines
    }

    /// Runs a test with a host whose clock the test advances. Its deadlines never pass but for those that `limit` sets.
    /// Returns the log, complete after the host's end.
    @discardableResult
    private func withManualClock(
        _ limit: (inout SSHDeadlines) -> Void,
        test: (SSHServer, SSHHost, ManualHostClock, LogRecord) async throws -> Void
    ) async throws -> LogRecord {
        let server = try await SSHServer()
        let (clock, log) = (ManualHostClock(), LogRecord())
        var deadlines = endless
        limit(&deadlines)
        try await server.withHost(deadlines: deadlines, clock: clock, log: log) { host in
            try await test(server, host, clock, log)
        }
        return log
    }

    /// Lets time pass in steps until the host has given its connection up for a reason. The one that it makes then sees
    /// none of it.
    private func pass(_ step: Duration, _ clock: ManualHostClock, _ log: LogRecord, until reason: String) async throws {
        try await eventually("the end: \(reason)") {
            if log.text.contains(reason) { return true }
            try await clock.pass(step)
            return log.text.contains(reason)
        }
    }

    @Test("A session that falls silent is noticed, and a call that was not begun goes to another")
    func silent() async throws {
        try await withManualClock {
            $0.keepAlive = .seconds(30)
        } test: { server, host, clock, log in
            try await goesOn(host)
            try await server.freezeSessions()
            async let call: Void = goesOn(host)
            try await pass(.seconds(30), clock, log, until: "does not respond any more")
            try await call
        }
    }

    @Test("A server that owes us a channel is given up, and the call goes to another connection")
    func owesChannel() async throws {
        try await withManualClock {
            $0.response = .seconds(15)
        } test: { server, host, clock, log in
            try await goesOn(host)
            try await server.freezeSessions()
            async let call: Void = goesOn(host)
            try await pass(.seconds(16), clock, log, until: "no response within")
            try await call
        }
    }

    @Test("What nobody uses for a while is closed, and made again")
    func idle() async throws {
        try await withManualClock {
            $0.idle = .seconds(300)
        } test: { server, host, clock, log in
            try await goesOn(host)
            try await pass(.seconds(300), clock, log, until: "the connection was idle")
            try await eventually { server.hasHungUp }
            try await goesOn(host)
        }
    }

    @Test("A host that nobody closed and nobody has any more hangs up")
    func forgotten() async throws {
        let server = try await SSHServer()
        let (clock, log) = (ManualHostClock(), LogRecord())
        var deadlines = endless
        deadlines.keepAlive = .seconds(30)
        let login = SSHLogin(privateKey: .init(path: try await server.makeKey()))
        do {
            let host = SSHHost(
                server.endpoint(), policy: { () async throws(SSHError) in .any },
                login: { () async throws(SSHError) in login },
                deadlines: deadlines, clock: clock, eventLoop: clock.eventLoop, logger: log.logger)
            try await goesOn(host)
        }
        try await eventually("the end") {
            try await clock.pass(.seconds(30))
            return server.hasHungUp
        }
        // Not by one that lives on.
        #expect(!log.text.contains("the connection ended"))
    }

    @Test("A session that asked for signs of life often enough is made anew while nothing goes on")
    func renews() async throws {
        let log = try await withManualClock {
            $0.keepAlive = .seconds(30)
            $0.maximumKeepAlives = 2
        } test: { server, host, clock, log in
            let isOver = { log.text.contains("is replaced") }
            try await eventually("the end") {
                // Its answer comes before that to whatever was asked before: at the first look something has come, and
                // at the second nothing more, so that the server is asked for a sign of life.
                try await goesOn(host)
                for _ in 1...2 where !isOver() { try await clock.pass(.seconds(30)) }
                return isOver()
            }
            try await eventually("the end") { server.hasHungUp }
            try await goesOn(host)
        }
        #expect(!log.text.contains("does not respond any more"))
    }

    @Test("The server's own keep-alive is answered while nothing goes on")
    func answersKeepAlive() async throws {
        var options = SSHServer.Options()
        options.lines = ["ClientAliveInterval 1", "ClientAliveCountMax 100"]
        let server = try await SSHServer(options)
        try await server.withHost { host in
            try await goesOn(host)
            try await eventually("the second answer") { server.log.components(separatedBy: "for keepalive").count > 2 }
            try await goesOn(host)
        }
        #expect(server.log.components(separatedBy: "Accepted publickey").count == 2)
    }
}

extension SSHServer {
    /// Whether the client that logged in closed its connection.
    fileprivate var hasHungUp: Bool {
        let parts = log.components(separatedBy: "Accepted publickey")
        guard parts.count > 1, let last = parts.last else { return false }
        return last.contains("Connection closed by") || last.contains("Received disconnect")
    }
}
