import Foundation
import GRDB
import KioskDurableFiles
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// A state directory on a file system of its own that can really be full. Mounting it takes root, as in a container.
@Suite(.enabled(if: geteuid() == 0, "mounting a small file system takes root"))
struct FullDiskTests {
    private func withSmallDisk(_ body: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try run("/usr/bin/mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder.path)
        defer { try? run("/usr/bin/umount", "--lazy", folder.path) }
        try await body(folder.path)
    }

    private func run(_ program: String, _ arguments: String...) throws {
        let process = try Process.run(URL(fileURLWithPath: program), arguments: arguments)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(program) failed")
    }

    private func fill(_ path: String) throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        for size in [65536, 4096] {
            while (try? file.write(contentsOf: Data(count: size))) != nil {}
        }
    }

    private func submit(
        _ kiosk: TestKiosk, bytes count: Int, of letter: UInt8 = 65, key: String? = nil
    ) async throws -> Job {
        let request = JobRequest(role: .test("receipt"), name: "sale", format: .plainText, idempotencyKey: key)
        let intake = kiosk.engine.makeIntake(for: request)
        try await intake.append([UInt8](repeating: letter, count: count))
        return try await kiosk.engine.submit(request, document: intake.finish())
    }

    @Test(arguments: [40_000, 400_000])
    func `refuses jobs while the disk is full, says so in health, and goes on when there is room`(
        length: Int
    ) async throws {
        try await withSmallDisk { disk in
            let kiosk = try await TestKiosk(configure: { $0.stateDirectory = disk + "/state" })
            _ = try await kiosk.settled(submit(kiosk, bytes: length))
            try fill(disk + "/ballast")
            var refusals: [String] = []
            for _ in 0..<50 where refusals.isEmpty {
                do {
                    _ = try await kiosk.settled(submit(kiosk, bytes: length))
                } catch let error as EngineError {
                    refusals.append(error.code.rawValue)
                }
            }
            #expect(refusals == ["storage-full"])
            #expect(await kiosk.engine.health().checks.contains { $0.code == "storage-full" && $0.status == .critical })
            try FileManager.default.removeItem(atPath: disk + "/ballast")
            #expect(try await kiosk.settled(submit(kiosk, bytes: length)).state == .completed)
            #expect(await kiosk.engine.health().checks.allSatisfy { $0.code != "storage-full" })
            try await kiosk.stop()
        }
    }

