import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskDevicePrinting

@Suite("A printer stops and goes on", .timeLimit(.minutes(10)))
struct StoppedPrinterTests {
    private static let coverOpen = StateReason(keyword: "cover-open", severity: .error)

    @Test func `A cover opened in a job stops it for as long as it takes, and closing it lets it go on`() async throws {
        let bench = await ConversationBench { $0.budget = 100 }
        let text = String(repeating: "0123456789", count: 1000)
        let seen = ProgressLog()
        let delivery = Task { try await bench.deliver(text) { seen.add($0) } }
        try await eventually { bench.printer.paper.utf8.count > 50 }
        bench.printer.change { $0.isCoverOpen = true }
        try await eventually("it is told") { seen.all.contains(.stopped([Self.coverOpen])) }
        for _ in 0..<100 { bench.clock.advance(by: .seconds(100)) }
        bench.printer.change { ($0.isCoverOpen, $0.budget) = (false, nil) }
        #expect(try await delivery.value == .printed)
        #expect(seen.all.contains(.resumed))
        #expect(bench.printer.paper == text)
    }

    @Test func `One that is stopped from the beginning is sent nothing`() async throws {
        let bench = await ConversationBench { $0.isCoverOpen = true }
        // It carries nothing out in its turn, and is then asked in real time.
        let failure = try await bench.clock.pass { try await bench.failure("One\n") }
        #expect(failure.kind == .stopped)
        #expect(failure.accepted == 0)
        bench.printer.change { $0.isCoverOpen = false }
        try await eventually("it has told that it is closed") { await !bench.conversation.status.condition.isStopped }
        #expect(try await bench.deliver("Two\n") == .printed)
        #expect(bench.printer.paper == "Two\n")
    }

    @Test func `A change is told while nothing is printed, also after a job that turned reports off`() async throws {
        let bench = await ConversationBench()
        #expect(try await bench.deliver([0x1B, 0x40] + Array("One\n".utf8)) == .printed)
        _ = await bench.conversation.condition()
        bench.clearEvents()
        bench.printer.change { $0.isCoverOpen = true }
        try await eventually("it is told") {
            bench.events.contains {
                if case .changed(let condition) = $0 { condition.reasons == [Self.coverOpen] } else { false }
            }
        }
    }

    @Test func `One that reports by itself is not asked again and again`() async throws {
        let bench = await ConversationBench()
        #expect(await bench.conversation.condition().availability().state == .ready)
        let (sent, asked) = (bench.printer.sentCount, bench.printer.portRequests)
        for _ in 0..<20 { _ = await bench.conversation.condition() }
        bench.clock.advance(by: .seconds(3600))
        #expect(bench.printer.sentCount == sent)
        #expect(bench.printer.portRequests == asked)
    }

    @Test func `The port tells how a printer is that cannot speak`() async throws {
        let bench = await ConversationBench(DeviceSettings()) { ($0.hasBackChannel, $0.portStatus) = (false, 0x30) }
        #expect(await bench.conversation.condition().availability().state == .stopped)
        #expect(try await bench.failure("One\n").kind == .stopped)
        bench.printer.change { $0.portStatus = 0x18 }
        #expect(await bench.conversation.condition().availability().state == .ready)
        #expect(try await bench.deliver("One\n") == .sent)
    }

    @Test func `Paper that runs out in a job stops one that cannot speak as well`() async throws {
        let bench = await ConversationBench(DeviceSettings()) { ($0.hasBackChannel, $0.budget) = (false, 100) }
        let text = String(repeating: "0123456789", count: 1000)
        let seen = ProgressLog()
        let delivery = Task { try await bench.deliver(text) { seen.add($0) } }
        try await eventually { bench.printer.accepted > 4000 }
        bench.printer.change { $0.portStatus = 0x30 }
        try await bench.clock.pass(until: "it is told") {
            seen.all.contains { if case .stopped = $0 { true } else { false } }
        }
        for _ in 0..<20 { bench.clock.advance(by: .seconds(1000)) }
        bench.printer.change { ($0.portStatus, $0.budget) = (0x18, nil) }
        #expect(try await bench.clock.pass { try await delivery.value } == .sent)
        #expect(bench.printer.paper == text)
    }

    @Test func `One that answers nothing at all prints all the same`() async throws {
        let bench = await ConversationBench { $0.responds = false }
        #expect(try await bench.clock.pass { try await bench.deliver("One\n") } == .sent)
        #expect(bench.printer.paper == "One\n")
    }

    @Test func `Long paper from a few bytes is waited for`() async throws {
        var settings = ConversationBench.epson
        (settings.completion, settings.paperSpeed) = (.statusRequest, 10)
        let bench = await ConversationBench(settings)
        #expect(try await bench.deliver("One\n") == .processed)
        _ = await bench.conversation.condition()
        bench.printer.change { $0.budget = 0 }
        // Five metres, at a centimetre a second.
        let delivery = Task { try await bench.deliver((0..<5).flatMap { _ in [0x1B, 0x64, 255] }) }
        try await eventually("all is with the printer") { await bench.conversation.job?.isSent == true }
        for _ in 0..<490 {
            bench.clock.advance(by: .seconds(1))
            await Task.yield()
        }
        #expect(await bench.conversation.job != nil)
        bench.printer.change { $0.budget = nil }
        #expect(try await delivery.value == .processed)
    }
}
