import Foundation
import KioskPrintModel
import KioskPrinterRegistry
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Roles that print on all of their printers: one request, a job for each, and each with an outcome of its own.
@Suite struct GroupTests {
    private static let registry = TestKiosk.registry
        .replacingOccurrences(
            of: "roles:\n",
            with: """
                roles:
                  kitchen:
                    printers: [till-2, till-1]
                    policy: all
                    unconfirmed: hold

                """)

    private func group(of job: Job, in kiosk: TestKiosk) async throws -> [Job] {
        var jobs: [Job] = []
        for id in try #require(job.group) { jobs.append(try await kiosk.engine.job(id)) }
        return jobs
    }

    @Test(arguments: [4, 200_000])
    func `one request makes a job for each printer, and the document is printed on all`(length: Int) async throws {
        let kiosk = try await TestKiosk(registry: Self.registry)
        let text = String(repeating: "A", count: length)
        let first = try await kiosk.engine.submit(
            JobRequest(role: .test("kitchen"), name: "soup", format: .plainText), bytes: Array(text.utf8))
        #expect(first.group == [first.id, first.id + 1])
        for job in try await group(of: first, in: kiosk) {
            let settled = try await kiosk.settled(job)
            #expect(settled.state == .completed && settled.evidence == .printed)
            #expect(settled.group == first.group && settled.role == .test("kitchen"))
        }
        #expect(try await group(of: first, in: kiosk).map(\.printer) == [.test("till-2"), .test("till-1")])
        #expect(Set(kiosk.transport.paper.map(\.printer)) == ["till-1", "till-2"])
        #expect(kiosk.transport.texts == [text, text])
        try await kiosk.stop()
    }

    @Test func `each copy has its own outcome: one printed, one in doubt, and a new start knows both`() async throws {
        let kiosk = try await TestKiosk(registry: Self.registry) { $0.set("till-1", .forgetsJobs) }
        let first = try await kiosk.submit("soup", role: "kitchen")
        for job in try await group(of: first, in: kiosk) { _ = try await kiosk.settled(job) }
        try await kiosk.restart()
        var jobs = try await group(of: first, in: kiosk)
        #expect(jobs.map(\.state) == [.completed, .pendingHeld])
        #expect(jobs.map(\.isUnconfirmed) == [false, true])
        kiosk.transport.set("till-1", .prints)
        _ = try await kiosk.engine.release(jobs[1].id)
        #expect(try await kiosk.settled(jobs[1]).state == .completed)
        jobs = try await group(of: first, in: kiosk)
        #expect(kiosk.transport.paper.map(\.printer) == ["till-2", "till-1"])
        #expect(jobs.map(\.attempts) == [1, 2])
        try await kiosk.stop()
    }

    @Test func `a dead printer delays no copy of another, its own waits for it alone and is canceled alone`()
        async throws
    {
        let kiosk = try await TestKiosk(registry: Self.registry) { $0.set("till-2", .isDown) }
        let first = try await kiosk.submit("soup", role: "kitchen")
        let copies = try await group(of: first, in: kiosk)
        #expect(try await kiosk.settled(copies[1]).printer == .test("till-1"))
        #expect(try await kiosk.engine.job(copies[0].id).state == .pending)
        try await kiosk.restart()
        #expect(try await kiosk.engine.job(copies[0].id).group == first.group)
        #expect(try await kiosk.engine.cancel(copies[0].id).state == .canceled)
        #expect(try await kiosk.engine.job(copies[1].id).state == .completed)
        #expect(kiosk.transport.texts == ["soup"])
        try await kiosk.stop()
    }

