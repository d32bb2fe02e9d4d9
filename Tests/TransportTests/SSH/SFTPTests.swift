import Foundation
import KioskPrintModel
import KioskSSH
import KioskTestSupport
import Testing

@Suite("SSH: uploads")
struct SFTPTests {
    @Test("A document is uploaded, renamed and removed", arguments: [0, 1, 32_000, 5_000_000], [nil, "1M"])
    func uploads(length: Int, rekeyLimit: String?) async throws {
        var options = SSHServer.Options()
        options.rekeyLimit = rekeyLimit
        let server = try await SSHServer(options)
        let document = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 9) }
        try await server.withHost { host in
            let record = ProgressRecord()
            try await host.upload(.bytes(document), to: "part", progress: record.note)
            #expect(try readFile("\(server.home)/part") == document)
            let mode =
                try FileManager.default.attributesOfItem(atPath: "\(server.home)/part")[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(record.all.first == .started)
            #expect(record.all.last == .sent)
            try await host.rename("part", to: "whole")
            #expect(try readFile("\(server.home)/whole") == document)
            try await host.remove("whole")
            #expect(!FileManager.default.fileExists(atPath: "\(server.home)/whole"))
        }
    }

    @Test("A name that exists, and a folder that does not, refuse an upload for these reasons")
    func refusals() async throws {
        let server = try await SSHServer()
        try await server.withHost { host in
            try writeFile("kept", to: "\(server.home)/there")
            let exists = try await sshError { try await host.upload(.bytes([1, 2]), to: "there", progress: { _ in }) }
            #expect(exists.code == .uploadRefused)
            #expect(exists.reason.contains("exists already"), "\(exists)")
            #expect(exists.octetsSent == 0)
            #expect(try readFile("\(server.home)/there") == Array("kept".utf8))
            let missing = try await sshError {
                try await host.upload(.bytes([1]), to: "nowhere/file", progress: { _ in })
            }
            #expect(missing.code == .uploadRefused)
            #expect(missing.native == .sftpStatus(2))
            let unnamed = try await sshError { try await host.rename("nothing", to: "other") }
            #expect(unnamed.native == .sftpStatus(2))
            let unread = try await sshError {
                try await host.upload(.file(path: "/nowhere", length: 5), to: "unread", progress: { _ in })
            }
            #expect(unread.code == .documentUnreadable)
            try await eventually { !FileManager.default.fileExists(atPath: "\(server.home)/unread") }
        }
    }

    @Test(
        "A file that can grow no more fails the upload, and the part is removed, even where the server died of it",
        arguments: [
            "env --ignore-signal=XFSZ ", "",
        ])
    func full(prefix: String) async throws {
        var options = SSHServer.Options()
        // Blocks of 512 octets; who does not ignore the signal is killed for writing more.
        options.sftp = "ulimit -f 100; exec \(prefix)/usr/lib/openssh/sftp-server"
        let server = try await SSHServer(options)
        try await server.withHost { host in
            let part = "\(server.home)/part"
            let document = [UInt8](repeating: 1, count: 3_000_000)
            let error = try await sshError { try await host.upload(.bytes(document), to: part, progress: { _ in }) }
            #expect(error.code == .uploadRefused)
            #expect(error.native == .sftpStatus(4), "\(error)")
            #expect(error.octetsSent > 0)
            try await eventually("the part's removal") { !FileManager.default.fileExists(atPath: part) }
        }
    }

    @Test(
        "A server without SFTP says so, and one whose shell talks first",
        arguments: [
            "exit 1", "echo hello; exec /usr/lib/openssh/sftp-server",
        ])
    func noSFTP(sftp: String) async throws {
        var options = SSHServer.Options()
        options.sftp = sftp
        let server = try await SSHServer(options)
        try await server.withHost { host in
            let error = try await sshError { try await host.upload(.bytes([1]), to: "part", progress: { _ in }) }
            #expect(error.code == .channelRefused, "\(error)")
            #expect(error.reason.contains("no working SFTP"))
            let result = try await host.run(RemoteCommand.patient("echo on"))
            #expect(result.text == "on\n")
        }
    }

    @Test("What cannot be begun in time is given up, whatever it waits for")
    func waitsForSoLong() async throws {
        let server = try await ScriptedSSHServer { _ in }
        var deadlines = SSHDeadlines.patient
        deadlines.sftp = .milliseconds(300)
        deadlines.handshake = .seconds(600)
        try await withHost(at: SSHEndpoint(host: "127.0.0.1", port: server.port, user: "u"), deadlines: deadlines) {
            host in
            let upload = try await sshError { try await host.upload(.bytes([1]), to: "part", progress: { _ in }) }
            #expect(upload.code == .timedOut)
            #expect(upload.operation == "SFTP open")
            let removal = try await sshError { try await host.remove("part") }
            #expect(removal.code == .timedOut)
            #expect(removal.operation == "SFTP remove")
        }
    }

    @Test(
        "Many uploads and commands go on at the same time, even where the server allows few channels",
        arguments: [1, 2, 10])
    func sharesSession(maxSessions: Int) async throws {
        var options = SSHServer.Options()
        options.maxSessions = maxSessions
        let server = try await SSHServer(options)
        try await server.withHost { host in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    let document = [UInt8](repeating: UInt8(number), count: 100_000)
                    group.addTask {
                        try await host.upload(.bytes(document), to: "file\(number)", progress: { _ in })
                        #expect(try readFile("\(server.home)/file\(number)") == document)
                    }
                    group.addTask {
                        let result = try await host.run(RemoteCommand.patient("echo \(number)"))
                        #expect(result.text == "\(number)\n")
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

private func writeFile(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}
