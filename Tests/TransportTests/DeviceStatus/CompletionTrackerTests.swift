import DeviceStatus
import PrintModel
import Testing

/// How a printer confirms that a job has come out.
@Suite struct CompletionTrackerTests {
    private static let escPOS = DeviceSettings(language: .escPOS, completion: .processID)
    private static func memory(_ settings: DeviceSettings = escPOS, seed: UInt32 = 0) -> CompletionMemory {
        CompletionMemory(settings, language: settings.language, seed: seed)
    }
    private static func star(_ count: UInt8?, _ status: UInt8 = 0) throws -> StarStatus {
        var parser = StarStatusParser()
        let counter = count.map { ($0 & 0x18) << 2 | ($0 & 0x07) << 1 }
        let bytes: [UInt8] = counter.map { [0x23, 0x06, status, 0, 0, 0, 0, $0, 0] } ?? [0x0F, 0x02, status, 0, 0, 0, 0]
        guard case .status(let found)? = parser.feed(bytes).first else { throw NoStatus() }
        return found
    }
    private struct NoStatus: Error {}
    private static let coverOpen = EscPosReply.automaticStatus(EscPosAutomaticStatus(0x38, 0x00, 0x00, 0x0F))
    private static let ready = EscPosReply.automaticStatus(EscPosAutomaticStatus(0x10, 0x00, 0x00, 0x0F))

    // MARK: The process id

    @Test func `the id comes back: printed`() {
        var memory = Self.memory()
        var tracker = CompletionTracker(&memory)
        #expect(tracker.id == "0000")
        #expect(tracker.trailer == [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x1D, 0x72, 0x01])
        #expect(!tracker.isFinished)
        #expect(tracker.received(.status(0x00), &memory) == nil, "worked through, and not yet printed")
        #expect(tracker.received(.processID("0000"), &memory) == .settled(.printed))
        #expect(tracker.isFinished)
        #expect(tracker.fellSilent(&memory) == nil)
        // From now on the weaker question is not needed.
        let next = CompletionTracker(&memory)
        #expect(next.trailer == [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30] + Array("0001".utf8))
    }

    @Test func `an older job's id is not this one's`() {
        var memory = Self.memory(seed: 35)
        var first = CompletionTracker(&memory)
        #expect(first.id == "000Z")
        _ = first.fellSilent(&memory)
        memory = Self.memory(seed: 36)
        var second = CompletionTracker(&memory)
        #expect(second.id == "0010")
        #expect(second.received(.processID("000Z"), &memory) == .confirmedLate(id: "000Z"))
        #expect(!second.isFinished)
        #expect(second.received(.processID("0010"), &memory) == .settled(.printed))
    }

    @Test func `ids go round and never leave four characters`() {
        var memory = Self.memory(seed: 36 * 36 * 36 * 36 - 1)
        #expect(CompletionTracker(&memory).id == "ZZZZ")
        #expect(CompletionTracker(&memory).id == "0000")
        memory = Self.memory(seed: .max)
        #expect(CompletionTracker(&memory).id?.utf8.count == 4)
    }

    @Test func `a printer that answers only the weaker question: processed, and remembered`() {
        var memory = Self.memory()
        var tracker = CompletionTracker(&memory)
        _ = tracker.received(.status(0x0C), &memory)
        #expect(tracker.fellSilent(&memory) == .settled(.processed))
        var next = CompletionTracker(&memory)
        #expect(next.method == .statusRequest)
        #expect(next.trailer == [0x1D, 0x72, 0x01])
        #expect(next.received(.status(0x00), &memory) == .settled(.processed))
    }