    @Test func `the same key makes the group once, also after a new start, and never a part of it`() async throws {
        let kiosk = try await TestKiosk(registry: Self.registry)
        let engine = kiosk.engine
        let request = JobRequest(role: .test("kitchen"), name: "soup", format: .plainText, idempotencyKey: "order-1")
        async let one = engine.submit(request, bytes: Array("soup".utf8))
        async let two = engine.submit(request, bytes: Array("soup".utf8))
        let (first, second) = try await (one, two)
        #expect(first.id == second.id && first.group == second.group)
        for job in try await group(of: first, in: kiosk) { _ = try await kiosk.settled(job) }
        try await kiosk.restart()
        let again = try await kiosk.submit("soup", role: "kitchen") { $0.idempotencyKey = "order-1" }
        #expect(again.group == first.group && again.state == .completed)
        #expect(kiosk.transport.texts == ["soup", "soup"])
        #expect(try await kiosk.engine.jobs().count == 2)
        try await kiosk.stop()
    }

    @Test func `a copy is reprinted alone and on its printer; a printer that is named gets the job alone`() async throws
    {
        let kiosk = try await TestKiosk(registry: Self.registry)
        let first = try await kiosk.submit("soup", role: "kitchen")
        for job in try await group(of: first, in: kiosk) { _ = try await kiosk.settled(job) }
        let again = try await kiosk.engine.reprint(first.id)
        #expect(again.group == nil && again.origin == first.id)
        #expect(try await kiosk.settled(again).printer == .test("till-2"))
        let alone = try await kiosk.submit("tea", role: "kitchen") { $0.printer = .test("till-1") }
        #expect(alone.group == nil)
        #expect(try await kiosk.settled(alone).printer == .test("till-1"))
        #expect(kiosk.transport.paper.count == 4)
        try await kiosk.stop()
    }

    @Test func `nothing is taken where there is no room for all copies`() async throws {
        let kiosk = try await TestKiosk(registry: Self.registry) {
            $0.set("till-1", .isDown)
            $0.set("till-2", .isDown)
        } configure: {
            $0.maximumActiveJobs = 3
        }
        _ = try await kiosk.submit("soup", role: "kitchen")
        let error = await #expect(throws: EngineError.self) { try await kiosk.submit("tea", role: "kitchen") }
        #expect(error?.code == .tooManyJobs)
        #expect(try await kiosk.engine.jobs().count == 2)
        try await kiosk.stop()
    }

    @Test func `a copy does not go to a printer that turns out to do another job type`() async throws {
        let registry = Self.registry.replacingOccurrences(of: "policy: all", with: "policy: all\n    job-type: label")
            .replacingOccurrences(of: "till-2\n    url", with: "till-2\n    job-types: [label]\n    url")
        let kiosk = try await TestKiosk(registry: registry) { $0.set("till-1", .isDown) }
        let first = try await kiosk.submit("soup", role: "kitchen")
        kiosk.transport.set("till-1", .prints)
        let jobs = try await group(of: first, in: kiosk)
        #expect(try await kiosk.settled(jobs[0]).state == .completed)
        let other = try await kiosk.settled(jobs[1])
        #expect(other.state == .aborted && other.message?.contains("till-1 does") == true, "\(other.message ?? "")")
        #expect(kiosk.transport.paper.map(\.printer) == ["till-2"])
        try await kiosk.stop()
    }

    @Test func `a printer that is not saved for a while aborts nothing that waits for it`() async throws {
        let kiosk = try await TestKiosk(registry: Self.registry) { $0.set("till-2", .isDown) }
        let first = try await kiosk.submit("soup", role: "kitchen")
        _ = try await kiosk.settled(group(of: first, in: kiosk)[1])
        try await kiosk.stop()
        try FileManager.default.moveItem(
            atPath: kiosk.folder.path + "/printers.yaml", toPath: kiosk.folder.path + "/away")
        try await kiosk.start()
        #expect(try await kiosk.engine.job(first.id).state == .pending)
        kiosk.transport.set("till-2", .prints)
        try FileManager.default.moveItem(
            atPath: kiosk.folder.path + "/away", toPath: kiosk.folder.path + "/printers.yaml")
        try await kiosk.engine.registryStore.reload()
        #expect(try await kiosk.settled(first).state == .completed)
        try await kiosk.stop()
    }
}
