import Foundation
import KioskFleetAgent
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskFleet

@Suite struct FleetRecordsTests {
    private let folder: TemporaryFolder
    private let node: NodeName
    private var path: String { folder.appending("fleet.sqlite") }

    init() throws {
        folder = try TemporaryFolder("fleet")
        node = try NodeName("kiosk-1")
    }

    private func key(_ number: Int) throws -> JobKey { try JobKey(idempotencyKey: "order-\(number)") }

    private func job(_ id: Job.ID, _ state: JobState = .pending) -> Job {
        let now = Timestamp(millisecondsSince1970: 1_790_000_000_000)
        var job = Job(
            id: id, name: "order", role: "receipt", printer: nil, user: nil, format: .plainText, documentLength: 3,
            ticket: Ticket(), createdAt: now, expiresAt: now.advanced(bySeconds: 60))
        job.state = state
        return job
    }

    @Test func `what is taken is known, and how far, after a new start`() async throws {
        let records = try FleetRecords(path: path)
        #expect(try await records.takenUpTo() == nil)
        try await records.note(key(1), storedAt: 1000, FleetReport(node: node, job: job(7)))
        try await records.advance(to: 2000)
        let again = try FleetRecords(path: path)
        #expect(try await again.takenUpTo() == 2000)
        let known = try #require(try await again.known(key(1)))
        #expect(known.job?.id == 7 && known.stage == .accepted)
        #expect(try await again.known(key(2)) == nil)
        #expect(try await again.openJobs().map(\.id) == [7])
    }

    @Test func `a report waits until the hub has it, and a newer one replaces it`() async throws {
        let records = try FleetRecords(path: path)
        #expect(try await records.waitingReports(1).first == nil)
        try await records.note(key(1), storedAt: 1000, FleetReport(node: node, job: job(7)))
        try await records.note(key(2), storedAt: 1001, FleetReport(node: node, job: job(8)))
        let first = try #require(try await records.waitingReports(1).first)
        #expect(first.key == (try key(1)) && first.lastSequence == 0)
        // While the first is on its way.
        #expect(try await records.update(job(7, .completed), of: key(1), by: node))
        try await records.stored(first, as: 17)
        let second = try #require(try await records.waitingReports(1).first)
        #expect(second.key == (try key(2)))
        try await records.stored(second, as: 18)
        let third = try #require(try await records.waitingReports(1).first)
        #expect(third.key == (try key(1)) && third.lastSequence == 17)
        #expect(String(decoding: third.body, as: UTF8.self).contains(#""stage":"ended""#))
        try await records.stored(third, as: 19)
        #expect(try await records.waitingReports(1).first == nil)
        #expect(try await records.openJobs().map(\.id) == [8])
    }

    @Test func `only a stage that changes is reported, and only of the fleet's jobs`() async throws {
        let records = try FleetRecords(path: path)
        try await records.note(key(1), storedAt: 1000, FleetReport(node: node, job: job(7)))
        #expect(try await !records.update(job(7, .processing), of: key(1), by: node))
        #expect(try await !records.update(job(8, .completed), of: key(1), by: node))
        #expect(try await records.update(job(7, .aborted), of: key(1), by: node))
        #expect(try await !records.update(job(7, .aborted), of: key(1), by: node))
    }

    @Test func `a job of a new queue under an old number is not the fleet's`() async throws {
        let records = try FleetRecords(path: path)
        try await records.note(key(1), storedAt: 1000, FleetReport(node: node, job: job(7)))
        #expect(try await !records.update(job(7, .completed), of: key(2), by: node))
        #expect(try await records.known(key(1))?.stage == .accepted)
    }

