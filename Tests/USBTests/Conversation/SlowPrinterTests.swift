import KioskAsyncPrimitives
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskDevicePrinting

@Suite("A slow printer is not given up", .timeLimit(.minutes(10)))
struct SlowPrinterTests {
    /// Lets time pass, until the job is checked again.
    private static func pass(_ time: Duration, _ bench: ConversationBench) async throws {
        bench.clock.advance(by: time)
        let now = ElapsedClock.Instant(offset: bench.clock.now.offset)
        try await eventually("the job is checked") {
            await bench.conversation.job.map { $0.nextStatusCheck > now } ?? true
        }
    }

    @Test func `A short job waits for a long one before it that nobody confirmed`() async throws {
        let bench = await ConversationBench(DeviceSettings()) { ($0.capacity, $0.budget) = (60_000, 0) }
        #expect(try await bench.deliver([UInt8](repeating: 0x78, count: 60_000)) == .sent)
        let second = Task { try await bench.deliver([UInt8](repeating: 0x79, count: 200)) }
        try await eventually { await bench.conversation.job != nil }
        for _ in 0..<10 { try await Self.pass(.seconds(30), bench) }
        #expect(await bench.conversation.job != nil)
        bench.printer.change { $0.budget = nil }
        #expect(try await second.value == .sent)
    }

    @Test func `Jobs that nobody confirmed are reckoned with for as long as their paper needs`() async throws {
        let bench = await ConversationBench(DeviceSettings(paperSpeed: 10))
        #expect(try await bench.deliver([UInt8](repeating: 0x78, count: 11_000)) == .sent)
        #expect(await bench.conversation.unconfirmedPaper == 1000)
        bench.clock.advance(by: .seconds(40))
        #expect(try await bench.deliver("One") == .sent)
        #expect(await bench.conversation.unconfirmedPaper == 600)
        bench.clock.advance(by: .seconds(1000))
        #expect(try await bench.deliver("Two") == .sent)
        #expect(await bench.conversation.unconfirmedPaper == 0)
    }

    @Test func `A confirmed job leaves nothing to reckon with`() async throws {
        let bench = await ConversationBench()
        #expect(try await bench.deliver([UInt8](repeating: 0x78, count: 11_000)) == .printed)
        #expect(await bench.conversation.unconfirmedPaper == 0)
    }

    @Test func `A few bytes may ask for hundreds of labels`() async throws {
        let bench = await ConversationBench(DeviceSettings(), labels: .zpl) { ($0.capacity, $0.budget) = (5, 0) }
        let delivery = Task { try await bench.deliver("^XA^PQ500^XZ") }
        try await eventually { await bench.conversation.job != nil }
        for _ in 0..<20 { try await Self.pass(.seconds(60), bench) }
        #expect(await bench.conversation.job != nil)
        bench.printer.change { $0.budget = nil }
        #expect(try await delivery.value == .sent)
    }

    @Test(arguments: [512, 1024, 4096])
    func `One that takes a packet in twenty seconds prints all, in transfers of any size that it may be sent`(
        transfer: Int
    ) async throws {
        let bench = await ConversationBench { $0.capacity = transfer }
        _ = await bench.conversation.condition()
        // It has executed its one or two status requests, and prints nothing more.
        bench.printer.change { $0.budget = 0 }
        let asked = bench.printer.accepted
        let text = String(repeating: "0123456789", count: 3000)
        let delivery = Task { try await bench.deliver(text) }
        try await eventually("it has begun") { await bench.conversation.job?.accepted == transfer }
        for _ in 0..<30_000 / transfer {
            let before = bench.printer.accepted
            try await eventually("it is told") { await bench.conversation.job?.accepted == before - asked }
            // A transfer is reported when it has ended; the last may be short.
            let toCome = min(transfer, 30_000 - (before - asked))
            try await Self.pass(.seconds(20 * ((toCome + 511) / 512)), bench)
            bench.printer.change { $0.budget = ($0.budget ?? 0) + transfer }
            #expect(bench.printer.accepted > before)
        }
        bench.printer.change { $0.budget = nil }
        #expect(try await delivery.value == .printed)
        #expect(bench.printer.paper == text)
    }
}
