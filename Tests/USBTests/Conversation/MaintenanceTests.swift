import KioskAsyncPrimitives
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskDevicePrinting

@Suite("What is due between jobs", .timeLimit(.minutes(10)))
struct MaintenanceTests {
    private static var padding: DeviceSettings {
        var settings = ConversationBench.epson
        settings.recovery = .padding
        return settings
    }

    @Test func `Who wants to know how a printer is does not wait for what takes long`() async throws {
        let bench = await ConversationBench()
        _ = await bench.conversation.condition()
        #expect(await bench.conversation.mutex.lock())
        #expect(await bench.conversation.requireRecovery(missing: 0))
        let cancelled = Task { await bench.conversation.condition() }
        cancelled.cancel()
        _ = await cancelled.value
        _ = try await bench.clock.pass { await bench.conversation.condition() }
        #expect(await bench.conversation.pendingRecovery == .resynchronising(missing: 0))
        await bench.conversation.mutex.unlock()
        #expect(try await bench.deliver("One\n") == .printed)
        #expect(bench.printer.cuts == 1)
    }

    @Test func `Who asks while an older question is under way is not given its answer`() async throws {
        let bench = await ConversationBench(DeviceSettings()) { ($0.hasBackChannel, $0.holdsPort) = (false, true) }
        try await eventually("it is asked") { bench.printer.portRequests == 1 }
        bench.printer.change { $0.portStatus = 0x38 }
        let condition = Task { await bench.conversation.condition() }
        try await eventually("it is wanted anew") { await bench.conversation.status.isRequestDue }
        bench.printer.change { $0.holdsPort = false }
        #expect(await condition.value.isStopped)
    }

    @Test func `A printer that did not respond is not given up while a job begins`() async throws {
        let bench = await ConversationBench { $0.responds = false }
        await bench.conversation.requireResponse(within: .seconds(2))
        _ = try await bench.clock.pass { await bench.conversation.condition() }
        // As a job does.
        #expect(await bench.conversation.mutex.lock())
        #expect(await !bench.conversation.endIfUnanswered())
        #expect(await !bench.conversation.isOver)
        await bench.conversation.mutex.unlock()
        #expect(await bench.conversation.endIfUnanswered())
        #expect(await bench.conversation.isOver)
    }

    @Test func `A printer that takes nothing is not made clean three times over`() async throws {
        let bench = await ConversationBench(Self.padding, recovery: .resynchronising(missing: 0)) {
            ($0.budget, $0.capacity) = (0, 0)
        }
        try await bench.clock.pass(.seconds(10), until: "it was given up") {
            bench.printer.restorations > 0 && !bench.conversation.isBusy
        }
        #expect(bench.printer.restorations == 1)
    }

    /// A conversation whose job was cancelled within a picture that the printer cannot take.
    private static func aborted() async throws -> ConversationBench {
        let bench = await ConversationBench(Self.padding) { $0.budget = 1000 }
        _ = await bench.conversation.condition()
        _ = try await bench.cancel([UInt8](repeating: 0x78, count: 64_000), after: 4000)
        try await eventually("it is being cleaned up") { await bench.conversation.isResynchronising }
        return bench
    }

    private static func open(_ isOpen: Bool, _ bench: ConversationBench) async throws {
        bench.printer.change { $0.isCoverOpen = isOpen }
        try await eventually("it is told") { await bench.conversation.status.condition.isStopped == isOpen }
    }

    @Test func `What makes a printer clean waits while its cover is open, and not for ever once it is closed`()
        async throws
    {
        let bench = try await Self.aborted()
        try await Self.open(true, bench)
        for _ in 0..<100 {
            let requests = bench.printer.portRequests
            try await bench.clock.pass(.seconds(100), until: "the port is asked") {
                bench.printer.portRequests > requests
            }
        }
        #expect(await bench.conversation.isResynchronising)
        try await Self.open(false, bench)
        try await bench.clock.pass(.seconds(10), until: "it is given up") {
            await !bench.conversation.isResynchronising
        }
        bench.printer.change { $0.budget = nil }
        #expect(try await bench.clock.pass { try await bench.deliver("Next\n") } == .printed)
    }

    @Test func `A question of a job that was cancelled before it began does not get into the next`() async throws {
        let bench = await ConversationBench()
        _ = await bench.conversation.condition()
        bench.printer.change { $0.responds = false }
        let conversation = bench.conversation
        #expect(await conversation.mutex.lock())
        await conversation.requireStatusRequest()
        let preparing = Task { await conversation.prepare() }
        try await eventually("it is asked") { await conversation.status.isRequesting }
        preparing.cancel()
        await preparing.value
        #expect(await !conversation.status.isRequesting)
        #expect(await !conversation.status.hasUnsentRequest)
        #expect(await conversation.status.isRequestDue)
        await conversation.mutex.unlock()
    }

    @Test func `A job that stands still is not filled up with questions`() async throws {
        var settings = ConversationBench.epson
        settings.status = .realTime
        let bench = await ConversationBench(settings) { $0.budget = 100 }
        _ = await bench.conversation.condition()
        let text = String(repeating: "0123456789", count: 1000)
        let delivery = Task { try await bench.deliver(text) }
        try await eventually { bench.printer.paper.utf8.count > 50 }
        try await Self.open(true, bench)
        let sent = bench.printer.sentCount
        for _ in 0..<100 {
            let requests = bench.printer.portRequests
            try await bench.clock.pass(.seconds(5), until: "the port is asked") {
                bench.printer.portRequests > requests
            }
        }
        #expect(bench.printer.sentCount <= sent + 1)
        delivery.cancel()
        _ = await delivery.result
    }

    @Test(arguments: [4, 6])
    func `What a confirmed job has not answered soon is never answered`(seconds: Int) async throws {
        var settings = ConversationBench.epson
        settings.completion = .statusRequest
        let bench = await ConversationBench(settings)
        let picture: [UInt8] = [0x1D, 0x76, 0x30, 0, 3, 0, 1, 0, 0x1D, 0x72, 0x01]
        #expect(try await bench.deliver(picture) == .processed)
        #expect(await bench.conversation.memory.outstanding == 1)
        _ = await bench.conversation.condition()
        bench.clock.advance(by: .seconds(seconds))
        #expect(try await bench.deliver("One\n") == .processed)
        #expect(await bench.conversation.memory.outstanding == (seconds < 5 ? 1 : 0))
    }

    @Test func `What a cancelled job was asked may be answered whenever it comes out`() async throws {
        var settings = Self.padding
        settings.completion = .statusRequest
        let bench = await ConversationBench(settings) { ($0.budget, $0.capacity) = (30, 16_384) }
        #expect(try await bench.deliver("One\n") == .processed)
        _ = await bench.conversation.condition()
        let first = String(repeating: "x", count: 100)
        _ = try await bench.cancel(Array(first.utf8), after: bench.printer.accepted + 103)
        bench.clock.advance(by: .seconds(20))
        let second = Task { try await bench.deliver("Two\n") }
        // The job before it may leave a wait behind that only time ends.
        try await bench.clock.pass(.milliseconds(1), until: "all is with the printer") {
            await bench.conversation.job?.isSent == true
        }
        #expect(await bench.conversation.job?.tracker.isFinished == false)
        #expect(await bench.conversation.memory.outstanding > 1)
        bench.printer.change { $0.budget = nil }
        #expect(try await second.value == .processed)
    }
}
