import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskDevicePrinting

@Suite("A job breaks off", .timeLimit(.minutes(10)))
struct BrokenJobTests {
    /// A picture of 64,000 bytes. A receipt sent after a part of it would vanish in it.
    private static let picture: [UInt8] =
        [0x1D, 0x76, 0x30, 0, 80, 0, 0x20, 3] + [UInt8](repeating: 0xFF, count: 80 * 800)

    @Test(arguments: [DeviceSettings.Recovery.clearBuffers, .padding])
    func `A job that is cancelled in a picture leaves the next receipt clean`(
        recovery: DeviceSettings.Recovery
    ) async throws {
        var settings = ConversationBench.epson
        settings.recovery = recovery
        let bench = await ConversationBench(settings) { $0.budget = 1000 }
        let failure = try await bench.cancel(Self.picture, after: 4000)
        #expect(failure.kind == .cancelled)
        #expect((4000...8200).contains(failure.accepted))
        bench.printer.change { $0.budget = nil }
        #expect(try await bench.deliver("Next\n") == .printed)
        #expect(bench.printer.paper == "Next\n")
        #expect(bench.printer.cuts == 1)
    }

    @Test func `Cancelling before the printer took anything leaves nothing behind`() async throws {
        let bench = await ConversationBench { ($0.budget, $0.capacity) = (0, 3) }
        let delivery = Task { try await bench.deliver("One\n") }
        try await bench.clock.pass(until: "the job waits") { await bench.conversation.job != nil }
        delivery.cancel()
        guard case .failure(let failure as DeliveryFailure) = await delivery.result else {
            throw TestSupportError("not cancelled")
        }
        #expect(failure.kind == .cancelled)
        #expect(failure.accepted == 0)
        bench.printer.change { ($0.budget, $0.capacity) = (nil, 4096) }
        #expect(try await bench.clock.pass { try await bench.deliver("Two\n") } == .printed)
        #expect(bench.printer.paper == "Two\n")
    }

    @Test func `A conversation is retired only while it sends nothing, and takes no job afterwards`() async throws {
        let bench = await ConversationBench { ($0.budget, $0.capacity) = (0, 3) }
        let delivery = Task { try await bench.deliver("One\n") }
        try await bench.clock.pass(until: "the job waits") { await bench.conversation.job != nil }
        #expect(await !bench.conversation.retire())
        bench.printer.change { ($0.budget, $0.capacity) = (nil, 4096) }
        #expect(try await bench.clock.pass { try await delivery.value } == .printed)
        try await bench.clock.pass(until: "it is retired") { await bench.conversation.retire() }
        let failure = try await bench.failure("Two\n")
        #expect(failure.kind == .disconnected)
        #expect(failure.accepted == 0)
        #expect(await bench.conversation.isRetired)
        #expect(!bench.events.contains(.ended))
        #expect(bench.printer.paper == "One\n")
    }

    @Test func `One that takes nothing more without saying why is given up, and is clean afterwards`() async throws {
        let bench = await ConversationBench { $0.budget = 100 }
        let text = String(repeating: "0123456789", count: 1000)
        let failure = try await bench.clock.pass { try await bench.failure(text) }
        #expect(failure.kind == .timedOut)
        #expect((4000..<10_000).contains(failure.accepted))
        // Not before its paper could have moved all that it holds.
        #expect(bench.clock.now.offset > .seconds(30))
        bench.printer.change { $0.budget = nil }
        #expect(try await bench.clock.pass { try await bench.deliver("Next\n") } == .printed)
        #expect(bench.printer.paper.hasSuffix("Next\n"))
    }

    @Test(arguments: [1, 3, 4, 100, 4096, 4097, 50_000, 99_999, 100_000, 100_005])
    func `An unplug at any byte ends the job with at least what was taken`(offset: Int) async throws {
        let bench = await ConversationBench()
        _ = await bench.conversation.condition()
        let before = bench.printer.accepted
        bench.printer.change { $0.unplugAt = before + offset }
        let failure = try await bench.failure(String(repeating: "x", count: 100_000))
        #expect(failure.kind == .disconnected)
        #expect(failure.accepted == min(offset, 100_000))
        try await eventually { bench.events.last == .ended }
        #expect(try await bench.failure("Next\n").accepted == 0)
    }

