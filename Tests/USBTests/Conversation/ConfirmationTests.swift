import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskDevicePrinting

@Suite("A printer confirms its jobs", .timeLimit(.minutes(10)))
struct ConfirmationTests {
    @Test(arguments: [
        (DeviceSettings.Completion.processID, Evidence.printed), (.statusRequest, .processed),
        (DeviceSettings.Completion.none, .sent),
    ])
    func `What the profile says decides what is proven`(
        completion: DeviceSettings.Completion, evidence: Evidence
    ) async throws {
        var settings = ConversationBench.epson
        settings.completion = completion
        let bench = await ConversationBench(settings)
        #expect(try await bench.deliver("One\n") == evidence)
        #expect(try await bench.deliver("Two\n") == evidence)
        #expect(bench.printer.paper == "One\nTwo\n")
    }

    @Test func `Without a language a printer is sent the document and nothing else`() async throws {
        let bench = await ConversationBench(DeviceSettings())
        #expect(try await bench.deliver("One\n") == .sent)
        #expect(bench.printer.accepted == 4)
    }

    @Test func `One without a back-channel is not waited for`() async throws {
        let bench = await ConversationBench { $0.hasBackChannel = false }
        #expect(try await bench.deliver("One\n") == .sent)
        #expect(bench.printer.accepted == 4)
    }

    @Test func `One that ignores ids is asked the weaker way, and remembered`() async throws {
        let bench = await ConversationBench { $0.knowsProcessIDs = false }
        #expect(try await bench.clock.pass { try await bench.deliver("One\n") } == .processed)
        #expect(bench.clock.now.offset > .seconds(30))
        #expect(try await bench.deliver("Two\n") == .processed)
    }

    @Test func `One that always confirmed and now does not has lost the job`() async throws {
        let bench = await ConversationBench()
        #expect(try await bench.deliver("One\n") == .printed)
        bench.printer.change { $0.knowsProcessIDs = false }
        let failure = try await bench.clock.pass { try await bench.failure("Two\n") }
        #expect(failure.kind == .lost)
        #expect(failure.accepted == 4)
    }

    @Test func `A long document goes through a small buffer, and progress is told in order`() async throws {
        let bench = await ConversationBench()
        let text = String(repeating: "0123456789\n", count: 30_000)
        let seen = ProgressLog()
        #expect(try await bench.deliver(text) { seen.add($0) } == .printed)
        #expect(bench.printer.paper == text)
        #expect(seen.counts == seen.counts.sorted())
        #expect(seen.counts.last == text.utf8.count)
    }

    @Test func `A file is streamed, and one that was cut off is noticed`() async throws {
        let bench = await ConversationBench()
        let folder = try TemporaryFolder("document")
        let text = String(repeating: "abcdefg\n", count: 40_000)
        let path = folder.appending("document")
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let reader = try await DocumentReader(.file(path: path, length: Int64(text.utf8.count)))
        #expect(try await bench.conversation.deliver(reader) { _ in } == .printed)
        #expect(bench.printer.paper == text)
        await #expect(throws: DocumentReader.Failure.self) { try await DocumentReader(.file(path: path, length: 7)) }
    }

    @Test(arguments: [0, 1, 511, 512, 513, 70_000])
    func `Copies of a document follow each other without a gap`(length: Int) async throws {
        let bench = await ConversationBench()
        let text = String((0..<length).map { Character(Unicode.Scalar(UInt8(0x21 + $0 % 90))) })
        let reader = try await DocumentReader(.bytes(Array(text.utf8)), copies: 3)
        #expect(try await bench.conversation.deliver(reader) { _ in } == .printed)
        #expect(bench.printer.paper == text + text + text)
    }

