import DevicePrinting
import PrintModel
import Testing

/// When a printer is asked how it is, and what comes of the answers.
@Suite struct StatusWatchTests {
    private static let wait = StatusWatch.Action.wait(StatusWatch.answerTime)
    private static func realTime(_ inquiry: EscPosInquiry) -> [StatusWatch.Action] { [.send(inquiry.command), wait] }

    private static func status(_ bytes: [UInt8]) throws -> StarStatus {
        var parser = StarStatusParser()
        guard case .status(let status)? = parser.feed(bytes).first else { throw NoStatus() }
        return status
    }
    private struct NoStatus: Error {}

    @Test func `a printer in order answers the first question, and reports changes from then on`() {
        var watch = StatusWatch(DeviceSettings(), language: .escPOS)
        #expect(watch.askInTurn() == [.send([0x1D, 0x61, 0x0F]), Self.wait])
        #expect(watch.askInTurn().isEmpty, "one question at a time")
        let ready = EscPosAutomaticStatus(0x10, 0x00, 0x00, 0x0F)
        #expect(watch.received(.automaticStatus(ready)) == [.changed(ready.condition)])
        #expect(watch.waitedInVain().isEmpty)
        #expect(watch.received(.automaticStatus(ready)).isEmpty)
        let open = EscPosAutomaticStatus(0x38, 0x00, 0x00, 0x0F)
        #expect(watch.received(.automaticStatus(open)) == [.changed(open.condition)])
        #expect(watch.condition.availability().state == .stopped)
    }

    @Test func `one that is offline is asked in real time, question by question`() {
        var watch = StatusWatch(DeviceSettings(), language: .escPOS)
        _ = watch.askInTurn()
        #expect(watch.waitedInVain() == Self.realTime(.printer))
        #expect(watch.received(.realTimeStatus(0x1A)).suffix(2) == Self.realTime(.offlineCause))
        #expect(watch.received(.realTimeStatus(0x32)).suffix(2) == Self.realTime(.errorCause))
        #expect(watch.received(.realTimeStatus(0x12)).suffix(2) == Self.realTime(.paper))
        _ = watch.received(.realTimeStatus(0x7E))
        #expect(watch.condition.reasons.map(\.keyword) == ["media-empty"])
        #expect(watch.received(.realTimeStatus(0x12)).isEmpty, "nobody asked")
        #expect(watch.condition.reasons.map(\.keyword) == ["media-empty"])
    }

    @Test func `one that answers nothing is left alone`() {
        var watch = StatusWatch(DeviceSettings(), language: .escPOS)
        _ = watch.askInTurn()
        _ = watch.waitedInVain()
        #expect(watch.waitedInVain() == [.silent])
        #expect(watch.waitedInVain().isEmpty)
        #expect(watch.condition.availability() == .unknown)
    }

    @Test func `nothing is sent into a job but where the profile allows it`() {
        for (requests, allowed) in [(.never, false), (.betweenJobs, false), (.realTime, true)]
            as [(DeviceSettings.StatusRequests, Bool)]
        {
            for language in DeviceSettings.Language.allCases {
                var watch = StatusWatch(DeviceSettings(status: requests), language: language)
                #expect(watch.askNow(insideJob: true).isEmpty == !allowed)
                var other = StatusWatch(DeviceSettings(status: requests), language: language)
                #expect(other.askNow(insideJob: false).isEmpty == (requests == .never))
            }
        }
        var unknown = StatusWatch(DeviceSettings(), language: nil)
        #expect(unknown.askInTurn().isEmpty && unknown.askNow(insideJob: false).isEmpty)
        var never = StatusWatch(DeviceSettings(status: .never), language: .escPOS)
        #expect(never.askInTurn().isEmpty)
    }

    @Test func `Star's is asked once until it has answered`() throws {
        var watch = StatusWatch(DeviceSettings(), language: .starLine)
        // Asked at once, and to report from now on.
        #expect(watch.askInTurn() == [.send([0x1B, 0x06, 0x01, 0x1B, 0x1E, 0x61, 0x01]), Self.wait])
        #expect(watch.askNow(insideJob: false).isEmpty)
        let status = try Self.status([0x23, 0x06, 0x28, 0x00, 0x00, 0x00, 0x00, 0x0A, 0x00])
        #expect(watch.received(status) == [.changed(status.condition)])
        #expect(watch.star?.etbCount == 5)
        #expect(!watch.askNow(insideJob: false).isEmpty)
        #expect(watch.waitedInVain() == [.silent])
    }
}
