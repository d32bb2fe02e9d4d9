import Foundation
import GRDB
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// A queue that a disk gave back damaged: kept, and what can be read of it goes on.
@Suite struct RecoveryTests {
    private static let pageSize = DatabasePages.newPageSize

    /// An engine with so many jobs waiting, whose printers are down, and then stopped.
    private func stoppedKiosk(jobs count: Int, large: Bool = false) async throws -> (TestKiosk, [Job]) {
        let kiosk = try await TestKiosk(
            prepare: {
                $0.set("till-1", .isDown)
                $0.set("till-2", .isDown)
            }, configure: { if large { $0.inlineDocumentLength = 10 } })
        var jobs: [Job] = []
        for number in 1...count {
            jobs.append(try await kiosk.submit("receipt \(number) " + String(repeating: "x", count: 700)))
        }
        try await kiosk.stop()
        return (kiosk, jobs)
    }

    private func path(_ kiosk: TestKiosk, _ name: String = "queue.sqlite") -> String {
        kiosk.folder.path + "/state/" + name
    }

    private func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    /// The names of the queues that were set aside.
    private func damaged(_ kiosk: TestKiosk) throws -> [String] {
        try QueueFiles(folder: kiosk.folder.path + "/state").damaged()
    }

    /// Starts again as after a power cut: all is checked.
    private func startAfterPowerCut(_ kiosk: TestKiosk) async throws {
        try Data([0]).write(to: URL(fileURLWithPath: path(kiosk, "queue.sqlite-wal")))
        try await kiosk.start()
    }

    @Test(arguments: 0..<KioskTestSupport.rounds(12, long: 300))
    func `whatever page is damaged, the rest is recovered and printed, and nothing else`(seed: Int) async throws {
        let (kiosk, jobs) = try await stoppedKiosk(jobs: 40)
        var random = SeededRandom(UInt64(seed))
        let file = path(kiosk)
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        let page = Int.random(in: 0..<before.count / Self.pageSize, using: &random)
        let garbage = (0..<Self.pageSize).map { _ in UInt8.random(in: 0...255, using: &random) }
        try overwrite(file, at: page * Self.pageSize, with: garbage)
        let broken = try Data(contentsOf: URL(fileURLWithPath: file))

        try await startAfterPowerCut(kiosk)
        let names = try damaged(kiosk)
        // A free page holds nothing that could be missed.
        if let name = names.first {
            #expect(try Data(contentsOf: URL(fileURLWithPath: path(kiosk, name))) == broken, "kept as it was")
            #expect(await kiosk.engine.health().checks.contains { $0.code == "queue-recovered" && $0.subject == name })
        }
        kiosk.transport.set("till-1", .prints)
        var printed: [String] = []
        for job in jobs {
            guard let found = try? await kiosk.engine.job(job.id) else { continue }
            #expect(found.name == job.name)
            if try await kiosk.settled(job).state == .completed { printed.append(job.name) }
        }
        #expect(kiosk.transport.texts == printed, "in order, each once, and none that was not taken")
        if names.isEmpty { #expect(printed.count == jobs.count) }
        let next = try await kiosk.settled(kiosk.submit("the next"))
        #expect(next.state == .completed)
        #expect(next.id > jobs.count, "no number is given twice")
        try await kiosk.stop()
    }

    @Test func `most jobs survive a damaged page in the midst of them`() async throws {
        let (kiosk, jobs) = try await stoppedKiosk(jobs: 60)
        let file = path(kiosk)
        // A page of the table of documents: it has a receipt's text.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let place = try #require(
            bytes.range(of: Data("receipt 30 xxx".utf8), in: bytes.count / 2..<bytes.count)
                ?? bytes.range(of: Data("receipt 30 xxx".utf8)))
        try overwrite(
            file, at: place.lowerBound / Self.pageSize * Self.pageSize,
            with: [UInt8](repeating: 0xFF, count: Self.pageSize))
        try await startAfterPowerCut(kiosk)
        #expect(try damaged(kiosk).count == 1)
        kiosk.transport.set("till-1", .prints)
        var states: [JobState: Int] = [:]
        for job in jobs {
            guard (try? await kiosk.engine.job(job.id)) != nil else { continue }
            states[try await kiosk.settled(job).state, default: 0] += 1
        }
        #expect(states[.completed, default: 0] >= 45, "\(states)")
        try await kiosk.stop()
        // It is sound again: nothing is set aside a second time.
        try await startAfterPowerCut(kiosk)
        #expect(try damaged(kiosk).count == 1)
        try await kiosk.stop()
    }

