import Foundation
import GRDB
import Testing

@testable import KioskEngine

@Suite struct DirectStatementTests {
    private func withTable(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE sample (number, flag, text, absent, blob)")
            try body(db)
        }
    }

    private func insert(_ text: String, _ blob: [UInt8], in db: Database) throws {
        var statement = try DirectStatement("INSERT INTO sample VALUES (?, ?, ?, ?, ?)", in: db)
        try statement.bind(Int64.min)
        try statement.bind(true)
        try statement.bind(text)
        try statement.bind(nil as String?)
        try statement.bind(blob: blob)
        try statement.run()
    }

    @Test(arguments: ["", "x", "Käse\u{301} 🧾", "with a \0 inside", String(repeating: "long ", count: 10_000)])
    func `stores and reads back what it is given`(text: String) throws {
        try withTable { db in
            let blob = [UInt8](text.utf8)
            try insert(text, blob, in: db)
            let row = try #require(try Row.fetchOne(db, sql: "SELECT *, CAST(text AS BLOB) AS bytes FROM sample"))
            #expect(row["number"] as Int64 == .min)
            #expect(row["flag"] as Int64 == 1)
            // As GRDB reads text, it ends at a zero.
            #expect(row["bytes"] as Data? == Data(blob))
            #expect(row["absent"] as String? == nil)
            #expect(row["blob"] as Data? == Data(blob))

            var statement = try DirectStatement("SELECT number, text, absent, absent FROM sample", in: db)
            #expect(try statement.next())
            #expect(try statement.integer() == .min)
            #expect(try statement.text() == text)
            #expect(try statement.text() == nil)
            #expect(try statement.integer() == nil)
            #expect(try !statement.next())
        }
    }

    @Test func `a commit that changed nothing is not told, since it syncs nothing`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE sample (number)") }
        try queue.writeWithoutTransaction { db in
            var commits = 0
            try db.directTransaction(committed: { _ in commits += 1 }) { .commit }
            #expect(commits == 0)
            try db.directTransaction(committed: { _ in commits += 1 }) {
                try db.execute(sql: "INSERT INTO sample VALUES (1)")
                return .commit
            }
            #expect(commits == 1)
        }
    }

    @Test func `a value of another class than the column holds is damage`() throws {
        try withTable { db in
            try insert("text", [], in: db)
            var statement = try DirectStatement("SELECT number, text FROM sample", in: db)
            #expect(try statement.next())
            do throws(EngineError) {
                _ = try statement.text()
                Issue.record("a number was read as text")
            } catch {
                #expect(error.code == .storageDamaged)
            }
            do throws(EngineError) {
                _ = try statement.integer()
                Issue.record("a text was read as a number")
            } catch {
                #expect(error.code == .storageDamaged)
            }
        }
    }

    @Test func `a run that failed leaves nothing to the next`() throws {
        try withTable { db in
            try db.execute(sql: "CREATE UNIQUE INDEX sample_text ON sample (text)")
            try insert("once", [1], in: db)
            #expect(throws: DatabaseError.self) { try insert("once", [2], in: db) }
            var empty = try DirectStatement("INSERT INTO sample VALUES (?, ?, ?, ?, ?)", in: db)
            try empty.bind(Int64(7))
            try empty.run()
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sample WHERE text IS NULL AND blob IS NULL") == 1)
        }
    }
}
