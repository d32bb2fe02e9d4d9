import PrintModel
import Testing

@testable import IPP

@Suite struct JobWatchTests {
    private let lost = TransportError(.connectionLost, operation: "Get-Job-Attributes", message: "gone")
    private let processing = JobReport(state: .processing, evidence: .accepted)

    @Test(arguments: [
        (0, 0.5), (4, 0.5), (80, 10), (400, 40), (4_900, 40), (6_000, 100), (60_000, 1_000), (3_600_000, 2_000),
    ])
    func `questions become rarer as a job grows old`(elapsed: Int, pause: Double) {
        #expect(JobWatch.pause(after: .milliseconds(elapsed)) == .milliseconds(pause))
    }

    @Test func `the end of a short job is known within 50 ms`() {
        for elapsed in 0..<5_000 { #expect(JobWatch.pause(after: .milliseconds(elapsed)) < .milliseconds(50)) }
    }

    @Test func `a report is told when it differs from the one before`() {
        var watch = JobWatch(lostPatience: .seconds(60))
        let told = (0..<3).map { _ in Self.told(watch.took(.report(processing, of: JobIdentity()), elapsed: .zero)) }
        #expect(told == [processing, nil, nil])
    }

    @Test func `a lost printer is waited for within its patience, counted from the last answer`() {
        var watch = JobWatch(lostPatience: .seconds(60))
        #expect(Self.waits(watch.took(.lost(lost), elapsed: .seconds(0))))
        #expect(Self.waits(watch.took(.lost(lost), elapsed: .seconds(59))))
        #expect(Self.waits(watch.took(.report(processing, of: JobIdentity()), elapsed: .seconds(60))))
        #expect(Self.waits(watch.took(.lost(lost), elapsed: .seconds(100))))
        #expect(Self.waits(watch.took(.lost(lost), elapsed: .seconds(159))))
        #expect(!Self.waits(watch.took(.lost(lost), elapsed: .seconds(160))))
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
        var watch = JobWatch(lostPatience: .seconds(60))
        _ = watch.took(.report(processing, of: first), elapsed: .zero)
        let completed = JobReport(state: .completed, evidence: .printed)
        let isFinished =
            if case .finish = watch.took(.report(completed, of: later), elapsed: .zero) { true } else { false }
        #expect(isFinished == isSame)
    }

    private static func told(_ action: JobWatch.Action) -> JobReport? {
        if case .wait(_, let report) = action { report } else { nil }
    }

    private static func waits(_ action: JobWatch.Action) -> Bool {
        if case .wait = action { true } else { false }
    }
}
