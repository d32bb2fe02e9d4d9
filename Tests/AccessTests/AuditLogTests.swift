import Foundation
import Glibc
import KioskPrintModel
import KioskTestSupport
import Logging
import Testing

@testable import KioskAccess

@Suite struct AuditLogTests {
    private static let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    private let folder: TemporaryFolder
    private let logged = LogLines()

    init() throws { folder = try TemporaryFolder("audit") }

    private func log(maximumFileLength: Int = 1 << 20, keptFiles: Int = 4) throws -> AuditLog {
        let logged = logged
        return try AuditLog(
            stateDirectory: folder.path, logger: Logger(label: "test") { _ in logged },
            maximumFileLength: maximumFileLength, keptFiles: keptFiles)
    }

    private func entry(
        _ object: String, at time: Int = 0, _ outcome: AuditEntry.Outcome = .done, from address: String = "192.0.2.1"
    ) -> AuditEntry {
        AuditEntry(
            time: Self.start.advanced(bySeconds: time), actor: "uid:1000 (anna)", address: address,
            action: "printer.save", object: object, before: "a", after: "b", outcome: outcome)
    }

    @Test func `entries come back newest first, in pages, also after a restart`() async throws {
        let log = try log()
        for number in 1...10 { log.note(entry("till-\(number)")) }
        #expect(try await log.entries(limit: 3).map(\.number) == [10, 9, 8])
        let again = try self.log()
        again.note(entry("till-11"))
        #expect(try await again.entries(limit: 1).first?.object == "till-11")
        #expect(try await again.entries(before: 9, limit: 3).map(\.number) == [8, 7, 6])
        #expect(try await again.entries(before: 1, limit: 3).isEmpty)
        #expect(try await again.entries(before: .max, limit: 100).map(\.number) == (1...11).reversed())
        #expect(try await again.entries(limit: 0).isEmpty)
        let first = try #require(try await again.entries(before: 2, limit: 1).first)
        var expected = entry("till-1")
        expected.number = 1
        #expect(first == expected)
    }

    @Test func `the file is for its owner alone, one object a line, and each entry is logged`() async throws {
        let log = try log()
        log.note(entry("till-1"))
        await log.flush()
        var status = stat()
        #expect(stat(folder.appending(AuditLog.fileName), &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        let text = String(decoding: try folder.read(AuditLog.fileName), as: UTF8.self)
        #expect(text.hasSuffix("}\n"))
        #expect(text.split(separator: "\n").count == 1)
        #expect(logged.lines == ["audit: uid:1000 (anna) from 192.0.2.1: printer.save till-1"])
    }

    @Test func `hostile texts stay one bounded line`() async throws {
        let log = try log()
        log.note(entry("a\nb\u{202E}\u{1B}[2J" + String(repeating: "x", count: 100_000)))
        let found = try #require(try await log.entries(limit: 1).first)
        #expect(found.object?.hasPrefix("a b  [2Jxxx") == true)
        #expect(found.object?.utf8.count == 255)
        #expect(try folder.read(AuditLog.fileName).count < 1000)
    }

    @Test func `full files are put aside, the oldest goes, and pages lead through all`() async throws {
        let log = try log(maximumFileLength: 1000, keptFiles: 2)
        for number in 1...40 {
            log.note(entry("till-\(number)"))
            await log.flush()
        }
        let names = try folder.names()
        #expect(names == ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"])
        let all = try await log.entries(limit: 100).map(\.number)
        #expect(all.first == 40)
        #expect(all == Array((UInt64(41) - UInt64(all.count)...40).reversed()))
        #expect((8..<30).contains(all.count))
        var paged: [UInt64] = []
        while let page = try? await log.entries(before: paged.last, limit: 4), !page.isEmpty {
            paged += page.map(\.number)
        }
        #expect(paged == all)
        for name in names { #expect(try folder.read(name).count < 1400) }
    }

    @Test func `a line that was cut off is passed over, and the next begins anew`() async throws {
        let log = try log()
        for number in 1...5 { log.note(entry("till-\(number)")) }
        await log.flush()
        let whole = try folder.read(AuditLog.fileName)
        for cut in [1, 2, 30, 150] {
            try folder.writePrivately(whole.dropLast(cut), to: AuditLog.fileName)
            let again = try self.log()
            again.note(entry("after"))
            let all = try await again.entries(limit: 10)
            #expect(all.first?.object == "after")
            #expect(all.map(\.object).suffix(4) == ["till-4", "till-3", "till-2", "till-1"])
            #expect(
                try await again.entries(before: all[0].number, limit: 2).map(\.number)
                    == [all[1], all[2]].map(\.number))
        }
    }

    @Test func `a folder in the file's place is an error at the start`() throws {
        #expect(mkdir(folder.appending(AuditLog.fileName), 0o700) == 0)
        #expect { _ = try log() } throws: { ($0 as? AccessError)?.code == .storage }
    }

    @Test func `a link in the file's place is not followed`() throws {
        let target = try folder.write("x", to: "other")
        #expect(symlink(target, folder.appending(AuditLog.fileName)) == 0)
        #expect { _ = try log() } throws: { ($0 as? AccessError)?.code == .storage }
    }

    @Test func `denials of one address are limited, and the rest is counted`() async throws {
        let log = try log()
        for _ in 0..<100 { log.note(entry("x", .denied)) }
        log.note(entry("y", .denied, from: "192.0.2.2"))
        log.note(entry("z"))
        var all = try await log.entries(limit: 1000)
        #expect(all.count == DenialLimit.maximumPerWindow + 2)
        log.note(entry("later", at: 60, .denied))
        all = try await log.entries(limit: 2)
        #expect(all[0].object == "later")
        #expect(all[1].message?.hasPrefix("80 more since ") == true)
        #expect(all[1].address == "192.0.2.1")
    }

    @Test func `denials of very many addresses stay bounded`() {
        var limit = DenialLimit()
        var noted = 0
        for number in 0..<10_000 {
            noted += limit.admit(entry("x", .denied, from: "10.0.\(number / 256).\(number % 256)")).count
        }
        #expect(noted == DenialLimit.maximumAddresses + DenialLimit.maximumPerWindow)
    }
}

/// The messages of a logger.
private final class LogLines: LogHandler, @unchecked Sendable {
    private let lock = NSLock()
    private var messages: [String] = []
    var lines: [String] { lock.withLock { messages } }
    var logLevel: Logger.Level = .trace
    var metadata: Logger.Metadata = [:]
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { lock.withLock { messages.append("\(event.message)") } }
}
