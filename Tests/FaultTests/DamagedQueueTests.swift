import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskEngine

/// A disk that gives back other pages of the queue than it took, while the daemon is stopped and while it runs.
@Suite(.serialized) struct DamagedQueueTests {
    @Test
    func `whatever page is damaged, the daemon heals by itself, keeps what can be read, and prints nothing twice`()
        async throws
    {
        let fixture = try await DamagedQueueFixture()
        var tally = DamagedQueueFixture.Tally()
        for seed in 0..<rounds(40, long: 200) { try await fixture.round(UInt64(seed), &tally) }
        print("damaged queues: \(tally)")
        #expect(tally.recovered > tally.rounds / 4, "\(tally)")
    }
}

/// A daemon's state directory with jobs in all states, and the printers that its jobs are on or wait for.
private final class DamagedQueueFixture {
    /// The sums over all rounds.
    struct Tally {
        var rounds = 0, recovered = 0, rebuilt = 0, restarts = 0, kept = 0, lost = 0, held = 0, withoutDocument = 0
    }

    private enum Damage: CaseIterable { case zeros, garbage, bits, truncation, exchange }
    private enum Moment: CaseIterable { case stopped, crashed, running }

    /// A job as it was before any damage.
    private struct Known {
        var text: String
        var key: String
        var state: JobState
    }

    private static let pageSize = DatabasePages.newPageSize
    /// A printer with one job, accepted just when the daemon was ended and printed since.
    private let accepting: SimulatedPrinter
    /// A printer that has the final jobs, and gets the waiting ones once it is on again.
    private let away: SimulatedPrinter
    /// State directorys, as an orderly end leaves them and as a crash does.
    private let stopped: TemporaryFolder
    private let crashed: TemporaryFolder
    private var known: [Job.ID: Known] = [:]

    init() async throws {
        func printer() async throws -> SimulatedPrinter {
            var options = SimulatedPrinter.Options()
            options.port = try freePort()
            return try await SimulatedPrinter.start(options)
        }
        (accepting, away) = (try await printer(), try await printer())
        let daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "\(accepting.uri)" }
                  - { id: till-2, url: "\(away.uri)" }
                roles:
                  receipt: { printers: [till-2], unconfirmed: hold }
                  slip: { printers: [till-1], unconfirmed: hold }