    @Test func `The answer to a job that was given up is not taken for the next one's`() async throws {
        var settings = ConversationBench.epson
        settings.completion = .statusRequest
        let bench = await ConversationBench(settings) { $0.budget = 20 }
        let first = String(repeating: "x", count: 100)
        let cancelled = Task { try await bench.deliver(first) }
        // All of it is in the buffer, and not on paper yet.
        try await eventually("the first is with the printer") { await bench.conversation.job?.isSent == true }
        cancelled.cancel()
        guard case .failure(let failure as DeliveryFailure) = await cancelled.result else {
            throw TestSupportError("not cancelled")
        }
        #expect(failure.accepted == 100)
        let second = Task { try await bench.deliver("Two\n") }
        // The job before it may leave a wait behind that only time ends.
        try await bench.clock.pass(.milliseconds(1), until: "the second is with the printer") {
            await bench.conversation.job?.isSent == true
        }
        // The first job's answer comes now, and is not enough.
        let outstanding = await bench.conversation.memory.outstanding
        let rest = first.utf8.count - bench.printer.paper.utf8.count
        bench.printer.change { $0.budget = rest + EscPosCommand.requestStatus.count }
        try await eventually("the first answer has come") {
            await bench.conversation.memory.outstanding == outstanding - 1
        }
        #expect(bench.printer.paper == first)
        #expect(await bench.conversation.job?.tracker.isFinished == false)
        bench.printer.change { $0.budget = nil }
        #expect(try await second.value == .processed)
        #expect(bench.printer.paper == first + "Two\n")
    }

    @Test func `A document's own questions prove nothing, answered or not`() async throws {
        var settings = ConversationBench.epson
        settings.completion = .statusRequest
        let bench = await ConversationBench(settings)
        _ = await bench.conversation.condition()
        bench.printer.change { $0.budget = 10 }
        // Two questions that are answered before the rest comes out, and one that is only a part of a picture.
        let picture: [UInt8] = [0x1D, 0x76, 0x30, 0, 3, 0, 1, 0, 0x1D, 0x72, 0x01]
        let delivery = Task {
            try await bench.deliver([0x1D, 0x72, 0x01, 0x1D, 0x72, 0x01] + picture + Array("0123456789\n".utf8))
        }
        try await eventually("the first answers have come") { bench.printer.responseCount >= 2 }
        try await eventually("all is with the printer") { await bench.conversation.job?.isSent == true }
        #expect(await bench.conversation.job?.tracker.isFinished == false)
        bench.printer.change { $0.budget = nil }
        #expect(try await delivery.value == .processed)
        #expect(bench.printer.paper == "0123456789\n")
        #expect(try await bench.deliver("Two\n") == .processed)
    }

    @Test func `A report that comes amid a recovery does not hide answers that are still to come`() async throws {
        var settings = ConversationBench.epson
        (settings.completion, settings.recovery) = (.statusRequest, .padding)
        let bench = await ConversationBench(settings) { $0.budget = 20 }
        let first: [UInt8] =
            [UInt8](repeating: 0x78, count: 100) + [0x1D, 0x72, 0x01] + [UInt8](repeating: 0x79, count: 8000)
        _ = try await bench.cancel(first, after: 3 + 4000)
        try await eventually("it is being cleaned up") { await bench.conversation.isResynchronising }
        // The drawer is opened.
        bench.printer.change { $0.isDrawerOpen = true }
        try await eventually("it is told") { await bench.conversation.status.condition.drawerLevel == .high }
        #expect(await bench.conversation.memory.outstanding == 1)
        bench.printer.change { $0.budget = nil }
        #expect(try await bench.deliver("Two\n") == .processed)
    }

    @Test func `Answers that never came are not reckoned with for ever`() async throws {
        var settings = ConversationBench.epson
        settings.completion = .statusRequest
        let bench = await ConversationBench(settings)
        let picture: [UInt8] = [0x1D, 0x76, 0x30, 0, 3, 0, 1, 0, 0x1D, 0x72, 0x01]
        #expect(try await bench.deliver(picture) == .processed)
        #expect(await bench.conversation.memory.outstanding > 0)
        _ = await bench.conversation.condition()
        bench.clock.advance(by: .seconds(3600))
        #expect(try await bench.deliver("Two\n") == .processed)
        #expect(await bench.conversation.memory.outstanding == 0)
    }
}
