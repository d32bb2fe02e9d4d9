import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskDevicePrinting

@Suite("The trace of a conversation", .timeLimit(.minutes(10)))
struct ConversationTraceTests {
    private static let secret = "Card 4111 1111 1111 1111\n"

    /// The bytes of a text as a trace would show them.
    private static func hexadecimal(_ text: String) -> String { DeviceTrace.hexadecimal(Array(text.utf8.prefix(8))) }

    @Test func `A delivery tells requests and responses byte for byte, and of the document only its length`()
        async throws
    {
        let record = TraceRecord()
        let bench = await ConversationBench(trace: DeviceTrace(record.trace))
        _ = await bench.conversation.condition()
        #expect(try await bench.deliver(Self.secret) == .printed)
        #expect(record.all.allSatisfy { $0.source == .usb })
        let messages = record.messages
        #expect(messages.contains("language esc-pos, jobs are confirmed by process-id, with a back-channel"))
        #expect(messages.contains("→ 3 bytes: 1d 61 0f"))
        #expect(messages.contains("← 4 bytes: 10 00 00 0f"))
        #expect(messages.contains("status: ready, drawer signal low"))
        #expect(messages.contains("a job of 25 bytes, to be confirmed by process-id 0000"))
        #expect(messages.contains("behind the document: 1d 28 48 06 00 30 30 30 30 30 30 1d 72 01"))
        // The document and what follows it are one transfer.
        #expect(messages.contains("→ 39 bytes"))
        #expect(messages.contains("printed: confirmed by process-id 0000"))
        #expect(!record.has("4111"))
        #expect(!record.has(Self.hexadecimal(Self.secret)))
    }

    @Test func `A stopped printer and its unplugging are told`() async throws {
        let record = TraceRecord()
        let bench = await ConversationBench(trace: DeviceTrace(record.trace)) { $0.isCoverOpen = true }
        let failure = try await bench.clock.pass { try await bench.failure("One\n") }
        #expect(failure.kind == .stopped)
        #expect(record.has("no response within"), "an offline printer executes nothing in its turn")
        #expect(record.has("→ 3 bytes: 10 04 01"))
        #expect(record.has("no job is sent: the printer is stopped (cover-open"))
        bench.printer.unplug()
        try await eventually("the end is told") { record.has("the conversation ends") }
    }

    @Test func `A recovery tells its commands, and its padding only by its length`() async throws {
        let record = TraceRecord()
        var settings = ConversationBench.epson
        settings.recovery = .padding
        let bench = await ConversationBench(settings, trace: DeviceTrace(record.trace)) { $0.budget = 100 }
        let failure = try await bench.cancel([UInt8](repeating: 0x78, count: 20_000), after: 3 + 1000)
        #expect(failure.kind == .cancelled)
        bench.printer.change { $0.budget = nil }
        try await eventually("the recovery is completed") { record.has("recovery: completed") }
        #expect(record.has("the job failed: "))
        #expect(record.has("recovery: restore the pipe"))
        #expect(record.has("recovery: resynchronise the printer"))
        #expect(record.has(" × 00, 1b 40 1d 56 42 00"))
        #expect(!record.has("78 78"))
    }

    @Test func `Bytes are shown up to a limit`() {
        #expect(DeviceTrace.hexadecimal([0x00, 0x0F, 0xA5, 0xFF]) == "00 0f a5 ff")
        let long = DeviceTrace.hexadecimal([UInt8](repeating: 1, count: 65))
        #expect(long == String(repeating: "01 ", count: 64) + "…")
    }
}