                """)
        stopped = try TemporaryFolder("stopped")
        crashed = try TemporaryFolder("crashed")
        var texts: [Job.ID: (text: String, key: String)] = [:]
        func send(_ name: String, to role: String = "receipt", length: Int = 500) async throws -> Job {
            let client = daemon.client()
            defer { client.close() }
            let key = name.replacingOccurrences(of: " ", with: "-")
            let text = "\(name)\n" + String(repeating: "x", count: length)
            let job = try await client.submit(text: text, to: role, key: key)
            texts[job.id] = (text, key)
            return job
        }
        func eventually(_ job: Job, is state: JobState) async throws {
            let client = daemon.client()
            defer { client.close() }
            try await KioskTestSupport.eventually("job \(job.id) to be \(state)") {
                try await client.job(job.id).state == state
            }
        }
        for number in 0..<25 { try await eventually(send("sold \(number)", length: 200 + 40 * number), is: .completed) }
        try await eventually(send("a long one", length: 70_000), is: .completed)
        // What was closed in order is in the main file, and the rest in its log.
        try await daemon.terminate()
        try await daemon.start()
        for number in 0..<10 { try await eventually(send("sold later \(number)"), is: .completed) }
        try await away.perform(.hold)
        let aborted = try await send("aborted")
        try await eventually(aborted, is: .processing)
        try await KioskTestSupport.eventually("the printer to have it") {
            try await away.jobs.contains { !$0.state.isFinal }
        }
        try await away.perform(.abort)
        try await eventually(aborted, is: .aborted)
        let doubtful = try await send("doubtful")
        try await KioskTestSupport.eventually("the printer to have it") {
            try await away.jobs.contains { !$0.state.isFinal }
        }
        try await away.perform(.powerOff)
        try await away.perform(.goOnline)
        try await eventually(doubtful, is: .pendingHeld)
        try await away.perform(.release)
        try await away.perform(.goOffline(milliseconds: nil))
        for number in 0..<12 { _ = try await send("waiting \(number)") }
        _ = try await send("a long one that waits", length: 70_000)
        for number in 0..<4 {
            let job = try await send("canceled \(number)")
            let client = daemon.client()
            defer { client.close() }
            _ = try await client.cancel(job.id)
            try await eventually(job, is: .canceled)
        }
        try await accepting.perform(.hold)
        let atPrinter = try await send("at the printer", to: "slip")
        try await KioskTestSupport.eventually("the printer to have it") {
            try await accepting.jobs.contains { !$0.state.isFinal }
        }
        let client = daemon.client()
        try await KioskTestSupport.eventually("the daemon to know") {
            try await client.job(atPrinter.id).remoteJob != nil
        }
        var filter = JobQuery()
        filter.limit = 1000
        for job in try await client.jobs(filter).jobs {
            let (text, key) = try #require(texts[job.id])
            known[job.id] = Known(text: text, key: key, state: job.state)
        }
        client.close()
        try await daemon.kill()
        try Self.copy(daemon.folder, to: crashed)
        try await daemon.start()
        try await daemon.terminate()
        try Self.copy(daemon.folder, to: stopped)
        try await accepting.perform(.release)
        try await KioskTestSupport.eventually("it to be printed") {
            try await accepting.jobs.allSatisfy(\.state.isFinal)
        }
    }

    private static func copy(_ folder: TemporaryFolder, to other: TemporaryFolder) throws {
        for name in try folder.names()
        where name.hasPrefix("queue.sqlite") || name == "documents" || name == "printers.yaml" {
            try FileManager.default.copyItem(atPath: folder.appending(name), toPath: other.appending(name))
        }
    }

    /// Damages a copy of the queue, and sees what the daemon makes of it.
    func round(_ seed: UInt64, _ tally: inout Tally) async throws {
        var random = SeededRandom(seed)
        let moment = Moment.allCases.randomElement(using: &random) ?? .stopped
        let damage = Damage.allCases.randomElement(using: &random) ?? .zeros
        let folder = try TemporaryFolder("damaged")
        try Self.copy(moment == .crashed ? crashed : stopped, to: folder)
        // The jobs of earlier rounds had the same names.
        try await away.perform(.forget)
        try await away.perform(.goOffline(milliseconds: nil))
        let before = try await away.copies().merging(accepting.copies()) { $0 + $1 }
        var touched: Set<Job.ID> = []
        let daemon: KioskdFixture
        if moment == .running {
            daemon = try await KioskdFixture(folder: folder)
            touched = try self.damage(folder, damage, inLog: false, using: &random)
        } else {
            touched = try self.damage(
                folder, damage, inLog: moment == .crashed && Bool.random(using: &random), using: &random)
            daemon = try await KioskdFixture(folder: folder)
        }
        let what = "seed \(seed), \(damage) while \(moment), on jobs \(touched.sorted())"
        try await away.perform(.goOnline)
        let client = daemon.client()
        defer { client.close() }
        let next = "the next of round \(seed)\n"
        // Whoever asks may find it amid its restart, and asks again.
        let jobs = try await eventuallyValue(
            "all to be settled (\(what))\n\(daemon.log.suffix(3000))"
        ) { () -> [Job.ID: Job]? in
            do {
                let job = try await client.submit(text: next, key: "next-\(seed)")
                var filter = JobQuery()
                filter.limit = 1000
                let jobs = try await client.jobs(filter).jobs
                let health = try await client.health()
                guard jobs.allSatisfy(\.isSettled), jobs.contains(where: { $0.id == job.id && $0.state == .completed }),
                    !health.checks.contains(where: { $0.code.hasPrefix("storage-") && $0.status == .critical })
                else { return nil }
                return Dictionary(uniqueKeysWithValues: jobs.map { ($0.id, $0) })
            } catch is KioskClientError {
                guard try daemon.process.isRunning else {
                    throw TestSupportError("kioskd ended (\(what)): \(daemon.log)")
                }
                return nil
            }
        }
        let health = try await client.health()
        let missing = Set(known.keys).subtracting(jobs.keys)
        #expect(missing.isSubset(of: touched), "\(what): lost are \(missing.sorted())")
        let recovered = health.checks.filter { $0.code == "queue-recovered" }
        if !missing.isEmpty {
            // Where all is gone, nothing is left to count by.
            let isTold =
                (health.jobsLost ?? 0) == missing.count
                || recovered.contains { $0.message.contains("nothing tells") || $0.message.contains("at least") }
            #expect(!recovered.isEmpty && isTold, "\(what): lost are \(missing.sorted()), told is \(recovered)")
        }
        if [.zeros, .garbage].contains(damage) {
            #expect(health.jobsLost ?? 0 == missing.count, "\(what): \(recovered)")
        }
        let after = try await away.copies().merging(accepting.copies()) { $0 + $1 }
        #expect(after[next] == 1, "\(what)")
        for (id, before, copies) in known.sorted(by: { $0.key < $1.key }).map({
            ($0.key, $0.value, after[$0.value.text, default: 0] - before[$0.value.text, default: 0])
        }) {
            let isOpen = [.pending, .processing].contains(before.state)
            #expect(
                copies <= (isOpen ? 1 : 0), "\(what): job \(id) was \(before.state) and is on paper \(copies) times")
            guard let job = jobs[id], !touched.contains(id) else { continue }
            tally.kept += 1
            let isHeld = job.state == .pendingHeld && job.isUnconfirmed
            let hasLostDocument = job.state == .aborted && job.stateReasons == ["document-access-error"]
            if isOpen {
                #expect(job.state == .completed || isHeld || hasLostDocument, "\(what): \(job)")
                if isHeld { tally.held += 1 }
                if hasLostDocument { tally.withoutDocument += 1 }
                if before.key != "at-the-printer" {
                    #expect(copies == (job.state == .completed ? 1 : 0), "\(what): \(job)")
                }
            } else {
                #expect(job.state == before.state, "\(what): \(job)")
            }
        }
        // Of exchanged pages of an index SQLite notices nothing by itself, until the queue is looked at.
        if moment != .running || !recovered.isEmpty,
            let (id, job) = known.filter({ jobs[$0.key] != nil && !touched.contains($0.key) }).randomElement(
                using: &random)
        {
            #expect(
                try await client.submit(
                    text: job.text, to: job.key == "at-the-printer" ? "slip" : "receipt", key: job.key
                ).id == id, "\(what)")
        }
        tally.rounds += 1
        tally.lost += missing.count
        tally.recovered += recovered.isEmpty ? 0 : 1
        tally.rebuilt += daemon.log.contains("is made anew") ? 1 : 0
        tally.restarts += daemon.log.components(separatedBy: "kioskd starts anew").count - 1
        #expect(try await daemon.terminate() == .exited(0), "\(what)")
    }

    /// Returns the jobs whose rows stood where it struck.
    private func damage(
        _ folder: TemporaryFolder, _ damage: Damage, inLog: Bool, using random: inout SeededRandom
    ) throws -> Set<Job.ID> {
        let path = folder.appending("queue.sqlite")
        let places = try Self.places(of: path)
        let file = inLog ? path + "-wal" : path
        let handle = try #require(FileHandle(forUpdatingAtPath: file))
        defer { try? handle.close() }
        let bytes = try readFile(file)
        let blocks = bytes.count / Self.pageSize
        var struck: [Int] = []
        func block() -> Int {
            let block = Int.random(in: 0..<blocks, using: &random)
            struck.append(block)
            return block
        }
        func write(_ content: some Sequence<UInt8>, at offset: Int) throws {
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: Data(content))
        }
        switch damage {
        case .zeros: try write([UInt8](repeating: 0, count: Self.pageSize), at: block() * Self.pageSize)
        case .garbage:
            try write(
                (0..<Self.pageSize).map { _ in UInt8.random(in: .min ... .max, using: &random) },
                at: block() * Self.pageSize)
        case .bits:
            let start = block() * Self.pageSize
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = start + Int.random(in: 0..<Self.pageSize, using: &random)
                try write([bytes[place] ^ 1 << UInt8.random(in: 0..<8, using: &random)], at: place)
            }
        case .truncation where !inLog:
            // Up to a third of it, seldom all.
            let first =
                Int.random(in: 0..<20, using: &random) == 0
                ? 0 : Int.random(in: blocks * 2 / 3..<blocks, using: &random)
            try handle.truncate(
                atOffset: UInt64(
                    first * Self.pageSize + (first == 0 ? 0 : Int.random(in: 0..<Self.pageSize, using: &random))))
            struck = Array(first..<blocks)
        case .exchange, .truncation:
            // A log that is cut off cannot be told from one that a crash cut off.
            let (one, two) = (block(), block())
            try write(bytes[one * Self.pageSize..<(one + 1) * Self.pageSize], at: two * Self.pageSize)
            try write(bytes[two * Self.pageSize..<(two + 1) * Self.pageSize], at: one * Self.pageSize)
        }
        let pages = inLog ? Self.framePages(bytes, blocks: struck) : Set(struck.map { $0 + 1 })
        return Set(places.filter { !pages.isDisjoint(with: $0.value) }.keys)
    }

    /// The pages on which each job's row stands.
    private static func places(of path: String) throws -> [Job.ID: Set<Int>] {
        let rows = DatabaseRows(try DatabasePages(path, pageSize: nil), outline: nil)
        var places: [Job.ID: Set<Int>] = [:]
        for leaf in rows.leaves {
            for row in rows.rows(on: leaf).rows where row.values.count > 20 {
                places[row.number, default: []].insert(leaf)
            }
        }
        return places
    }

    /// The pages whose frames of the log a block of it meets, and the frame behind, of which nobody can tell then that
    /// it is sound.
    private static func framePages(_ log: [UInt8], blocks: [Int]) -> Set<Int> {
        let length = pageSize + 24
        var pages: Set<Int> = []
        for block in blocks {
            let (start, end) = (block * pageSize, (block + 1) * pageSize)
            for frame in max(0, (start - 32) / length - 1)...max(0, (end - 32) / length + 1)
            where 32 + (frame - 1) * length < end && 32 + (frame + 1) * length > start
                && 36 + frame * length <= log.count
            {
                pages.insert(log.number(at: 32 + frame * length, length: 4))
            }
        }
        return pages
    }
}
