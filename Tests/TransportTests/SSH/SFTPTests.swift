import Foundation
import PrintModel
import SSH
import TestSupport
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
            let mode = try FileManager.default.attributesOfItem(atPath: "\(server.home)/part")[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(record.all.first == .started)
            #expect(record.all.last == .sent)
            try await host.rename("part", to: "whole")
            #expect(try readFile("\(server.home)/whole") == document)
            try await host.remove("whole")
            #expect(!FileManager.default.fileExists(atPath: "\(server.home)/whole"))
        }
    }

    @Test("Many uploads and commands go on at the same time, even where the server allows few channels", arguments: [1, 2, 10])
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
                        let result = try await host.run(RemoteCommand(line: "echo \(number)"))
                        #expect(result.text == "\(number)\n")
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
