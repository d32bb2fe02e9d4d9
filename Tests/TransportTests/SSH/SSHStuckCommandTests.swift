import KioskPrintModel
import KioskSSH
import KioskTestSupport
import Logging
import NIOCore
import NIOPosix
import Testing

@Suite("SSH: commands that are given up and do not end", .timeLimit(.minutes(10)))
struct SSHStuckCommandTests {
    private func goesOn(_ host: SSHHost) async throws {
        let result = try await host.run(RemoteCommand(line: "echo on"))
        #expect(result.text == "on\n")
    }

    @Test("Cancelled commands that never end do not hold up others for good")
    func stuckCommands() async throws {
        var options = SSHServer.Options()
        options.maxSessions = 2
        let server = try await SSHServer(options)
        try await server.withHost { host in
            for _ in 0..<3 {
                let record = ProgressRecord()
                let command = RemoteCommand("exec sleep 600", input: [UInt8](repeating: 65, count: 20_000_000))
                _ = try await cancelled(when: { record.all.count > 3 }) {
                    _ = try await host.run(command, progress: record.note)
                }
            }
            try await goesOn(host)
        }
    }

    @Test(
        "Cancelled commands that never end hold up nobody for long while another command goes on",
        arguments: [0, 20_000_000])
    func stuckBeside(length: Int) async throws {
        var options = SSHServer.Options()
        options.maxSessions = 3
        let server = try await SSHServer(options)
        try await server.withHost { host in
            let (started, feeds) = (ProgressRecord(), ProgressRecord())
            var long = RemoteCommand(line: "until [ -e $HOME/go ]; do sleep 0.1; done; echo done")
            (long.stall, long.total) = (.seconds(100), .seconds(100))
            let other = Task { [long] in try await host.run(long, progress: started.note) }
            try await eventually { started.all.contains(.started) }
            for number in 1...2 {
                let command = RemoteCommand("exec sleep 600", input: [UInt8](repeating: 65, count: length))
                _ = try await cancelled(when: {
                    feeds.all.filter { $0 == .started }.count == number && (length == 0 || feeds.all.count > 3 * number)
                }) {
                    _ = try await host.run(command, progress: feeds.note)
                }
            }
            for _ in 0..<5 { try await goesOn(host) }
            server.releaseCommands()
            #expect(try await other.value.text == "done\n")
            try await goesOn(host)
        }
    }

    @Test("A channel that is given up counts until the server has closed it, whatever else goes on")
    func countsClosing() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            // Sshd counts them until they end, though they were given up.
            let records = (0..<7).map { _ in ProgressRecord() }
            let line = "until [ -e $HOME/go ]; do sleep 0.1; done; exec sleep 1"
            let given = records.map { record in
                Task { try await sshError { _ = try await host.run(RemoteCommand(line: line), progress: record.note) } }
            }
            try await eventually { records.allSatisfy { $0.all.contains(.started) } }
            // The last place: what this one writes comes while the others close.
            let chatter = ProgressRecord()
            var chatty = RemoteCommand(line: "while :; do echo x; sleep 0.01; done")
            chatty.maximumOutput = 1 << 20
            let talking = Task { [chatty] in try await host.run(chatty, progress: chatter.note) }
            try await eventually { chatter.all.contains(.started) }
            given.forEach { $0.cancel() }
            for task in given { #expect(try await task.value.code == .cancelled) }
            server.releaseCommands()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { try await goesOn(host) } }
                try await group.waitForAll()
            }
            talking.cancel()
            #expect(!server.log.contains("no more sessions"))
        }
    }

    @Test("A host that is closed begins nothing anew, though an upload breaks off on its second connection")
    func closing() async throws {
        var options = SSHServer.Options()
        options.maxSessions = 2
        let server = try await SSHServer(options)
        let login = SSHLogin(privateKey: .init(path: try await server.makeKey()))
        let (connections, loop) = (Recorder<Int>(), MultiThreadedEventLoopGroup.singleton.next())
        let host = SSHHost(
            server.endpoint(),
            policy: { () async throws(SSHError) in
                connections.add(1)
                return .any
            }, login: { () async throws(SSHError) in login }, eventLoop: loop, logger: Logger(label: "test"))
        let (started, sent) = (ProgressRecord(), ProgressRecord())
        let calls = (0..<2).map { _ in
            Task {
                try await sshError {
                    _ = try await host.run(RemoteCommand(line: "exec sleep 600"), progress: started.note)
                }
            }
        }
        try await eventually { started.all.filter { $0 == .started }.count == 2 }
        calls[0].cancel()
        let document = DocumentSource.bytes([UInt8](repeating: 65, count: 200_000_000))
        let upload = Task { try await sshError { try await host.upload(document, to: "part", progress: sent.note) } }
        try await eventually { sent.all.count > 3 }
        #expect(connections.all.count == 2)
        await host.close()
        for call in calls + [upload] { #expect(try await call.value.code == .cancelled) }
        try await loop.submit {}.get()
        #expect(connections.all.count == 2)
    }
}
