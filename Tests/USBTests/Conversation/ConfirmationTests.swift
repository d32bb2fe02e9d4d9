@testable import DeviceStatus
import Foundation
import PrintModel
import TestSupport
import Testing

@Suite("A printer confirms its jobs", .timeLimit(.minutes(1)))
struct ConfirmationTests {
    @Test(arguments: [
        (DeviceSettings.Completion.processID, Evidence.printed), (.statusRequest, .processed), (DeviceSettings.Completion.none, .sent),
    ])
    func `What the profile says decides what is proven`(completion: DeviceSettings.Completion, evidence: Evidence) async throws {
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
        #expect(bench.printer.taken == 4)
    }

    @Test func `One without a back-channel is not waited for`() async throws {
        let bench = await ConversationBench { $0.hasBackChannel = false }
        #expect(try await bench.deliver("One\n") == .sent)
        #expect(bench.printer.taken == 4)
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
        #expect(failure.taken == 4)
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
        (settings.completion, settings.recovery) = (.statusRequest, .padding)
        let bench = await ConversationBench(settings) { $0.budget = 20 }
        // All of it is in the buffer, and not on paper yet.
        let first = String(repeating: "x", count: 100)
        #expect(try await bench.cancel(Array(first.utf8), after: 3 + 103).taken == 100)
        let second = Task { try await bench.deliver("Two\n") }
        // The first job's answer comes now, and is not enough.
        bench.printer.change { $0.budget = 90 }
        try await eventually { bench.printer.paper == first }
        bench.printer.change { $0.budget = nil }
        #expect(try await second.value == .processed)
        #expect(bench.printer.paper == first + "Two\n")
    }
}