    @Test func `A printer that comes back is made clean before anything else`() async throws {
        let bench = await ConversationBench(recovery: .resynchronising(missing: 500))
        #expect(try await bench.deliver("Next\n") == .printed)
        #expect(bench.printer.cuts == 1)
        #expect(bench.printer.paper == "Next\n")
    }

    @Test func `An endpoint that had halted before anything was taken is used again at once`() async throws {
        let bench = await ConversationBench()
        _ = await bench.conversation.condition()
        let before = bench.printer.accepted
        bench.printer.change { $0.stallAt = before }
        #expect(try await bench.deliver("One\n") == .printed)
        #expect(bench.printer.restorations == 1)
        #expect(bench.printer.paper == "One\n")
    }

    @Test func `One that halts in the middle says how much was taken, and is clean afterwards`() async throws {
        let bench = await ConversationBench()
        _ = await bench.conversation.condition()
        let before = bench.printer.accepted
        bench.printer.change { $0.stallAt = before + 7 }
        let failure = try await bench.failure("0123456789")
        #expect(failure.kind == .pipe)
        #expect(failure.accepted == 7)
        #expect(try await bench.deliver("Next\n") == .printed)
        #expect(bench.printer.paper.hasSuffix("Next\n"))
    }

    @Test func `Jobs wait for each other in their order`() async throws {
        let bench = await ConversationBench { $0.budget = 5 }
        let first = Task { try await bench.deliver("First\n") }
        try await eventually { await bench.conversation.job != nil }
        let second = Task { try await bench.deliver("Second\n") }
        bench.printer.change { $0.budget = nil }
        #expect(try await first.value == .printed)
        #expect(try await second.value == .printed)
        #expect(bench.printer.paper == "First\nSecond\n")
    }

    @Test func `A recovery that is pending is not forgotten over a job that took nothing`() async throws {
        let bench = await ConversationBench()
        _ = await bench.conversation.condition()
        bench.printer.change { ($0.budget, $0.capacity) = (0, 0) }
        let delivery = Task { try await bench.deliver("One\n") }
        try await eventually { await bench.conversation.job != nil }
        #expect(await bench.conversation.requireRecovery(missing: 7))
        delivery.cancel()
        guard case .failure(let failure as DeliveryFailure) = await delivery.result else {
            throw TestSupportError("not cancelled")
        }
        #expect(failure.accepted == 0)
        bench.printer.change { ($0.budget, $0.capacity) = (nil, 4096) }
        #expect(try await bench.clock.pass { try await bench.deliver("Two\n") } == .printed)
        #expect(bench.printer.cuts == 1)
    }

    @Test func `A pending recovery only grows`() {
        let all: [PendingRecovery] = [
            .none, .restoring, .resynchronising(missing: 0), .resynchronising(missing: 9),
        ]
        for (weaker, weak) in all.enumerated() {
            for (stronger, strong) in all.enumerated() {
                var need = weak
                need.add(strong)
                #expect(need == all[max(weaker, stronger)])
            }
        }
    }

    @Test func `A conversation that has ended takes no recovery over`() async throws {
        let bench = await ConversationBench()
        await bench.conversation.end()
        #expect(await !bench.conversation.requireRecovery(missing: 0))
    }

    @Test func `A label that was cancelled does not swallow the next`() async throws {
        let bench = await ConversationBench(DeviceSettings(), labels: .zpl) { $0.budget = 100 }
        _ = try await bench.cancel(Array("^XA".utf8) + [UInt8](repeating: 0x41, count: 9000), after: 4196)
        bench.printer.change { $0.budget = nil }
        #expect(try await bench.deliver("^XA^XZ") == .sent)
        #expect(bench.printer.paper.hasSuffix("~JX\n^XA^XZ"))
    }
}
