import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// What a new start makes of what the last run left.
@Suite struct RestartTests {
    @Test func `prints what was waiting, in order`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .isDown)
            $0.set("till-2", .isDown)
        }
        var jobs: [Job] = []
        for number in 1...5 { jobs.append(try await kiosk.submit("receipt \(number)")) }
        try await kiosk.restart()
        kiosk.transport.set("till-1", .prints)
        for job in jobs { #expect(try await kiosk.settled(job).state == .completed) }
        #expect(kiosk.transport.texts == (1...5).map { "receipt \($0)" })
        try await kiosk.stop()
    }

    @Test func `follows a job that the printer had taken, and does not send it again`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .keepsJobs) }
        let job = try await kiosk.submit("one coffee")
        try await eventually { try await kiosk.engine.job(job.id).remoteJob != nil }
        try await kiosk.restart()
        kiosk.transport.finishJobs()
        #expect(try await kiosk.settled(job).state == .completed)
        #expect(kiosk.transport.deliveries == ["till-1"])
        try await kiosk.stop()
    }

    @Test func `keeps a held job held`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .forgetsJobs) }
        let held = try await kiosk.settled(kiosk.submit("one label", role: "held"))
        try await kiosk.restart()
        #expect(try await kiosk.engine.job(held.id).state == .pendingHeld)
        #expect(await kiosk.engine.health().jobsUnconfirmed == 1)
        try await kiosk.stop()
    }

    @Test func `knows what a printer could do before it answers again`() async throws {
        let kiosk = try await TestKiosk()
        _ = try await kiosk.engine.contact(.test("till-1"))
        kiosk.transport.set("till-1", .isSilent)
        try await kiosk.restart()
        let status = await kiosk.engine.printers()[0]
        #expect(status.description == .receiptPrinter)
        #expect(status.availability.state == .unknown)
        try await kiosk.stop()
    }

    @Test func `hands on what was learned of a printer's history, as it was learned last`() async throws {
        // Both printers describe themselves alike, each at its own moment: what was learned of the other one would be
        // handed on too, and last.
        let kiosk = try await TestKiosk { $0.set("till-2", .isDown) }
        for isLacking in [true, false] {
            var description = PrinterDescription.receiptPrinter
            description.learned = LearnedBehavior(lacksJobHistory: isLacking)
            kiosk.transport.describe(description)
            // The first may join one that began before.
            try await eventually("a contact that shows it") {
                try await kiosk.engine.contact(.test("till-1")).description?.learned?.lacksJobHistory == isLacking
            }
            // A contact that shows nothing of it changes nothing.
            kiosk.transport.describe(.receiptPrinter)
            let known = try await kiosk.engine.contact(.test("till-1")).description?.learned
            #expect(known == LearnedBehavior(lacksJobHistory: isLacking))
            try await kiosk.restart()
            // The start hands it on before it returns.
            #expect(kiosk.transport.recalled.last == LearnedBehavior(lacksJobHistory: isLacking))
        }
        try await kiosk.stop()
    }

    @Test func `prints a large document from its file, and removes the file when it is no longer kept`() async throws {
        let kiosk = try await TestKiosk(configure: { $0.inlineDocumentLength = 100 })
        let intake = kiosk.engine.makeIntake()
        try await intake.append(Array("a long receipt".utf8))
        try await intake.append([UInt8](repeating: 65, count: 1000))
        let request = JobRequest(role: .test("receipt"), name: "long", format: .plainText)
        let job = try await kiosk.engine.submit(request, document: intake.finish())
        #expect(job.documentLength == 1014)
        #expect(try await kiosk.settled(job).state == .completed)
        let folder = kiosk.folder.path + "/state/documents"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
        for file in try await kiosk.engine.store.giveUp([job.id], jobs: false) { await kiosk.engine.spool.remove(file) }
        try await eventually { try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty }
        try await kiosk.stop()
    }
}