    @Test func `keys are forgotten once the hub's clock is 30 days on, but for what is still to be said`() async throws
    {
        let records = try FleetRecords(path: path)
        let day: Int64 = 86_400_000_000_000
        for number in 1...2 {
            try await records.note(key(number), storedAt: day, FleetReport(node: node, job: job(Int64(number))))
        }
        try await records.stored(try #require(try await records.waitingReports(1).first), as: 1)
        try await records.note(key(3), storedAt: 31 * day, FleetReport(node: node, job: job(3)))
        #expect(try await records.known(key(1)) != nil)
        try await records.note(key(4), storedAt: 31 * day + 1, FleetReport(node: node, job: job(4)))
        #expect(try await records.known(key(1)) == nil)
        #expect(try await records.known(key(2)) != nil)
    }

    @Test func `people are shown the newest jobs, and how many reports wait`() async throws {
        let records = try FleetRecords(path: path)
        let empty = try await records.overview(jobs: 3, reports: 10)
        #expect(empty.jobs.isEmpty && empty.takenUpTo == nil && empty.appliedRevision == nil)
        #expect(empty.waitingReports == 0 && empty.oldestWaiting == nil)
        for number in 1...12 {
            try await records.note(
                key(number), storedAt: Int64(1000 + number), FleetReport(node: node, job: job(Int64(number))))
        }
        let refusal = FleetReport.Failure(code: "job-expired", message: "late")
        try await records.note(key(13), storedAt: 1013, FleetReport(node: node, .refused, error: refusal))
        let many = try await records.overview(jobs: 3, reports: 10)
        #expect(many.jobs.map(\.storedAt) == [1013, 1012, 1011] && many.takenUpTo == 1013)
        #expect(many.jobs.map(\.stage) == [.refused, .accepted, .accepted])
        #expect(many.jobs.map(\.job?.id) == [nil, 12, 11])
        #expect(many.jobs.first?.key == (try key(13)))
        // Counted to the limit.
        #expect(many.waitingReports == 10 && many.oldestWaiting == 1001)
        try await records.stored(try #require(try await records.waitingReports(1).first), as: 1)
        let fewer = try await records.overview(jobs: 100, reports: 100)
        #expect(fewer.jobs.count == 13 && fewer.waitingReports == 12 && fewer.oldestWaiting == 1002)
    }

    @Test(arguments: [0, 8192])
    func `a damaged file is set aside, and the kiosk is like a new machine`(offset: Int) async throws {
        try await fill()
        var bytes = try readFile(path)
        #expect(bytes.count > offset + 8192)
        for index in offset..<offset + 8192 { bytes[index] = UInt8(ascii: "x") }
        try folder.write(bytes, to: "fleet.sqlite")
        let records = try FleetRecords(path: path)
        #expect(try await records.takenUpTo() == nil)
        #expect(FileManager.default.fileExists(atPath: "\(path).damaged"))
    }

    /// Writes several pages, and closes the file.
    private func fill() async throws {
        let records = try FleetRecords(path: path)
        for number in 1...100 {
            try await records.note(key(number), storedAt: 1000, FleetReport(node: node, job: job(Int64(number))))
        }
    }
}

@Suite struct HubTimeTests {
    @Test(arguments: [0, 1, 999_999_999, 1_790_000_000_000_000_001, 1_790_000_000_120_000_000] as [Int64])
    func `a time is written and read to the nanosecond`(time: Int64) {
        #expect(JetStream.time(ofText: JetStream.text(ofTime: time)) == time)
    }

    @Test func `fewer digits are read, and what is no time is not`() {
        #expect(JetStream.time(ofText: "2026-09-21T13:33:20Z") == 1_789_997_600_000_000_000)
        #expect(JetStream.time(ofText: "2026-09-21T13:33:20.5Z") == 1_789_997_600_500_000_000)
        for text in [
            "", "Z", "2026", "2026-09-21T13:33:20", "2026-09-21T13:33:20.Z", "2026-09-21T13:33:20.1234567890Z",
            "2026-09-21T13:33:20.-5Z", "2026-09-21T13:33:20.5.5Z", "9999-09-21T13:33:20Z", "2026-09-21T13:33:20.٣Z",
        ] {
            #expect(JetStream.time(ofText: text) == nil, "\(text)")
        }
    }
}
