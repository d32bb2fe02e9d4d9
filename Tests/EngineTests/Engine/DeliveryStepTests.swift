import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

@Suite struct DeliveryStepTests {
    @Test(
        arguments: [
            (DeliveryProgress.connecting, "connecting-to-destination", 0),
            (.uploading(bytes: 4, of: 10), "job-spooling", 4),
            (.converting, "job-transforming", 0), (.sending(bytes: 6, of: 10), "job-outgoing", 6),
            (.printing, "job-printing", 10),
            (.stopped([StateReason(keyword: "cover-open", severity: .error)]), "printer-stopped", 0),
        ] as [(DeliveryProgress, String, Int64)])
    func `whoever asks for a job sees what is done with it just now`(
        _ step: DeliveryProgress, reason: String, bytes: Int64
    ) async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .pausesAt(step)) }
        let job = try await kiosk.submit("one coffee", role: "held")
        try await eventually("the step") {
            let shown = try await kiosk.engine.job(job.id)
            return shown.stateReasons == [reason] && shown.bytesSent == bytes
        }
        for shown in [try await kiosk.engine.job(job.id)] + (try await kiosk.engine.jobs()) {
            #expect(shown.state == (reason == "printer-stopped" ? .processingStopped : .processing))
            #expect(shown.bytesSent == bytes)
            #expect(shown.stateReasons == [reason])
        }
        kiosk.transport.letGo()
        let settled = try await kiosk.settled(job)
        #expect(settled.stateReasons == ["job-completed-successfully"])
        #expect(settled.bytesSent == 10)
        try await kiosk.stop()
    }

    @Test func `jobs are found by what they do just now`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .pausesAt(.stopped([]))) }
        let job = try await kiosk.submit("one coffee", role: "held")
        try await eventually("the step") { try await kiosk.engine.job(job.id).state == .processingStopped }
        #expect(try await kiosk.engine.jobs(JobFilter(states: [.processingStopped])).map(\.id) == [job.id])
        #expect(try await kiosk.engine.jobs(JobFilter(states: [.processing])).isEmpty)
        #expect(
            try await kiosk.engine.jobs(JobFilter(states: [.completed, .processingStopped], limit: 1)).map(\.id) == [
                job.id
            ])
        kiosk.transport.letGo()
        _ = try await kiosk.settled(job)
        #expect(try await kiosk.engine.jobs(JobFilter(states: [.completed])).map(\.id) == [job.id])
        try await kiosk.stop()
    }

    @Test(arguments: [DeliveryProgress.uploading(bytes: 4, of: 10), .converting, .stopped([])])
    func `long steps are events`(_ step: DeliveryProgress) async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .pausesAt(step)) }
        let events = kiosk.engine.events()
        let job = try await kiosk.submit("one coffee", role: "held")
        let progress = await events.first { $0.kind == .jobProgress }
        #expect(progress?.job?.id == job.id)
        #expect(progress?.job?.stateReasons == [try #require(DeliveryStep(step)).reason])
        kiosk.transport.letGo()
        _ = try await kiosk.settled(job)
        try await kiosk.stop()
    }

    @Test(arguments: [DeliveryProgress.uploading(bytes: 4, of: 10), .converting, .sending(bytes: 4, of: 10)])
    func `a printer that works on a job is not passed over for being slow`(_ step: DeliveryProgress) async throws {
        let monitor = DeliveryMonitor(of: AttemptHandle(), edits: 0)
        monitor.note(step)
        #expect(!monitor.passOver() && !monitor.isPassedOver)
        if case .sending = step {
        } else {
            // The host has the document, and lpr is at work.
            monitor.note(.sending(bytes: 0, of: 10))
            #expect(!monitor.passOver() && !monitor.isPassedOver)
        }
        monitor.attemptBegins()
        monitor.note(.connecting)
        // Nobody runs that it could stop.
        #expect(monitor.passOver() && monitor.isPassedOver)
    }

    @Test func `progress of one step is news ten times a second at most`() {
        let monitor = DeliveryMonitor(of: AttemptHandle(), edits: 0)
        #expect(monitor.note(.connecting))
        #expect(monitor.note(.uploading(bytes: 1, of: 10)))
        #expect(monitor.note(.converting))
        let isNews = (0..<1000).map { monitor.note(.sending(bytes: $0, of: 1000)) }
        #expect(isNews.first == true)
        #expect(isNews.contains(false))
        #expect(!monitor.note(.accepted(RemoteJob(identifier: "1"))))
        #expect(monitor.step == nil)
    }
}
