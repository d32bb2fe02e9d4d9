import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

@Suite struct ReprintTests {
    @Test(arguments: [0, 64 * 1024]) func `prints the same document again, as a job that names its origin`(
        inline: Int
    ) async throws {
        let kiosk = try await TestKiosk(configure: { $0.inlineDocumentLength = inline })
        let first = try await kiosk.settled(
            kiosk.submit("one coffee") {
                $0.ticket.copies = 2; $0.user = "till"
            })
        let second = try await kiosk.settled(kiosk.engine.reprint(first.id))
        #expect(second.origin == first.id)
        #expect(second.id > first.id)
        #expect(second.state == .completed)
        #expect(second.ticket == first.ticket)
        #expect([second.name, second.user, second.role?.rawValue] == ["one coffee", "till", "receipt"])
        // A reprint can be reprinted, also where its origin is gone.
        for file in try await kiosk.engine.store.giveUp([first.id], jobs: true) {
            await kiosk.engine.spool.remove(file)
        }
        let third = try await kiosk.settled(kiosk.engine.reprint(second.id))
        #expect(third.state == .completed)
        #expect(kiosk.transport.texts == ["one coffee", "one coffee", "one coffee"])
        try await kiosk.restart()
        #expect(try await kiosk.engine.job(third.id).origin == second.id)
        let files = try FileManager.default.contentsOfDirectory(atPath: kiosk.folder.path + "/state/documents")
        #expect(files.count == (inline == 0 ? 1 : 0))
        try await kiosk.stop()
    }

    @Test func `goes to another printer where one is named`() async throws {
        let kiosk = try await TestKiosk()
        let label = try await kiosk.settled(kiosk.submit("label", role: "held"))
        let elsewhere = try await kiosk.settled(kiosk.engine.reprint(label.id, to: .test("till-2")))
        #expect(elsewhere.printer == .test("till-2"))
        #expect(elsewhere.role == nil)
        let receipt = try await kiosk.settled(kiosk.submit("tea"))
        let pinned = try await kiosk.settled(kiosk.engine.reprint(receipt.id, to: .test("till-2")))
        #expect(pinned.printer == .test("till-2"))
        #expect(pinned.role == .test("receipt"))
        await #expect(throws: EngineError.self) { try await kiosk.engine.reprint(receipt.id, to: .test("till-9")) }
        try await kiosk.stop()
    }

    @Test func `the same key is the same reprint`() async throws {
        let kiosk = try await TestKiosk()
        let engine = kiosk.engine
        let first = try await kiosk.settled(kiosk.submit("tea"))
        let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<10 { group.addTask { try await engine.reprint(first.id, idempotencyKey: "again").id } }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        await #expect(throws: EngineError.self) {
            try await engine.reprint(first.id, to: .test("till-2"), idempotencyKey: "again")
        }
        for id in ids { _ = try await engine.wait(for: id, timeout: .seconds(20)) }
        #expect(kiosk.transport.texts == ["tea", "tea"])
        try await kiosk.stop()
    }

    @Test func `says for how long documents are kept where this one is not`() async throws {
        let kiosk = try await TestKiosk(
            registry: TestKiosk.registry.replacingOccurrences(
                of: "  held:", with: "    keep: { documents: 2h, size: 5MB }\n  held:"))
        let job = try await kiosk.settled(kiosk.submit("tea"))
        _ = try await kiosk.engine.store.giveUp([job.id], jobs: false)
        let error = await refusal { try await kiosk.engine.reprint(job.id) }
        #expect(error?.code == .documentNotKept)
        let message =
            "the document of job \(job.id) is no longer kept: documents of the role \"receipt\" are kept for 2 hours, the newest 5 MB of them; print it from where it came from, and see \"keep\" in printers.yaml"
        #expect(error?.message == message)
        let unknown = await refusal { try await kiosk.engine.reprint(99) }
        #expect(unknown?.code == .jobNotFound)
        try await kiosk.stop()
    }

    @Test func `a job that is not final is not printed twice`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .forgetsJobs); $0.set("till-2", .isDown)
        }
        let held = try await kiosk.settled(kiosk.submit("label", role: "held"))
        let error = await refusal { try await kiosk.engine.reprint(held.id) }
        #expect(error?.code == .jobNotReprintable)
        #expect(error?.message.contains("kioskctl release \(held.id)") == true)
        kiosk.transport.set("till-1", .isDown)
        let waiting = try await kiosk.submit("tea")
        let early = await refusal { try await kiosk.engine.reprint(waiting.id) }
        #expect(early?.message.contains("kioskctl cancel \(waiting.id)") == true)
        try await kiosk.stop()
    }
}
