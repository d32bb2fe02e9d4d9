import KioskPrintModel
import Testing

@testable import KioskDevicePrinting

/// What the responses of label printers (ZPL) and office printers (PJL) prove.
@Suite struct LabelAndPageCompletionTests {
    private static func status(remaining: Int = 0, waiting: Int = 0) throws -> ZebraReply {
        var parser = ZebraReplyParser()
        let (labels, formats) = (String(remaining + 100_000_000).dropFirst(), String(waiting + 1000).dropFirst())
        let text = """
            \u{02}030,0,0,1245,\(formats),0,0,0,000,0,0,0\u{03}\u{02}000,0,0,0,0,2,4,0,\(labels),1,000\u{03}
            """
        return try #require(parser.feed(Array(text.utf8)).first)
    }

    /// A job at a printer whose odometer stands at 10, unless it has none.
    private struct LabelJob {
        var memory = CompletionMemory(DeviceSettings(), language: .zpl, seed: 0)
        var tracker: CompletionTracker

        init(odometer: Int? = 10) {
            tracker = CompletionTracker(&memory, labelCount: odometer)
            _ = tracker.documentEnded(&memory)
        }

        /// What the last of these responses means.
        mutating func receive(_ replies: ZebraReply..., isSent: Bool = true) -> CompletionTracker.Action? {
            replies.map { tracker.received($0, isSent: isSent, &memory) }.last ?? nil
        }

        /// What twelve reports of an idle printer mean, with the odometer behind each.
        mutating func beIdle(_ odometer: String? = nil) throws -> CompletionTracker.Action? {
            for _ in 0..<12 {
                if let action = receive(try status()) { return action }
                if let odometer { _ = receive(.variable(odometer)) }
            }
            return nil
        }
    }

    @Test func `all that it held has come out`() throws {
        var job = LabelJob()
        #expect(job.receive(try Self.status(remaining: 3), .variable("10")) == nil)
        #expect(job.receive(try Self.status(remaining: 1), .variable("12")) == nil)
        #expect(try job.beIdle("13") == .settled(.printed))
    }

    @Test func `labels that were cancelled at the printer are lost`() throws {
        var job = LabelJob()
        _ = job.receive(try Self.status(remaining: 100), .variable("11"))
        #expect(try job.beIdle("13") == .lost("the printer has discarded labels that it held"))
    }

    @Test func `one without an odometer has processed what it was seen to work on`() throws {
        var job = LabelJob(odometer: nil)
        _ = job.receive(try Self.status(waiting: 1))
        #expect(try job.beIdle() == .settled(.processed))
    }

    @Test func `after a silence, an idle printer without an odometer proves nothing`() throws {
        var job = LabelJob(odometer: nil)
        _ = job.receive(try Self.status(waiting: 1))
        _ = job.tracker.conditionChanged(to: DeviceCondition(facts: .silent, known: .silent))
        for _ in 0..<11 { #expect(job.receive(try Self.status()) == nil) }
        #expect(job.receive(try Self.status()) == .settled(.sent))
    }

    @Test func `what it says before it has the whole job proves nothing`() throws {
        var job = LabelJob()
        for _ in 0..<20 { #expect(job.receive(try Self.status(), .variable("12"), isSent: false) == nil) }
        #expect(!job.tracker.isFinished)
    }

    @Test func `one that has never responded, or must not be asked, is not waited for`() {
        for language in [DeviceSettings.Language.zpl, .pjl] {
            var memory = CompletionMemory(DeviceSettings(), language: language, seed: 0)
            #expect(CompletionTracker(&memory, isResponsive: false).isFinished)
            memory = CompletionMemory(DeviceSettings(status: .never), language: language, seed: 0)
            #expect(CompletionTracker(&memory).isFinished)
        }
    }

    /// A job at a PJL printer, by the name that the header gives it.
    private struct PageJob {
        var memory = CompletionMemory(DeviceSettings(), language: .pjl, seed: 0)
        var tracker: CompletionTracker
        var name: String { tracker.id ?? "" }

        init() {
            tracker = CompletionTracker(&memory)
            _ = tracker.documentEnded(&memory)
        }

        mutating func receive(_ reply: PJLReply, isSent: Bool = true) -> CompletionTracker.Action? {
            tracker.received(reply, isSent: isSent, &memory)
        }

        mutating func beReady(_ count: Int) -> CompletionTracker.Action? {
            (0..<count).map { _ in receive(.status(PJLStatus(code: 10001, isOnline: true))) }.last ?? nil
        }
    }

    @Test func `the header and the trailer name the job`() {
        let job = PageJob()
        #expect(String(decoding: job.tracker.documentBegins(), as: UTF8.self).contains("@PJL JOB NAME=\"\(job.name)\""))
    }

    @Test(
        arguments: [
            (PJLJobEvent.ended(pages: 2, result: "OK"), CompletionTracker.Action.settled(.printed)),
            (.ended(pages: nil, result: nil), .settled(.printed)),
            (.ended(pages: 0, result: "OK"), .settled(.processed)),
            (.ended(pages: 2, result: "USER_CANCELED"), .lost("the printer ended the job with USER_CANCELED")),
            (.cancelled(result: nil), .lost("the job was cancelled at the printer")),
        ])
    func `the end of the job with our name decides`(event: PJLJobEvent, action: CompletionTracker.Action) {
        var job = PageJob()
        #expect(job.receive(.job(.started, name: job.name)) == nil)
        #expect(job.receive(.job(event, name: "another")) == nil)
        #expect(job.receive(.job(event, name: job.name)) == action)
    }

    @Test func `an end before the whole document counts once the printer is ready`() {
        var job = PageJob()
        #expect(job.receive(.job(.ended(pages: 2, result: nil), name: job.name), isSent: false) == nil)
        #expect(job.receive(.status(PJLStatus(code: 10023, isOnline: true))) == nil)
        #expect(job.beReady(1) == .settled(.printed))
    }

    @Test func `one that reports no jobs is not waited for again, and one that always did has lost this one`() {
        var job = PageJob()
        #expect(job.beReady(11) == nil)
        #expect(job.beReady(1) == .settled(.sent))
        #expect(job.memory.method == .none)
        var second = PageJob()
        second.memory.confirmed(.jobStatus)
        #expect(second.beReady(12) == .lost("the printer is ready, and has not reported the job's end"))
    }
}
