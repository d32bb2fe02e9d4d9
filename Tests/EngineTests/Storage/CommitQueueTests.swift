import Dispatch
import Foundation
import GRDB
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskEngine

@Suite struct CommitQueueTests {
    private func withStore(_ body: (JobStore) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let store = try JobStore(path: folder.path + "/queue.sqlite")
        try await store.pool.write {
            try $0.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT UNIQUE)")
        }
        try await body(store)
    }

    @Test func `is durable: WAL and synchronous FULL`() async throws {
        try await withStore { store in
            let settings = try await store.commits.commit { db in
                [
                    try String.fetchOne(db, sql: "PRAGMA journal_mode"),
                    try String.fetchOne(db, sql: "PRAGMA synchronous"),
                ]
            }
            #expect(settings == ["wal", "2"])
        }
    }

    @Test func `concurrent writes share commits, in order`() async throws {
        try await withStore { store in
            let commits = Mutex(0)
            store.pool.add(
                transactionObserver: CommitCounter { commits.withLock { $0 += 1 } }, extent: .databaseLifetime)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        try await store.commits.commit { db in
                            try db.execute(sql: "INSERT INTO note (text) VALUES (?)", arguments: ["\(number)"])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try await store.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM note") }
            #expect(count == 500)
            #expect(commits.withLock { $0 } < 400)
        }
    }

    @Test func `a write that fails takes nothing into the commit and fails alone`() async throws {
        try await withStore { store in
            // Handed in together, so that they share a commit.
            let bad = Task {
                try await store.commits.commit { db in
                    try db.execute(sql: "INSERT INTO note (text) VALUES ('half')")
                    throw EngineError(.jobNotFound, "half-way")
                }
            }
            let good = Task {
                try await store.commits.commit { db in
                    try db.execute(sql: "INSERT INTO note (text) VALUES ('whole')")
                }
            }
            await #expect(throws: EngineError.self) { try await bad.value }
            try await good.value
            let texts = try await store.read { try String.fetchAll($0, sql: "SELECT text FROM note") }
            #expect(texts == ["whole"])
        }
    }

    @Test func `a failure that ends the transaction fails every write that shares it, and keeps nothing`() async throws
    {
        try await withStore { store in
            try await store.commits.commit { db in
                let pages = try #require(try Int.fetchOne(db, sql: "PRAGMA page_count"))
                _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages + 4)")
            }
            // Holds the writer until all three are handed in, so that they share a commit.
            let gate = DispatchSemaphore(value: 0)
            store.commits.enqueue { _ in
                gate.wait()
            } completion: { _ in
            }
            let codes = Mutex<[EngineError.Code?]>([])
            for length in [1, 1 << 20, 2] {
                store.commits.enqueue { db in
                    let text = String(repeating: "x", count: length)
                    try db.execute(sql: "INSERT INTO note (text) VALUES (?)", arguments: [text])
                } completion: { result in
                    codes.withLock { codes in
                        if case .failure(let error) = result { codes.append((error as? EngineError)?.code) }
                    }
                }
            }
            gate.signal()
            await store.commits.flush()
            #expect(codes.withLock { $0 } == [.storageFull, .storageFull, .storageFull])
            let count = try await store.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM note") }
            #expect(count == 0)
            // The next one has a transaction of its own again.
            try await store.commits.commit { try $0.execute(sql: "INSERT INTO note (text) VALUES ('next')") }
        }
    }
}

/// Counts commits that changed something.
private final class CommitCounter: TransactionObserver {
    private let onCommit: () -> Void
    init(_ onCommit: @escaping () -> Void) { self.onCommit = onCommit }
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { onCommit() }
    func databaseDidRollback(_ db: Database) {}
}
