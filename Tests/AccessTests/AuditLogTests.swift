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
            stateDirectory: folder.path, logger: Logger(label: "test") { _ in logged }, at: Self.start,
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
        #expect(names == ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2", "denied.jsonl"])
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

    @Test func `a line that was cut off is passed over where no further one was written`() async throws {
        let log = try log()
        log.note(entry("till-1"))
        await log.flush()
        try folder.writePrivately(folder.read(AuditLog.fileName) + Array(#"{"actor":"#.utf8), to: AuditLog.fileName)
        let again = try self.log()
        #expect(try await again.entries(limit: 10).map(\.object) == ["till-1"])
        #expect(await again.problems().damaged.isEmpty)
    }

    @Test(arguments: ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.4", "denied.jsonl", "denied.jsonl.2"])
    func `a folder in a file's place is moved aside, and told until it is removed`(_ name: String) async throws {
        #expect(mkdir(folder.appending(name), 0o700) == 0)
        let moved = folder.appending("\(name).damaged-20270115T080000000")
        for _ in 1...2 {
            let log = try log()
            log.note(entry("till-1"))
            log.note(entry("till-2", .denied))
            #expect(try await log.entries(limit: 2).map(\.object) == ["till-2", "till-1"])
            #expect(await log.problems().damaged == [moved])
            #expect(await log.problems().failures.isEmpty)
        }
        #expect(logged.lines.filter { $0.contains("it is kept as \(moved)") }.count == 1)
        #expect(rmdir(moved) == 0)
        #expect(try await log().problems().damaged.isEmpty)
    }

    @Test func `what is damaged a second time gets a name of its own`() async throws {
        for _ in 1...2 {
            #expect(mkdir(folder.appending(AuditLog.fileName), 0o700) == 0)
            _ = try log()
            #expect(unlink(folder.appending(AuditLog.fileName)) == 0)
        }
        let base = folder.appending("audit.jsonl.damaged-20270115T080000000")
        #expect(try await log().problems().damaged == [base, "\(base)-2"])
    }

    @Test func `a link in the file's place is not followed`() async throws {
        let target = try folder.write("x", to: "other")
        #expect(symlink(target, folder.appending(AuditLog.fileName)) == 0)
        let log = try log()
        log.note(entry("till-1"))
        #expect(try await log.entries(limit: 2).map(\.object) == ["till-1"])
        #expect(await log.problems().damaged.count == 1)
        #expect(try folder.read("other") == Array("x".utf8))
    }

    @Test func `numbers go on behind what is left`() async throws {
        let log = try log(maximumFileLength: 1000, keptFiles: 2)
        for number in 1...10 {
            log.note(entry("till-\(number)"))
            await log.flush()
        }
        let older = try #require(
            String(decoding: try folder.read("audit.jsonl.1"), as: UTF8.self).matches(of: /"id":([0-9]+)/).last?.1)
        #expect(unlink(folder.appending(AuditLog.fileName)) == 0)
        #expect(mkdir(folder.appending(AuditLog.fileName), 0o700) == 0)
        let again = try self.log(maximumFileLength: 1000, keptFiles: 2)
        again.note(entry("after"))
        #expect(try await again.entries(limit: 1).first?.number == UInt64(older).map { $0 + 1 })
    }

    @Test func `a disk that takes nothing is told, and entries are written again once it does`() async throws {
        let log = try log(maximumFileLength: 1, keptFiles: 1)
        log.note(entry("till-1"))
        await log.flush()
        // The full file cannot be put aside.
        #expect(mkdir(folder.appending("audit.jsonl.1"), 0o700) == 0)
        log.note(entry("till-2"))
        log.note(entry("till-3", .denied))
        #expect(try await log.entries(limit: 1).map(\.object) == ["till-3"])
        #expect(await log.problems().failures.count == 1)
        #expect(rmdir(folder.appending("audit.jsonl.1")) == 0)
        log.note(entry("till-4"))
        #expect(try await log.entries(limit: 3).map(\.object) == ["till-4", "till-3", "till-1"])
        #expect(await log.problems().failures.isEmpty)
    }

    @Test func `denials have a file of their own, and never put aside what was done`() async throws {
        let log = try log(maximumFileLength: 1000, keptFiles: 1)
        log.note(entry("first"))
        for minute in 1...50 {
            log.note(entry("x", at: minute * 60, .denied))
            await log.flush()
        }
        log.note(entry("last", at: 3060))
        let all = try await log.entries(limit: 1000)
        #expect(all.first?.object == "last")
        #expect(all.first?.number == 52)
        #expect(all.last?.object == "first")
        #expect(try await log.entries(limit: 9, withDenials: false).map(\.object) == ["last", "first"])
        #expect(try folder.names() == ["audit.jsonl", "denied.jsonl", "denied.jsonl.1"])
        var status = stat()
        #expect(stat(folder.appending(AuditLog.deniedFileName), &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
    }

    @Test func `both files are read as one, in pages, and numbered as one after a restart`() async throws {
        let log = try log()
        for number in 1...10 { log.note(entry("\(number)", number % 3 == 0 ? .denied : .done)) }
        await log.flush()
        let again = try self.log()
        again.note(entry("11", .denied))
        var paged: [AuditEntry] = []
        while let page = try? await again.entries(before: paged.last?.number, limit: 4), !page.isEmpty { paged += page }
        #expect(paged.map(\.number) == (1...11).reversed())
        #expect(paged.map(\.object) == (1...11).reversed().map { "\($0)" })
    }

    @Test func `denials of one address are limited, and the rest is counted`() async throws {
        let log = try log()
        for _ in 0..<100 { log.note(entry("x", .denied)) }
        log.note(entry("y", .denied, from: "192.0.2.2"))
        log.note(entry("z"))
        var all = try await log.entries(limit: 1000)
        #expect(all.count == DenialLimit.maximumOfAddress + 2)
        log.note(entry("later", at: 60, .denied))
        all = try await log.entries(limit: 2)
        #expect(all[0].object == "later")
        #expect(all[1].message?.hasPrefix("80 more since ") == true)
        #expect(all[1].address == "192.0.2.1")
    }

    @Test func `what was left out is told also where no further denial comes`() async throws {
        let log = try log()
        for _ in 0..<25 { log.note(entry("x", .denied)) }
        log.note(entry("z", at: 60))
        #expect(try await log.entries(limit: 2).map(\.message) == [nil, "5 more since \(Self.start)"])
        for _ in 0..<23 { log.note(entry("x", at: 120, .denied)) }
        await log.finish(at: Self.start.advanced(bySeconds: 130))
        #expect(try await log.entries(limit: 1).first?.message?.hasPrefix("3 more since ") == true)
        let entries = try await log.entries(limit: 1000)
        await log.finish(at: Self.start.advanced(bySeconds: 140))
        #expect(try await log.entries(limit: 1000) == entries)
    }
}

@Suite struct DenialLimitTests {
    private static let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

    private func denial(from address: String, at time: Int = 0) -> AuditEntry {
        AuditEntry(
            time: Self.start.advanced(bySeconds: time), actor: "nobody", address: address, action: "login",
            outcome: .denied)
    }

    private func counted(_ sums: [AuditEntry]) -> Int {
        sums.compactMap { $0.message?.split(separator: " ").first.flatMap { Int($0) } }.reduce(0, +)
    }

    @Test func `denials of very many addresses stay bounded together, and none is lost without a word`() {
        var limit = DenialLimit()
        var noted = 0
        for number in 0..<10_000 where limit.admit(denial(from: "10.0.\(number / 256).\(number % 256)")) { noted += 1 }
        #expect(noted == DenialLimit.maximum)
        let sums = limit.end(at: Self.start.advanced(bySeconds: 60))
        #expect(sums.count == DenialLimit.maximumSums + 1)
        #expect(sums.last?.address == "other addresses")
        #expect(counted(sums) == 10_000 - noted)
        #expect(limit.end(at: Self.start.advanced(bySeconds: 120)).isEmpty)
    }

    @Test func `the addresses with the most are told apart`() {
        var limit = DenialLimit()
        for number in 0..<40 {
            for _ in 0..<(30 + number) { _ = limit.admit(denial(from: "192.0.2.\(number)")) }
        }
        let sums = limit.end(at: Self.start.advanced(bySeconds: 61))
        #expect(sums.first?.address == "192.0.2.39")
        #expect(sums.first?.message == "69 more since \(Self.start)")
        #expect(counted(sums) == (0..<40).reduce(0) { $0 + 30 + $1 } - DenialLimit.maximum)
    }

    @Test func `a window ends after a minute, or where the clock is set back`() {
        var limit = DenialLimit()
        #expect(!limit.isOver(at: Self.start))
        _ = limit.admit(denial(from: "192.0.2.1"))
        #expect(!limit.isOver(at: Self.start.advanced(bySeconds: 59)))
        #expect(limit.isOver(at: Self.start.advanced(bySeconds: 60)))
        #expect(limit.isOver(at: Self.start.advanced(bySeconds: -1)))
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