    /// Its caller's connection broke, and it asks again what became of its receipt.
    @Test(arguments: [40_000, 400_000], [true, false])
    func `a request that was taken before is answered with its job, also by a disk that takes no more`(
        length: Int, isFull: Bool
    ) async throws {
        try await withSmallDisk { disk in
            let kiosk = try await TestKiosk(configure: { $0.stateDirectory = disk + "/state" })
            let first = try await kiosk.settled(submit(kiosk, bytes: length, key: "sale-1"))
            if isFull {
                try fill(disk + "/ballast")
            } else {
                try run("/usr/bin/mount", "--bind", disk, disk)
                try run("/usr/bin/mount", "-o", "remount,bind,ro", disk)
            }
            defer { if !isFull { try? run("/usr/bin/umount", "--lazy", disk) } }
            #expect(try await submit(kiosk, bytes: length, key: "sale-1").id == first.id)
            let other = await #expect(throws: EngineError.self) {
                try await submit(kiosk, bytes: length, of: 66, key: "sale-1")
            }
            #expect(other?.code == .idempotencyConflict)
            let large = await #expect(throws: EngineError.self) {
                try await submit(kiosk, bytes: 400_000, key: "sale-2")
            }
            #expect(large?.isAboutStorage == true)
            try await kiosk.stop()
        }
    }

    @Test func `documents of final jobs give way before a job is refused for good`() async throws {
        try await withSmallDisk { disk in
            let kiosk = try await TestKiosk(configure: { $0.stateDirectory = disk + "/state" })
            // Three times what there is room for.
            for _ in 0..<16 {
                try await eventually {
                    do {
                        return try await kiosk.settled(submit(kiosk, bytes: 400_000)).state == .completed
                    } catch let error as EngineError where error.code == .storageFull {
                        return false
                    }
                }
            }
            let jobs = try await kiosk.engine.jobs()
            #expect(jobs.count == 16)
            let error = await #expect(throws: EngineError.self) { try await kiosk.engine.reprint(jobs.last?.id ?? 0) }
            #expect(error?.code == .documentNotKept)
            try await kiosk.stop()
        }
    }

    /// Otherwise it grows with each try to make room, until it has taken all that there is.
    @Test func `the log's room is given back where the disk is almost full`() async throws {
        try await withSmallDisk { disk in
            let kiosk = try await TestKiosk(configure: { $0.stateDirectory = disk + "/state" })
            let log = URL(fileURLWithPath: disk + "/state/queue.sqlite-wal")
            for _ in 0..<20 {
                _ = try await kiosk.settled(submit(kiosk, bytes: 400))
                try await kiosk.engine.history.trim()
                // A job and its place in the history are a dozen pages.
                #expect(try Data(contentsOf: log).count < 250_000)
            }
            try await kiosk.stop()
        }
    }

    @Test func `a cancel that a new start would not know of is not called done`() async throws {
        try await withSmallDisk { disk in
            let kiosk = try await TestKiosk {
                $0.set("till-1", .isDown)
                $0.set("till-2", .isDown)
            } configure: {
                $0.stateDirectory = disk + "/state"
            }
            var jobs: [Job] = []
            for _ in 0..<20 { jobs.append(try await submit(kiosk, bytes: 400)) }
            var notStored: Job?
            for job in jobs where notStored == nil {
                try fill(disk + "/ballast-\(job.id)")
                // Until the queue's log has no room of its own either.
                var isFull = false
                for _ in 0..<500 where !isFull {
                    do { _ = try await submit(kiosk, bytes: 400) } catch is EngineError { isFull = true }
                }
                do {
                    _ = try await kiosk.engine.cancel(job.id)
                    // The engine had made room meanwhile, as it does once a job was refused.
                    #expect(try await kiosk.engine.store.job(job.id)?.job.state == .canceled)
                } catch let error as EngineError {
                    #expect(error.isAboutStorage, "\(error)")
                    notStored = job
                }
            }
            let job = try #require(notStored)
            for job in jobs where FileManager.default.fileExists(atPath: disk + "/ballast-\(job.id)") {
                try FileManager.default.removeItem(atPath: disk + "/ballast-\(job.id)")
            }
            try await eventually("the cancel is stored") {
                try await kiosk.engine.store.job(job.id)?.job.state == .canceled
            }
            try await kiosk.stop()
        }
    }

    @Test func `a file system that takes no writes is told in health before anybody prints`() async throws {
        try await withSmallDisk { disk in
            let kiosk = try await TestKiosk(configure: { $0.stateDirectory = disk + "/state" })
            #expect(await kiosk.engine.health().checks.contains { $0.code == "storage-low" && $0.status == .warning })
            // As when the kernel gives a disk up (ext4's errors=remount-ro): files that are open stay so.
            try run("/usr/bin/mount", "--bind", disk, disk)
            defer { try? run("/usr/bin/umount", "--lazy", disk) }
            try run("/usr/bin/mount", "-o", "remount,bind,ro", disk)
            let checks = await kiosk.engine.health().checks
            #expect(checks.contains { $0.code == "storage-read-only" && $0.status == .critical }, "\(checks)")
            try await kiosk.stop()
        }
    }

    @Test(
        arguments: [
            (DatabaseError(resultCode: .SQLITE_FULL), EngineError.Code.storageFull),
            (DatabaseError(resultCode: .SQLITE_READONLY), .storageReadOnly),
            (DatabaseError(resultCode: .SQLITE_READONLY_DBMOVED), .storageReadOnly),
            (DatabaseError(resultCode: .SQLITE_CORRUPT), .storageDamaged),
            (DatabaseError(resultCode: .SQLITE_NOTADB), .storageDamaged),
            (DatabaseError(resultCode: .SQLITE_IOERR_FSYNC), .storageFailed),
            (FileError(operation: "write", path: "/x", errno: ENOSPC), .storageFull),
            (FileError(operation: "write", path: "/x", errno: EDQUOT), .storageFull),
            (FileError(operation: "write", path: "/x", errno: EROFS), .storageReadOnly),
            (FileError(operation: "write", path: "/x", errno: EIO), .storageFailed),
        ] as [(any Error, EngineError.Code)])
    func `each failure of the disk has its own name`(error: any Error, code: EngineError.Code) {
        let told = EngineError.storage(error, doing: "store the job")
        #expect(told.code == code)
        #expect(told.isAboutStorage)
    }
}
