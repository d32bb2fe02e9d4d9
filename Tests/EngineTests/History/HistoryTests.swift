import Foundation
import GRDB
import KioskAsyncPrimitives
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// What is kept of final jobs, and what goes when.
@Suite struct HistoryTests {
    private func registry(keep: String) -> String {
        TestKiosk.registry.replacingOccurrences(of: "  held:", with: "    keep: \(keep)\n  held:")
    }

    private func files(_ kiosk: TestKiosk) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: kiosk.folder.path + "/state/documents")
    }

    private func keptDocuments(_ kiosk: TestKiosk) async throws -> [Int64] {
        try await kiosk.engine.store.read {
            try Int64.fetchAll($0, sql: "SELECT id FROM job WHERE has_document = 1 ORDER BY id")
        }
    }

    /// Every file has its row, and every row its document.
    private func isWhole(_ kiosk: TestKiosk) async throws -> Bool {
        let named = try await kiosk.engine.store.documentFiles()
        let (kept, inRows) = try await kiosk.engine.store.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT count(*) FROM job WHERE has_document = 1 AND document_file IS NULL"),
                try Int.fetchOne(db, sql: "SELECT count(*) FROM document")
            )
        }
        return try kept == inRows && named == Set(files(kiosk))
    }

    @Test func `looked after early once, the history is left alone until there is more to do`() async throws {
        let kiosk = try await TestKiosk()
        let history = kiosk.engine.history
        let passes = history.passes
        history.wanted.raise()
        try await eventually("the early look") { history.passes > passes }
        // The look at the start may come after it.
        try await eventually("it rests") {
            let passes = history.passes
            for _ in 0..<300 { _ = await kiosk.engine.health() }
            return history.passes == passes
        }
        try await kiosk.stop()
    }

    @Test func `documents go by age, jobs later`() async throws {
        let time = TestClock()
        let kiosk = try await TestKiosk(
            registry: registry(keep: "{ jobs: 7d, documents: 1h }"), clock: time.clock,
            configure: { $0.inlineDocumentLength = 10 })
        let ids = try await [
            kiosk.submit("tea"), kiosk.submit("one large coffee"), kiosk.submit("label", role: "held"),
        ]
        .async { try await kiosk.settled($0).id }
        #expect(try await keptDocuments(kiosk) == ids)
        #expect(try files(kiosk).count == 1)
        time.advance(bySeconds: 3700)
        try await kiosk.engine.trimHistory()
        #expect(try await keptDocuments(kiosk) == [ids[2]])
        try await eventually { try files(kiosk).isEmpty }
        #expect(try await kiosk.engine.jobs().map(\.id) == ids.reversed())
        time.advance(bySeconds: 7 * 86_400)
        try await kiosk.engine.trimHistory()
        #expect(try await kiosk.engine.jobs().map(\.id) == [ids[2]])
        #expect(try await isWhole(kiosk))
        try await kiosk.stop()
    }

    @Test(arguments: [0, 64 * 1024]) func `the newest documents are kept within the role's size`(
        inline: Int
    ) async throws {
        let kiosk = try await TestKiosk(
            registry: registry(keep: "{ size: 50 }"), configure: { $0.inlineDocumentLength = inline })
        var ids: [Int64] = []
        for number in 0..<8 { ids.append(try await kiosk.settled(kiosk.submit("twenty bytes long \(number) ")).id) }
        try await kiosk.engine.trimHistory()
        #expect(try await keptDocuments(kiosk) == ids.suffix(2))
        try await eventually { try await isWhole(kiosk) }
        try await kiosk.stop()
    }

    @Test func `a small document that is not kept goes with the commit that stores the end`() async throws {
        let kiosk = try await TestKiosk(registry: registry(keep: "{ documents: 0 }"))
        let before = try await kiosk.settled(kiosk.submit("one"))
        let isKept = try await kiosk.engine.store.read { db in
            try Int.fetchOne(db, sql: "SELECT (SELECT count(*) FROM document) + (SELECT sum(has_document) FROM job)")
        }
        #expect(before.state == .completed && isKept == 0)
        try await kiosk.stop()
    }

    @Test func `a role may keep no documents at all`() async throws {
        let kiosk = try await TestKiosk(
            registry: registry(keep: "{ documents: 0 }"), configure: { $0.inlineDocumentLength = 0 })
        _ = try await kiosk.settled(kiosk.submit("tea"))
        try await eventually { try files(kiosk).isEmpty }
        #expect(try await keptDocuments(kiosk).isEmpty)
        try await kiosk.stop()
    }

    @Test func `the engine bounds what the roles do not`() async throws {
        let kiosk = try await TestKiosk(configure: {
            $0.historyLength = 3
            $0.keptDocumentBytes = 6
        })
        var ids: [Int64] = []
        for number in 0..<5 { ids.append(try await kiosk.settled(kiosk.submit("tea\(number)")).id) }
        try await kiosk.engine.trimHistory()
        #expect(try await kiosk.engine.jobs().map(\.id) == ids.suffix(3).reversed())
        #expect(try await keptDocuments(kiosk) == ids.suffix(1))
        try await kiosk.stop()
    }

    @Test func `a pass files what is final and what is not, and a start finds all of it`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .isDown) }
        func filed() async throws -> [Int] {
            try await kiosk.engine.store.read { try Int.fetchAll($0, sql: "SELECT filed FROM job ORDER BY id") }
        }
        let printed = try await kiosk.settled(kiosk.submit("tea"))
        let waiting = try await kiosk.submit("label", role: "held")
        try await kiosk.engine.trimHistory()
        #expect(try await filed() == [1, 2])
        let later = try await kiosk.submit("another label", role: "held")
        try await kiosk.restart()
        #expect(try await kiosk.engine.job(printed.id).state == .completed)
        kiosk.transport.set("till-1", .prints)
        for job in [waiting, later] { #expect(try await kiosk.settled(job).state == .completed) }
        try await kiosk.engine.trimHistory()
        #expect(try await filed() == [1, 1, 1])
        try await kiosk.stop()
    }

    @Test func `no number is given again when the last jobs are gone`() async throws {
        let kiosk = try await TestKiosk(configure: { $0.historyLength = 0 })
        for name in ["one", "two", "three"] { _ = try await kiosk.settled(kiosk.submit(name)) }
        try await kiosk.engine.trimHistory()
        #expect(try await kiosk.engine.jobs().isEmpty)
        try await kiosk.restart()
        #expect(try await kiosk.submit("four").id == 4)
        try await kiosk.stop()
    }

    @Test func `more than a page goes in one pass`() async throws {
        let kiosk = try await TestKiosk(configure: { $0.historyLength = 10 })
        try await kiosk.engine.store.commits.commit { db in
            for _ in 0..<(2 * JobStore.trimPage + 50) {
                try db.execute(
                    sql: """
                        INSERT INTO job (name, role, format, document_length, state, created_at, completed_at, expires_at, stage,
                            is_pinned, has_document) VALUES ('old', 'receipt', 'text/plain', 3, 'completed', 0, 0, 0, 4, 0, 1)
                        """
                )
            }
        }
        try await kiosk.engine.trimHistory()
        #expect(try await kiosk.engine.jobs(JobFilter(limit: 1000)).isEmpty)
        try await kiosk.stop()
    }

    @Test func `a start removes files that no job names, and keeps those of final jobs`() async throws {
        let kiosk = try await TestKiosk(configure: { $0.inlineDocumentLength = 0 })
        _ = try await kiosk.settled(kiosk.submit("tea"))
        try kiosk.folder.write("half a document", to: "state/documents/orphan")
        try await kiosk.restart()
        try await eventually { try await isWhole(kiosk) }
        #expect(try files(kiosk).count == 1)
        try await kiosk.stop()
    }

    @Test func `a queue of the first version is taken over`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/queue.sqlite"
        do {
            let pool = try DatabasePool(path: path)
            try Schema.migrator.migrate(pool, upTo: "1: jobs, documents, printers")
            try await pool.write { db in
                for (stage, file) in [(0, "waiting"), (4, "gone")] {
                    try db.execute(
                        sql: """
                            INSERT INTO job (name, role, format, document_length, document_file, state, created_at, completed_at,
                                expires_at, stage, is_pinned) VALUES ('old', 'receipt', 'text/plain', 3, ?, 'pending', 0, 0, 0, ?, 0)
                            """,
                        arguments: [file, stage]
                    )
                }
            }
        }
        let store = try JobStore(path: path)
        #expect(try await store.documentFiles() == ["waiting"])
        #expect(
            try await store.read { try Int64.fetchAll($0, sql: "SELECT id FROM job WHERE has_document = 1") } == [1])
    }
}

extension Array {
    fileprivate func async<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