    @Test func `a printer that answers nothing: sent, and in the end not asked any more`() {
        var memory = Self.memory()
        var methods: [DeviceSettings.Completion] = []
        for _ in 0..<4 {
            var tracker = CompletionTracker(&memory)
            methods.append(tracker.method)
            if tracker.method != .none { #expect(tracker.fellSilent(&memory) == .settled(.sent)) }
            #expect(tracker.isFinished)
        }
        #expect(methods == [.processID, .statusRequest, .none, .none])
    }

    @Test func `a printer that always answered and does so no more has lost the job`() {
        var memory = Self.memory()
        var tracker = CompletionTracker(&memory)
        _ = tracker.received(.processID("0000"), &memory)
        var next = CompletionTracker(&memory)
        guard case .lost = next.fellSilent(&memory) else {
            Issue.record("not lost")
            return
        }
        #expect(CompletionTracker(&memory).method == .processID)
    }

    // MARK: GS r

    @Test func `answers to earlier jobs are counted off first`() {
        let settings = DeviceSettings(language: .escPOS)
        var memory = Self.memory(settings)
        _ = CompletionTracker(&memory)
        var second = CompletionTracker(&memory)
        #expect(second.received(.status(0x00), &memory) == nil)
        #expect(second.received(.status(0x00), &memory) == .settled(.processed))
        // After clearing the printer nothing earlier is to come.
        _ = CompletionTracker(&memory)
        memory.beganAnew()
        var last = CompletionTracker(&memory)
        #expect(last.received(.status(0x00), &memory) == .settled(.processed))
        #expect(last.received(.status(0x00), &memory) == nil)
    }

    // MARK: What the printer says meanwhile

    @Test func `an open cover stops the clock, and closing it starts it again`() {
        var memory = Self.memory()
        var tracker = CompletionTracker(&memory)
        guard case .stopped(let reasons)? = tracker.received(Self.coverOpen, &memory) else {
            Issue.record("not stopped")
            return
        }
        #expect(reasons.map(\.keyword) == ["cover-open"])
        #expect(tracker.received(Self.coverOpen, &memory) == nil)
        #expect(tracker.fellSilent(&memory) == nil, "a person is waited for, not the printer")
        #expect(tracker.received(Self.ready, &memory) == .resumed)
        #expect(tracker.received(.processID("0000"), &memory) == .settled(.printed))
        #expect(tracker.received(Self.coverOpen, &memory) == nil)
    }

    @Test func `a cleared buffer or a fault that nobody can mend loses the job`() {
        var memory = Self.memory()
        for reply in [EscPosReply.cleared, .automaticStatus(EscPosAutomaticStatus(0x18, 0x20, 0x00, 0x0F))] {
            var tracker = CompletionTracker(&memory)
            guard case .lost? = tracker.received(reply, &memory) else {
                Issue.record("not lost by \(reply)")
                return
            }
            #expect(tracker.isFinished)
            #expect(tracker.received(.processID(tracker.id ?? ""), &memory) == nil)
        }
    }

    @Test func `an overflow loses the job`() throws {
        let settings = DeviceSettings(language: .starLine)
        var memory = Self.memory(settings)
        var tracker = CompletionTracker(&memory, star: try Self.star(0))
        var parser = StarStatusParser()
        guard case .status(let status)? = parser.feed([0x23, 0x06, 0, 0, 0x40, 0, 0, 0, 0]).first else { throw NoStatus() }
        guard case .lost? = tracker.received(status, &memory) else {
            Issue.record("not lost")
            return
        }
    }

    // MARK: Star

    @Test func `Star counts the ETB when the paper has come out`() throws {
        let settings = DeviceSettings(language: .starLine)
        var memory = Self.memory(settings)
        for count in UInt8(0)..<70 {
            var tracker = CompletionTracker(&memory, star: try Self.star(count % 32))
            #expect(tracker.trailer == [0x17])
            #expect(tracker.question == [0x1B, 0x06, 0x01])
            #expect(tracker.received(try Self.star(count % 32, 0x02), &memory) == nil)
            #expect(tracker.received(try Self.star((count + 1) % 32, 0x02), &memory) == .settled(.printed))
        }
    }

    @Test func `a job that was given up is not taken for the next`() throws {
        let settings = DeviceSettings(language: .starLine)
        var memory = Self.memory(settings)
        _ = CompletionTracker(&memory, star: try Self.star(7))
        var second = CompletionTracker(&memory, star: try Self.star(7))
        #expect(second.received(try Self.star(8, 0x02), &memory) == nil, "the first")
        #expect(second.received(try Self.star(9, 0x02), &memory) == .settled(.printed))
        var third = CompletionTracker(&memory, star: try Self.star(9))
        #expect(third.received(try Self.star(10, 0x02), &memory) == .settled(.printed))
    }

    @Test func `a Star job that was given up does not shift how later ones are counted`() throws {
        var memory = Self.memory(DeviceSettings(language: .starLine))
        _ = CompletionTracker(&memory, star: try Self.star(5))
        // Given up, and counted between the jobs.
        memory.received(try Self.star(6))
        var second = CompletionTracker(&memory, star: try Self.star(6))
        #expect(second.received(try Self.star(7), &memory) == .settled(.printed))
        // Given up, and counted in the next job.
        _ = CompletionTracker(&memory, star: try Self.star(7))
        var fourth = CompletionTracker(&memory, star: try Self.star(7))
        #expect(fourth.received(try Self.star(8), &memory) == nil)
        #expect(fourth.received(try Self.star(9), &memory) == .settled(.printed))
        var fifth = CompletionTracker(&memory, star: try Self.star(9))
        #expect(fifth.received(try Self.star(10), &memory) == .settled(.printed))
    }

    @Test func `a Star printer without a counter only says that it is through`() throws {
        let settings = DeviceSettings(language: .starLine)
        var memory = Self.memory(settings)
        var tracker = CompletionTracker(&memory, star: try Self.star(nil))
        #expect(tracker.received(try Self.star(nil), &memory) == nil)
        #expect(tracker.received(try Self.star(nil, 0x02), &memory) == .settled(.processed))
    }

    // MARK: What the profile says

    @Test(arguments: [
        (nil, nil, .none), (nil, .processID, .none), (.escPOS, nil, .statusRequest), (.escPOS, .processID, .processID),
        (.escPOS, .etb, .statusRequest), (.escPOS, DeviceSettings.Completion.none, .none), (.starLine, nil, .etb),
        (.starLine, .processID, .etb), (.starLine, DeviceSettings.Completion.none, .none),
    ] as [(DeviceSettings.Language?, DeviceSettings.Completion?, DeviceSettings.Completion)])
    func `only what the language has is used`(
        _ language: DeviceSettings.Language?, _ wanted: DeviceSettings.Completion?, _ expected: DeviceSettings.Completion
    ) {
        var memory = CompletionMemory(DeviceSettings(completion: wanted), language: language, seed: 1)
        let tracker = CompletionTracker(&memory)
        #expect(tracker.method == expected)
        #expect(tracker.trailer.isEmpty == (expected == .none))
        #expect(tracker.isFinished == (expected == .none))
    }
}