    @Test func `damage that was met while it ran is mended by an orderly restart`() async throws {
        let (kiosk, jobs) = try await stoppedKiosk(jobs: 60)
        let file = path(kiosk)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let place = try document(30, in: bytes)
        try overwrite(
            file, at: place / Self.pageSize * Self.pageSize, with: [UInt8](repeating: 0xFF, count: Self.pageSize))
        try await kiosk.start()
        // After an orderly end it is believed, until something runs into it.
        #expect(try damaged(kiosk).isEmpty)
        kiosk.transport.set("till-1", .prints)
        for job in jobs { _ = try await kiosk.settled(job) }
        try await eventually {
            await kiosk.engine.health().checks.contains { $0.code == "storage-damaged" && $0.status == .critical }
        }
        await #expect(throws: EngineError.self) { try await kiosk.submit("refused") }
        try await kiosk.restart()
        #expect(try damaged(kiosk).count == 1)
        #expect(try await kiosk.settled(kiosk.submit("the next")).state == .completed)
        try await kiosk.stop()
    }

    @Test func `a file of which nothing is left is kept, and numbers do not begin anew`() async throws {
        let (kiosk, jobs) = try await stoppedKiosk(jobs: 3, large: true)
        let length = try readFile(path(kiosk)).count
        try overwrite(path(kiosk), at: 0, with: [UInt8](repeating: 0, count: length))
        try await kiosk.start()
        let name = try #require(try damaged(kiosk).first)
        #expect(
            await kiosk.engine.health().checks.contains {
                $0.code == "queue-recovered" && $0.message.contains("how many were lost nothing tells")
            })
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: path(kiosk, name + ".documents")).count == jobs.count)
        kiosk.transport.set("till-1", .prints)
        let next = try await kiosk.settled(kiosk.submit("the next"))
        #expect(next.id > 1_700_000_000)
        await #expect(throws: EngineError.self) { try await kiosk.engine.job(jobs[0].id) }
        try await kiosk.stop()
    }

    @Test(arguments: [0, 512]) func `a file that is cut to nothing, or nearly, is not a new beginning`(
        length: Int
    ) async throws {
        let (kiosk, _) = try await stoppedKiosk(jobs: 3)
        try FileHandle(forUpdating: URL(fileURLWithPath: path(kiosk))).truncate(atOffset: UInt64(length))
        try await kiosk.start()
        #expect(try damaged(kiosk).count == 1)
        kiosk.transport.set("till-1", .prints)
        #expect(try await kiosk.settled(kiosk.submit("the next")).id > 1_700_000_000)
        try await kiosk.stop()
    }

    @Test(arguments: [false, true])
    func `a job on its way is held where nobody can ask for it any more`(isMarkerLost: Bool) throws {
        let folder = try TemporaryFolder()
        let old = try JobStore(path: folder.appending("old.sqlite"))
        try old.pool.write { db in
            for stage in [0, 1] {
                try db.execute(
                    sql: """
                        INSERT INTO job (name, role, format, document_length, state, stage, created_at, expires_at, is_pinned)
                        VALUES ('a receipt', 'receipt', 'text/plain', 1, 'processing', ?, 0, 1, 0)
                        """, arguments: [stage])
            }
            if !isMarkerLost { try db.execute(sql: "UPDATE queue SET marker = 'bcdfghjk'") }
        }
        try old.close()
        let new = try JobStore(path: folder.appending("new.sqlite"))
        var salvage = QueueSalvage()
        let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        try salvage.fill(
            new.pool,
            from: DatabaseRows(try DatabasePages(folder.appending("old.sqlite"), pageSize: nil), outline: nil), at: now)
        #expect(salvage.jobs.count == 2)
        #expect(
            try new.pool.read { try Int.fetchAll($0, sql: "SELECT stage FROM job ORDER BY id") } == [
                0, isMarkerLost ? 3 : 1,
            ])
        try new.close()
    }

    @Test func `a recovery that was cut off is finished, or begun anew`() async throws {
        let (kiosk, jobs) = try await stoppedKiosk(jobs: 5)
        let files = QueueFiles(folder: kiosk.folder.path + "/state")
        let whole = try Data(contentsOf: URL(fileURLWithPath: files.queue))
        // All was on disk, and the damaged one still in its place. In the new one an index has another root page.
        try whole.write(to: URL(fileURLWithPath: path(kiosk, "queue.sqlite.recovered")))
        let recovered = try DatabaseQueue(path: path(kiosk, "queue.sqlite.recovered"))
        try await recovered.write { db in
            let index = try #require(
                try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'job_open'"))
            try db.execute(sql: "CREATE TABLE filler (x); DROP INDEX job_open; \(index); DROP TABLE filler")
        }
        try recovered.close()
        try overwrite(files.queue, at: 0, with: [UInt8](repeating: 0xAA, count: 5000))
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path(kiosk, "queue.sqlite-wal")))
        try await kiosk.start()
        #expect(try await kiosk.engine.job(jobs[4].id).name == jobs[4].name)
        #expect(try damaged(kiosk).isEmpty, "recovered once")
        try await kiosk.stop()
        // It was still being filled.
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: files.recovering))
        try overwrite(files.queue, at: 0, with: [UInt8](repeating: 0xAA, count: 100))
        try await kiosk.start()
        #expect(try damaged(kiosk).count == 1)
        #expect(!FileManager.default.fileExists(atPath: files.recovering))
        try await kiosk.stop()
    }

    @Test(arguments: [false, true])
    func `a document that the disk has changed is not printed`(isLarge: Bool) async throws {
        let (kiosk, jobs) = try await stoppedKiosk(jobs: 2, large: isLarge)
        let file = isLarge ? try documentFile(kiosk, of: jobs[0]) : path(kiosk)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        // Its last occurrence: the first is the job's name.
        let place = try #require(bytes.range(of: Data("receipt 1 xxx".utf8), options: .backwards))
        let document = isLarge ? place.lowerBound : try document(1, in: bytes)
        try overwrite(file, at: document, with: Array("RECEIPT".utf8))
        try await kiosk.start()
        kiosk.transport.set("till-1", .prints)
        let job = try await kiosk.settled(jobs[0])
        #expect(job.state == .aborted)
        #expect(job.stateReasons == ["document-access-error"])
        #expect(job.message?.contains("not as it was received") == true, "\(job.message ?? "")")
        #expect(try await kiosk.settled(jobs[1]).state == .completed)
        #expect(kiosk.transport.deliveries.count == 1, "nothing of the damaged one went out")
        try await kiosk.stop()
    }

    private func documentFile(_ kiosk: TestKiosk, of job: Job) throws -> String {
        let folder = path(kiosk, "documents")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let name = try names.first { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) == job.name }
        return "\(folder)/" + (try #require(name))
    }

    /// Where a job's document lies, and not its name, which stands in front of the role in its row.
    private func document(_ number: Int, in bytes: Data) throws -> Int {
        let text = Data(("receipt \(number) " + String(repeating: "x", count: 700)).utf8)
        var search = bytes.startIndex..<bytes.endIndex
        while let place = bytes.range(of: text, in: search) {
            if !bytes[place.upperBound...].prefix(7).elementsEqual("receipt".utf8) { return place.lowerBound }
            search = place.upperBound..<bytes.endIndex
        }
        throw TestSupportError("the document is not in the database's file")
    }
}
