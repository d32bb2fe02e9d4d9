import KioskPrintModel
import Testing

@testable import KioskIPP

@Suite struct JobPollerTests {
    private let lost = TransportError(.connectionLost, operation: "Get-Job-Attributes", message: "gone")
    private let processing = JobReport(state: .processing, evidence: .accepted)

    @Test(arguments: [
        (0, 0.5), (4, 0.5), (80, 10), (400, 40), (4_900, 40), (6_000, 100), (60_000, 1_000), (3_600_000, 2_000),
    ])
    func `questions become rarer as a job grows old`(elapsed: Int, pause: Double) {
        #expect(JobPoller.pause(after: .milliseconds(elapsed)) == .milliseconds(pause))
    }

    @Test func `the end of a short job is known within 50 ms`() {
        for elapsed in 0..<5_000 { #expect(JobPoller.pause(after: .milliseconds(elapsed)) < .milliseconds(50)) }
    }

    @Test func `a report is told when it differs from the one before`() {
        var poller = JobPoller(lostPrinterTimeout: .seconds(60))
        let reports = (0..<3).map { _ in
            Self.report(poller.receive(.report(processing, of: JobIdentity()), elapsed: .zero))
        }
        #expect(reports == [processing, nil, nil])
    }

    @Test func `a lost printer is waited for within its timeout, counted from the last response`() {
        var poller = JobPoller(lostPrinterTimeout: .seconds(60))
        #expect(Self.waits(poller.receive(.unreachable(lost), elapsed: .seconds(0))))
        #expect(Self.waits(poller.receive(.unreachable(lost), elapsed: .seconds(59))))
        #expect(Self.waits(poller.receive(.report(processing, of: JobIdentity()), elapsed: .seconds(60))))
        #expect(Self.waits(poller.receive(.unreachable(lost), elapsed: .seconds(100))))
        #expect(Self.waits(poller.receive(.unreachable(lost), elapsed: .seconds(159))))
        #expect(!Self.waits(poller.receive(.unreachable(lost), elapsed: .seconds(160))))
    }

    @Test(arguments: [
        (JobIdentity(upTime: 100), JobIdentity(upTime: 100), true),
        (JobIdentity(upTime: 100), JobIdentity(upTime: 5), false),
        (JobIdentity(uuid: "a", upTime: 100), JobIdentity(uuid: "a", upTime: 5), true),
        (JobIdentity(uuid: "a", upTime: 100), JobIdentity(uuid: "b", upTime: 101), false),
        (JobIdentity(), JobIdentity(upTime: 5), true),
    ])
    func `a number that a restarted printer gave to another job is not ours`(
        first: JobIdentity, later: JobIdentity, isSame: Bool
    ) {
        var poller = JobPoller(lostPrinterTimeout: .seconds(60))
        _ = poller.receive(.report(processing, of: first), elapsed: .zero)
        let completed = JobReport(state: .completed, evidence: .printed)
        let isFinished =
            if case .finish = poller.receive(.report(completed, of: later), elapsed: .zero) { true } else { false }
        #expect(isFinished == isSame)
    }

    @Test func `what one response leaves out of a job's identity still holds`() {
        var poller = JobPoller(lostPrinterTimeout: .seconds(60))
        _ = poller.receive(.report(processing, of: JobIdentity(uuid: "a", upTime: 100)), elapsed: .zero)
        _ = poller.receive(.report(processing, of: JobIdentity(upTime: 101)), elapsed: .zero)
        let completed = JobReport(state: .completed, evidence: .printed)
        let action = poller.receive(.report(completed, of: JobIdentity(uuid: "b", upTime: 102)), elapsed: .zero)
        let isFinished = if case .finish = action { true } else { false }
        #expect(!isFinished)
    }

    private static func report(_ action: JobPoller.Action) -> JobReport? {
        if case .wait(_, let report) = action { report } else { nil }
    }

    private static func waits(_ action: JobPoller.Action) -> Bool {
        if case .wait = action { true } else { false }
    }
}

@Suite struct JobDurationEstimateTests {
    @Test(arguments: [(1000, 0), (2666, 0), (2800, 2100)])
    func `a pause that spares less than it costs is left out`(job: Int, pause: Int) {
        var estimate = JobDurationEstimate()
        estimate.jobEnded(after: .microseconds(job))
        #expect(estimate.firstPause == .microseconds(pause))
    }

    @Test func `a printer never seen is asked at once`() {
        #expect(JobDurationEstimate().firstPause == .zero)
    }

    @Test func `a new job is left alone for most of the usual time`() {
        var estimate = JobDurationEstimate()
        estimate.jobEnded(after: .milliseconds(4))
        #expect(estimate.firstPause == .milliseconds(3))
    }

    @Test func `shorter jobs count at once, longer ones slowly, long ones not at all`() {
        var estimate = JobDurationEstimate()
        estimate.jobEnded(after: .milliseconds(16))
        estimate.jobEnded(after: .milliseconds(32))
        #expect(estimate.firstPause == .microseconds(12_750))
        estimate.jobEnded(after: .seconds(30))
        #expect(estimate.firstPause == .microseconds(12_750))
        estimate.jobEnded(after: .milliseconds(4))
        #expect(estimate.firstPause == .milliseconds(3))
    }

    @Test func `the end is known within 50 ms whatever was usual`() {
        var estimate = JobDurationEstimate()
        estimate.jobEnded(after: .milliseconds(200))
        #expect(estimate.firstPause <= .milliseconds(40))
    }

    @Test func `only the newest job is left alone, and once`() {
        let knowledge = PrinterKnowledge()
        knowledge.jobEnded(after: .milliseconds(4))
        let (old, new) = (RemoteJob(identifier: "1"), RemoteJob(identifier: "2"))
        knowledge.accepted(new)
        #expect(knowledge.firstPause(of: old) == .zero)
        #expect(knowledge.firstPause(of: new) == .milliseconds(3))
        #expect(knowledge.firstPause(of: new) == .zero)
    }
}
