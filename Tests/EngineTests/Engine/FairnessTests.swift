import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Who prints before whom, and what never waits for whom.
@Suite struct FairnessTests {
    private static let registry = TestKiosk.registry
        .replacingOccurrences(
            of: "roles:\n",
            with: """
                roles:
                  spread:
                    printers: [till-2, till-1]
                    policy: least-busy
                  other:
                    printers: [till-2]

                """)

    @Test func `a role that spreads keeps both printers at work, and a job that stays on one delays none`() async throws
    {
        let kiosk = try await TestKiosk(registry: Self.registry) { $0.set("till-2", .keepsJobs) }
        try await kiosk.ready()
        let stuck = try await kiosk.submit("stuck", role: "spread")
        try await eventually("till-2 to have the first") { try await kiosk.engine.job(stuck.id).state == .processing }
        var jobs: [Job] = []
        for number in 1...5 { jobs.append(try await kiosk.submit("\(number)", role: "spread")) }
        for job in jobs { #expect(try await kiosk.settled(job).printer == .test("till-1")) }
        #expect(kiosk.transport.texts == ["1", "2", "3", "4", "5"])
        kiosk.transport.finishJobs()
        #expect(try await kiosk.settled(stuck).printer == .test("till-2"))
        try await kiosk.stop()
    }

    @Test
    func `neither a job that stays on its printer, nor those behind it, nor a large upload delay another printer`()
        async throws
    {
        let kiosk = try await TestKiosk(registry: Self.registry) {
            $0.set("till-1", .pausesAt(.sending(bytes: 1, of: 1 << 20)))
        }
        try await kiosk.ready()
        let large = [UInt8](repeating: 0x41, count: 1 << 20)
        let first = try await kiosk.engine.submit(
            JobRequest(role: .test("held"), name: "large", format: .plainText), bytes: large)
        var behind: [Job] = []
        for number in 1...200 { behind.append(try await kiosk.submit("behind \(number)", role: "held")) }
        let upload = kiosk.engine.makeIntake()
        for _ in 0..<8 { try await upload.append(large) }
        for number in 1...20 {
            let job = try await kiosk.submit("receipt \(number)", role: "other")
            #expect(try await kiosk.settled(job).state == .completed)
        }
        #expect(kiosk.transport.paper.map(\.printer) == Array(repeating: "till-2", count: 20))
        #expect(try await kiosk.engine.job(first.id).state == .processing)
        let last = try await kiosk.engine.submit(
            JobRequest(role: .test("other"), name: "uploaded", format: .plainText), document: upload.finish())
        #expect(try await kiosk.settled(last).state == .completed)
        kiosk.transport.letGo()
        for job in behind { #expect(try await kiosk.settled(job).state == .completed) }
        let atTheFirst = kiosk.transport.paper.filter { $0.printer == "till-1" }.dropFirst().map {
            String(decoding: $0.bytes, as: UTF8.self)
        }
        #expect(atTheFirst == behind.map(\.name))
        try await kiosk.stop()
    }

    @Test(arguments: [ScriptedTransport.Behaviour.isDown, .isStopped, .isBusy(times: 3)])
    func `order and priority stay through failed attempts and a new start`(
        trouble: ScriptedTransport.Behaviour
    ) async throws {
        let kiosk = try await TestKiosk(registry: Self.registry) { $0.set("till-2", .isDown) }
        var expected: [String] = []
        for number in 1...6 {
            expected.append("\(number)")
            _ = try await kiosk.submit("\(number)", role: "other")
        }
        _ = try await kiosk.submit("urgent", role: "other") { $0.ticket.priority = 90 }
        kiosk.transport.set("till-2", trouble)
        try await kiosk.restart()
        _ = try await kiosk.submit("late", role: "other")
        let last = try await kiosk.submit("least", role: "other") { $0.ticket.priority = 10 }
        kiosk.transport.set("till-2", .prints)
        #expect(try await kiosk.settled(last).state == .completed)
        // Where the printer came to work before all were sent, the later ones could not go before.
        let texts = kiosk.transport.texts
        #expect(texts.filter { expected.contains($0) } == expected)
        #expect(texts.first == "urgent" && Array(texts.suffix(2)) == ["late", "least"])
        try await kiosk.stop()
    }
}

extension TestKiosk {
    /// Both printers have answered.
    fileprivate func ready() async throws {
        try await eventually("both printers to answer") {
            await self.engine.printers().allSatisfy { $0.availability.isAvailable }
        }
    }

    @Test func `a printer that fails again and again keeps no job from another`() async throws {
        // The pause after a failure never ends.
        let kiosk = try await TestKiosk(clock: .withoutLongPauses) { $0.set("till-1", .bars(.connectionLost)) }
        try await kiosk.ready()
        for number in 1...4 {
            let job = try await kiosk.settled(kiosk.submit("\(number)"))
            #expect(job.printer == .test("till-2") && job.state == .completed)
            // It answers contacts, and would be the first choice.
            _ = try await kiosk.engine.contact(.test("till-1"))
        }
        // The second failure in a row made it rest.
        #expect(kiosk.transport.deliveries == ["till-1", "till-2", "till-1", "till-2", "till-2", "till-2"])
        try await kiosk.stop()
    }
}
