import KioskDevicePrinting
import KioskPrintModel
import Testing

/// When the status is requested, and how the responses are evaluated.
@Suite struct StatusTrackerTests {
    private static let wait = StatusTracker.Action.wait(StatusTracker.responseTime)
    private static func realTime(_ request: EscPosRealTimeRequest) -> [StatusTracker.Action] {
        [.send(request.command), wait]
    }

    private static func status(_ bytes: [UInt8]) throws -> StarStatus {
        var parser = StarStatusParser()
        guard case .status(let status)? = parser.feed(bytes).first else { throw NoStatus() }
        return status
    }
    private struct NoStatus: Error {}

    @Test func `a printer in order answers the first question, and reports changes from then on`() {
        var tracker = StatusTracker(DeviceSettings(), language: .escPOS)
        #expect(tracker.requestInTurn() == [.send([0x1D, 0x61, 0x0F]), Self.wait])
        #expect(tracker.requestInTurn().isEmpty, "one request at a time")
        let ready = EscPosAutomaticStatus(0x10, 0x00, 0x00, 0x0F)
        #expect(tracker.received(.automaticStatus(ready)) == [.changed(ready.condition)])
        #expect(tracker.timedOut().isEmpty)
        #expect(tracker.received(.automaticStatus(ready)).isEmpty)
        let open = EscPosAutomaticStatus(0x38, 0x00, 0x00, 0x0F)
        #expect(tracker.received(.automaticStatus(open)) == [.changed(open.condition)])
        #expect(tracker.condition.availability().state == .stopped)
    }

    @Test func `one that is offline is asked in real time, question by question`() {
        var tracker = StatusTracker(DeviceSettings(), language: .escPOS)
        _ = tracker.requestInTurn()
        #expect(tracker.timedOut() == Self.realTime(.printer))
        #expect(tracker.received(.realTimeStatus(0x1A)).suffix(2) == Self.realTime(.offlineCause))
        #expect(tracker.received(.realTimeStatus(0x32)).suffix(2) == Self.realTime(.errorCause))
        #expect(tracker.received(.realTimeStatus(0x12)).suffix(2) == Self.realTime(.paper))
        _ = tracker.received(.realTimeStatus(0x7E))
        #expect(tracker.condition.reasons.map(\.keyword) == ["media-empty"])
        #expect(tracker.received(.realTimeStatus(0x12)).isEmpty, "nobody asked")
        #expect(tracker.condition.reasons.map(\.keyword) == ["media-empty"])
    }

    @Test func `one that answers nothing is left alone`() {
        var tracker = StatusTracker(DeviceSettings(), language: .escPOS)
        _ = tracker.requestInTurn()
        _ = tracker.timedOut()
        #expect(tracker.timedOut() == [.unresponsive])
        #expect(tracker.timedOut().isEmpty)
        #expect(tracker.condition.availability() == .unknown)
    }

    @Test func `nothing is sent into a job but where the profile allows it`() {
        for (requests, allowed) in [(.never, false), (.betweenJobs, false), (.realTime, true)]
            as [(DeviceSettings.StatusRequests, Bool)]
        {
            for language in DeviceSettings.Language.allCases {
                var tracker = StatusTracker(DeviceSettings(status: requests), language: language)
                // Those of label and office printers would be data there.
                let isRealTime = language == .escPOS || language == .starLine
                #expect(tracker.requestInRealTime(insideJob: true).isEmpty == !(allowed && isRealTime))
                var other = StatusTracker(DeviceSettings(status: requests), language: language)
                #expect(other.requestInRealTime(insideJob: false).isEmpty == (requests == .never))
            }
        }
        var unknown = StatusTracker(DeviceSettings(), language: nil)
        #expect(unknown.requestInTurn().isEmpty && unknown.requestInRealTime(insideJob: false).isEmpty)
        var never = StatusTracker(DeviceSettings(status: .never), language: .escPOS)
        #expect(never.requestInTurn().isEmpty)
    }

    @Test func `Star's is asked once until it has answered`() throws {
        var tracker = StatusTracker(DeviceSettings(), language: .starLine)
        // Asked at once, and to report from now on.
        #expect(tracker.requestInTurn() == [.send([0x1B, 0x06, 0x01, 0x1B, 0x1E, 0x61, 0x01]), Self.wait])
        #expect(tracker.requestInRealTime(insideJob: false).isEmpty)
        let status = try Self.status([0x23, 0x06, 0x28, 0x00, 0x00, 0x00, 0x00, 0x0A, 0x00])
        #expect(tracker.received(status) == [.changed(status.condition)])
        #expect(tracker.star?.etbCount == 5)
        #expect(!tracker.requestInRealTime(insideJob: false).isEmpty)
        #expect(tracker.timedOut() == [.unresponsive])
    }
}
