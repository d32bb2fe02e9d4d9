import KioskDevicePrinting
import KioskPrintModel
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
        let bytes: [UInt8] =
            counter.map { [0x23, 0x06, status, 0, 0, 0, 0, $0, 0] } ?? [0x0F, 0x02, status, 0, 0, 0, 0]
        guard case .status(let found)? = parser.feed(bytes).first else { throw NoStatus() }
        return found
    }
    private struct NoStatus: Error {}
    /// A job whose document was sent, with our request behind it.
    private static func sent(_ memory: inout CompletionMemory, star: StarStatus? = nil) -> CompletionTracker {
        var tracker = CompletionTracker(&memory, star: star)
        _ = tracker.documentEnded(&memory)
        return tracker
    }
    private static let coverOpen = EscPosReply.automaticStatus(EscPosAutomaticStatus(0x38, 0x00, 0x00, 0x0F))
    private static let ready = EscPosReply.automaticStatus(EscPosAutomaticStatus(0x10, 0x00, 0x00, 0x0F))

    // MARK: Requests without a response

    @Test func `a printer that was unplugged amid its requests is asked again once it has taken more than it can hold`()
        throws
    {
        var memory = CompletionMemory(DeviceSettings(), language: .starLine, seed: 0)
        for _ in 0..<5 { _ = Self.sent(&memory, star: try Self.star(0)) }
        memory.noteAccepted(65_535)
        var tracker = CompletionTracker(&memory, star: try Self.star(0))
        #expect(tracker.documentEnded(&memory).isEmpty)
        memory.noteAccepted(1)
        tracker = CompletionTracker(&memory, star: try Self.star(0))
        #expect(tracker.documentEnded(&memory) == [0x17])
    }

    // MARK: The process id

    @Test func `the id comes back: printed`() {
        var memory = Self.memory()
        var tracker = CompletionTracker(&memory)
        #expect(tracker.id == "0000")
        let trailer = tracker.documentEnded(&memory)
        #expect(trailer == [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x1D, 0x72, 0x01])
        #expect(tracker.documentEnded(&memory).isEmpty)
        #expect(!tracker.isFinished)
        #expect(tracker.received(.status(0x00), &memory) == nil, "worked through, and not yet printed")
        #expect(tracker.received(.processID("0000"), &memory) == .settled(.printed))
        #expect(tracker.isFinished)
        #expect(tracker.timedOut(&memory) == nil)
        // From now on the weaker question is not needed.
        var next = CompletionTracker(&memory)
        #expect(next.documentEnded(&memory) == [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30] + Array("0001".utf8))
    }

    @Test func `an older job's id is not this one's`() {
        var memory = Self.memory(seed: 35)
        var first = Self.sent(&memory)
        #expect(first.id == "000Z")
        _ = first.timedOut(&memory)
        memory = Self.memory(seed: 36)
        var second = Self.sent(&memory)
        #expect(second.id == "0010")
        #expect(second.received(.processID("000Z"), &memory) == .confirmedLate(id: "000Z"))
        #expect(!second.isFinished)
        #expect(second.received(.processID("0010"), &memory) == .settled(.printed))
    }

    @Test func `ids go round and never leave four characters`() {
        var memory = Self.memory(seed: 36 * 36 * 36 * 36 - 1)
        #expect(Self.sent(&memory).id == "ZZZZ")
        #expect(Self.sent(&memory).id == "0000")
        memory = Self.memory(seed: .max)
        #expect(Self.sent(&memory).id?.utf8.count == 4)
    }

    @Test func `a printer that answers only the weaker question: processed, and remembered`() {
        var memory = Self.memory()
        var tracker = Self.sent(&memory)
        _ = tracker.received(.status(0x0C), &memory)
        #expect(tracker.timedOut(&memory) == .settled(.processed))
        var next = CompletionTracker(&memory)
        #expect(next.method == .statusRequest)
        #expect(next.documentEnded(&memory) == [0x1D, 0x72, 0x01])
        #expect(next.received(.status(0x00), &memory) == .settled(.processed))
    }

    @Test func `a printer that answers nothing: sent, and in the end not asked any more`() {
        var memory = Self.memory()
        var methods: [DeviceSettings.Completion] = []
        for _ in 0..<4 {
            var tracker = Self.sent(&memory)
            methods.append(tracker.method)
            if tracker.method != .none { #expect(tracker.timedOut(&memory) == .settled(.sent)) }
            #expect(tracker.isFinished)
        }
        #expect(methods == [.processID, .statusRequest, .none, .none])
    }

    @Test func `a printer that always answered and does so no more has lost the job`() {
        var memory = Self.memory()
        var tracker = Self.sent(&memory)
        _ = tracker.received(.processID("0000"), &memory)
        var next = Self.sent(&memory)
        guard case .lost = next.timedOut(&memory) else {
            Issue.record("not lost")
            return
        }
        #expect(Self.sent(&memory).method == .processID)
    }

    // MARK: GS r

    @Test func `answers to earlier jobs are counted off first`() {
        let settings = DeviceSettings(language: .escPOS)
        var memory = Self.memory(settings)
        _ = Self.sent(&memory)
        var second = CompletionTracker(&memory)
        #expect(
            second.documentEnded(&memory) == [0x1D, 0x72, 0x01, 0x1D, 0x72, 0x01], "one more than may come to others")
        #expect(second.received(.status(0x00), &memory) == nil)
        #expect(second.received(.status(0x00), &memory) == .settled(.processed))
        // After clearing the printer nothing earlier is to come.
        _ = Self.sent(&memory)
        memory.clearOutstanding()
        var last = Self.sent(&memory)
        #expect(last.received(.status(0x00), &memory) == .settled(.processed))
        #expect(last.received(.status(0x00), &memory) == nil)
    }

    @Test func `an answer before the document's end is not ours`() {
        var memory = Self.memory(DeviceSettings(language: .escPOS))
        var tracker = CompletionTracker(&memory)
        #expect(tracker.received(.status(0x00), &memory) == nil)
        #expect(tracker.documentEnded(&memory) == [0x1D, 0x72, 0x01])
        #expect(tracker.received(.status(0x00), &memory) == .settled(.processed))
        var named = Self.memory()
        tracker = CompletionTracker(&named)
        #expect(tracker.received(.processID("0000"), &named) != .settled(.printed))
        #expect(!tracker.isFinished)
    }

    @Test(arguments: [0, 1, 3])
    func `however many of the document's own questions are answered, the last answer is ours`(_ answered: Int) {
        var memory = Self.memory(DeviceSettings(language: .escPOS))
        for early in 0...answered {
            memory.clearOutstanding()
            var tracker = CompletionTracker(&memory)
            for _ in 0..<early { #expect(tracker.received(.status(0), &memory) == nil) }
            let requests = tracker.documentEnded(requests: 3, &memory).count / 3
            // All but ours have come, and then ours do.
            for _ in early..<answered { #expect(tracker.received(.status(0), &memory) == nil) }
            var ours = 0
            while !tracker.isFinished, ours < requests {
                _ = tracker.received(.status(0), &memory)
                ours += 1
            }
            #expect(tracker.isFinished, "the printer's own answers are enough")
            #expect(ours >= 1)
        }
    }

    @Test func `a picture that only looks like questions takes nothing from the next job`() {
        var memory = Self.memory(DeviceSettings(language: .escPOS))
        for _ in 0..<20 {
            var tracker = CompletionTracker(&memory)
            let requests = tracker.documentEnded(requests: 2, &memory).count / 3
            for _ in 1..<requests { #expect(tracker.received(.status(0), &memory) == nil) }
            #expect(tracker.received(.status(0), &memory) == .settled(.processed))
        }
    }

    @Test func `too many questions to tell from ours: sent, and nothing is held against the printer`() {
        var memory = Self.memory(DeviceSettings(language: .escPOS))
        var tracker = CompletionTracker(&memory)
        #expect(tracker.documentEnded(requests: .max, &memory).isEmpty)
        #expect(tracker.isFinished)
        memory.clearOutstanding()
        tracker = Self.sent(&memory)
        #expect(tracker.received(.status(0), &memory) == .settled(.processed))
    }

    // MARK: What the printer says meanwhile

    @Test func `an open cover stops the clock, and closing it starts it again`() {
        var memory = Self.memory()
        var tracker = Self.sent(&memory)
        guard case .stopped(let reasons)? = tracker.received(Self.coverOpen, &memory) else {
            Issue.record("not stopped")
            return
        }
        #expect(reasons.map(\.keyword) == ["cover-open"])
        #expect(tracker.received(Self.coverOpen, &memory) == nil)
        #expect(tracker.timedOut(&memory) == nil, "a person is waited for, not the printer")
        #expect(tracker.received(Self.ready, &memory) == .resumed)
        #expect(tracker.received(.processID("0000"), &memory) == .settled(.printed))
        #expect(tracker.received(Self.coverOpen, &memory) == nil)
    }

    @Test func `a cleared buffer or a fault that nobody can mend loses the job`() {
        var memory = Self.memory()
        for reply in [EscPosReply.cleared, .automaticStatus(EscPosAutomaticStatus(0x18, 0x20, 0x00, 0x0F))] {
            var tracker = Self.sent(&memory)
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
        var tracker = Self.sent(&memory, star: try Self.star(0))
        var parser = StarStatusParser()
        guard case .status(let status)? = parser.feed([0x23, 0x06, 0, 0, 0x40, 0, 0, 0, 0]).first else {
            throw NoStatus()
        }
        guard case .lost? = tracker.received(status, &memory) else {
            Issue.record("not lost")
            return
        }
    }

    @Test func `an overflow that was reported before the job is not the job's`() throws {
        var memory = Self.memory(DeviceSettings(language: .starLine))
        let known = DeviceCondition(facts: .overflow)
        var tracker = CompletionTracker(&memory, condition: known, star: try Self.star(0))
        _ = tracker.documentEnded(&memory)
        #expect(tracker.conditionChanged(to: known) == nil)
        #expect(tracker.conditionChanged(to: DeviceCondition(known: .overflow)) == nil)
        guard case .lost? = tracker.conditionChanged(to: known) else {
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
            #expect(tracker.documentEnded(&memory) == [0x17])
            #expect(tracker.request == [0x1B, 0x06, 0x01])
            #expect(tracker.received(try Self.star(count % 32, 0x02), &memory) == nil)
            #expect(tracker.received(try Self.star((count + 1) % 32, 0x02), &memory) == .settled(.printed))
        }
    }

    @Test func `a job that was given up is not taken for the next`() throws {
        var memory = Self.memory(DeviceSettings(language: .starLine))
        _ = Self.sent(&memory, star: try Self.star(7))
        var second = CompletionTracker(&memory, star: try Self.star(7))
        #expect(second.documentEnded(&memory) == [0x17, 0x17])
        #expect(second.received(try Self.star(8, 0x02), &memory) == nil, "the first")
        #expect(second.received(try Self.star(9, 0x02), &memory) == .settled(.printed))
        // All three are through.
        var third = CompletionTracker(&memory, star: try Self.star(10))
        #expect(third.documentEnded(&memory) == [0x17])
        #expect(third.received(try Self.star(11), &memory) == .settled(.printed))
    }

    @Test func `a Star job that was given up, and counted between the jobs, does not shift how later ones are counted`()
        throws
    {
        var memory = Self.memory(DeviceSettings(language: .starLine))
        _ = Self.sent(&memory, star: try Self.star(5))
        memory.received(try Self.star(6))
        var second = CompletionTracker(&memory, star: try Self.star(6))
        #expect(second.documentEnded(&memory) == [0x17])
        #expect(second.received(try Self.star(7), &memory) == .settled(.printed))
    }

    @Test func `an ETB of the document proves nothing`() throws {
        var memory = Self.memory(DeviceSettings(language: .starLine))
        var tracker = CompletionTracker(&memory, star: try Self.star(30))
        #expect(tracker.received(try Self.star(31), &memory) == nil, "before its end")
        #expect(tracker.documentEnded(requests: 2, &memory) == [0x17, 0x17])
        #expect(tracker.received(try Self.star(0), &memory) == nil, "the second of the document")
        #expect(tracker.received(try Self.star(1), &memory) == .settled(.printed))
        // One that does not count cannot tell.
        var mute = Self.memory(DeviceSettings(language: .starLine))
        tracker = CompletionTracker(&mute, star: try Self.star(nil))
        #expect(tracker.documentEnded(requests: 1, &mute).isEmpty)
        #expect(tracker.isFinished)
        #expect(tracker.received(try Self.star(nil, 0x02), &mute) == nil)
    }

    @Test func `more ETB than the counter tells apart prove nothing`() throws {
        for (questions, isTold) in [(15, true), (16, false)] {
            var memory = Self.memory(DeviceSettings(language: .starLine))
            var tracker = CompletionTracker(&memory, star: try Self.star(0))
            #expect(tracker.documentEnded(requests: questions, &memory).count == (isTold ? 16 : 0))
            #expect(tracker.isFinished == !isTold)
            if isTold { #expect(tracker.received(try Self.star(31), &memory) == .settled(.printed)) }
        }
    }

    @Test func `a Star printer without a counter only says that it is through`() throws {
        let settings = DeviceSettings(language: .starLine)
        var memory = Self.memory(settings)
        var tracker = Self.sent(&memory, star: try Self.star(nil))
        #expect(tracker.received(try Self.star(nil), &memory) == nil)
        #expect(tracker.received(try Self.star(nil, 0x02), &memory) == .settled(.processed))
    }

    // MARK: What is remembered

    @Test func `what a printer has shown holds when it is back, under other settings as well`() {
        var memory = Self.memory()
        var tracker = Self.sent(&memory)
        _ = tracker.received(.status(0), &memory)
        #expect(tracker.timedOut(&memory) == .settled(.processed))
        #expect(CompletionMemory(Self.escPOS, language: .escPOS, seed: 9, former: memory).method == .statusRequest)
        let weaker = CompletionMemory(
            DeviceSettings(completion: .statusRequest), language: .escPOS, seed: 9, former: memory)
        #expect(weaker.isProven(.statusRequest))
        #expect(Self.memory().method == .processID, "another printer")
    }

    @Test func `a Star printer that left its first job unanswered is asked once more when it is back`() throws {
        var memory = Self.memory(DeviceSettings(language: .starLine))
        var tracker = Self.sent(&memory, star: try Self.star(0))
        #expect(tracker.timedOut(&memory) == .settled(.sent))
        #expect(memory.method == .none)
        memory.allowAnotherTry()
        #expect(memory.method == .etb)
        // It may still count the first: no response but the last is taken for this job's.
        tracker = CompletionTracker(&memory, star: try Self.star(0))
        #expect(tracker.documentEnded(&memory) == [0x17, 0x17])
        #expect(tracker.received(try Self.star(1), &memory) == nil)
        #expect(tracker.received(try Self.star(2), &memory) == .settled(.printed))
        memory.allowAnotherTry()
        #expect(memory.method == .etb)
    }

    @Test func `a printer that never responds is waited for once on each connection`() {
        var memory = Self.memory()
        for _ in 0..<2 {
            var tracker = Self.sent(&memory)
            _ = tracker.timedOut(&memory)
        }
        for _ in 0..<5 {
            memory = CompletionMemory(Self.escPOS, language: .escPOS, seed: 9, former: memory)
            #expect(memory.method == .none, "no connection was lost")
            memory.allowAnotherTry()
            #expect(memory.method == .statusRequest)
            var tracker = Self.sent(&memory)
            #expect(tracker.timedOut(&memory) == .settled(.sent))
            #expect(Self.sent(&memory).isFinished, "the next job is not waited for")
        }
    }

    @Test func `a printer that confirms jobs in a weaker way is not asked the stronger way again`() {
        var memory = Self.memory()
        var tracker = Self.sent(&memory)
        _ = tracker.received(.status(0), &memory)
        _ = tracker.timedOut(&memory)
        memory.allowAnotherTry()
        #expect(memory.method == .statusRequest)
        var silent = CompletionMemory(
            DeviceSettings(completion: DeviceSettings.Completion.none), language: .escPOS, seed: 1)
        silent.allowAnotherTry()
        #expect(silent.method == .none)
    }

    // MARK: What the profile says

    @Test(
        arguments: [
            (nil, nil, .none), (nil, .processID, .none), (.escPOS, nil, .statusRequest),
            (.escPOS, .processID, .processID),
            (.escPOS, .etb, .statusRequest), (.escPOS, DeviceSettings.Completion.none, .none), (.starLine, nil, .etb),
            (.starLine, .processID, .etb), (.starLine, DeviceSettings.Completion.none, .none),
        ] as [(DeviceSettings.Language?, DeviceSettings.Completion?, DeviceSettings.Completion)])
    func `only what the language has is used`(
        _ language: DeviceSettings.Language?, _ wanted: DeviceSettings.Completion?,
        _ expected: DeviceSettings.Completion
    ) {
        var memory = CompletionMemory(DeviceSettings(completion: wanted), language: language, seed: 1)
        var tracker = CompletionTracker(&memory)
        #expect(tracker.method == expected)
        #expect(tracker.documentEnded(&memory).isEmpty == (expected == .none))
        #expect(tracker.isFinished == (expected == .none))
    }
}
