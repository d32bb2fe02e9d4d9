import KioskPrintModel
import Testing

@testable import KioskEngine

@Suite struct JobLifeTests {
    typealias Samples = JobLifeSamples

    @discardableResult
    private func tell(
        _ life: inout JobLife, _ event: JobEvent, _ unconfirmed: Role.UnconfirmedPolicy = .hold, late: Bool = false
    ) throws -> JobDecision {
        try life.handle(event, in: Samples.circumstances(unconfirmed, late: late))
    }

    @Test(arguments: JobLifeSamples.events.map(\.event)) func `nothing happens to a job that has ended`(
        _ event: JobEvent
    ) throws {
        var life = try Samples.at(.done)
        let before = life
        let error = #expect(throws: IllegalTransition.self) { try tell(&life, event) }
        #expect(error == IllegalTransition(job: 1, stage: .done, event: event.name))
        #expect(error?.description.contains("job 1 is done, where \"\(event.name)\" cannot happen") == true)
        #expect(life == before)
    }

    @Test func `a job that was cut stays one, however often the printer is lost sight of`() throws {
        var life = try Samples.cut(.found)
        try tell(&life, .reported(Samples.report(.processing, .accepted)))
        #expect(try tell(&life, .askingFailed(Samples.error(.connectionLost))) == .ask)
        life = life.restarted()
        #expect(try tell(&life, .ended(Samples.report(.completed, .printed), isCancelAgreed: false)) == .hold)
        #expect(life.status.job.isUnconfirmed)
    }

    @Test(arguments: [JobState.aborted, .canceled])
    func `a printer that gives up a job that was cut proves nothing`(_ state: JobState) throws {
        var life = try Samples.at(.found)
        #expect(
            try tell(&life, .ended(Samples.report(state, .accepted), isCancelAgreed: false), .reprint) == .queueLater)
        #expect(life.status.job.isUnconfirmed)
        #expect(life.status.reprints == 1)
    }

    @Test(arguments: [
        (JobStage.following, JobEvent.failed(Samples.unanswerable)), (.doubtful, .askingFailed(Samples.unanswerable)),
        (.doubtful, .askingFailed(Samples.error(.accessDenied))), (.doubtful, .cannotBeAsked("It was removed.")),
    ])
    func `where nobody can be asked, a job in doubt is printed again once at most`(
        stage: JobStage, event: JobEvent
    ) throws {
        var life = try Samples.at(stage)
        #expect(try tell(&life, event, .reprint) == .queueLater)
        try tell(&life, .routed)
        try tell(&life, .began(Samples.printer))
        if stage == .following {
            try tell(&life, .accepted(Samples.report(.processing, .accepted), isCancelAgreed: false))
        } else {
            try tell(&life, .failed(Samples.error(.connectionLost, bytes: Samples.length)))
        }
        #expect(try tell(&life, event, .reprint) == .hold)
        #expect(life.status.reprints == 1)
    }

    @Test func `a name alone is not evidence: the printer is to say that it has the job`() throws {
        var life = try Samples.after(.routed, .began(Samples.printer), .named(Samples.remoteJob)).restarted()
        #expect(life.status.job.remoteJob == Samples.remoteJob)
        try tell(&life, .askingFailed(Samples.error(.outcomeUnknown)))
        #expect(life.status.job.evidence == nil)
    }

    @Test func `evidence is about the latest attempt`() throws {
        var life = try Samples.at(.following)
        try tell(&life, .reported(Samples.report(.processing, .processed)))
        try tell(&life, .failed(Samples.error(.outcomeUnknown)), .reprint)
        try tell(&life, .routed)
        try tell(&life, .began(Samples.printer))
        try tell(&life, .accepted(JobReport(state: .completed, evidence: .sent), isCancelAgreed: false))
        #expect(life.status.job.evidence == .sent)
        #expect(life.status.job.isUnconfirmed)
        #expect(life.status.job.attempts == 2)
    }

    @Test func `a job that was cut and canceled does not end as completed`() throws {
        var life = try Samples.cut(.found)
        #expect(try tell(&life, .cancelRequested) == .stop)
        #expect(try tell(&life, .ended(Samples.report(.completed, .printed), isCancelAgreed: false)) == .settle)
        #expect(life.status.job.state == .canceled)
        #expect(life.status.job.message?.contains("may be on paper") == true)
    }

    @Test func `last night's job is not printed in the morning`() throws {
        var life = try Samples.at(.routed)
        #expect(try tell(&life, .began(Samples.printer), late: true) == .settle)
        #expect(life.status.job.stateReasons == ["job-expired"])
        #expect(life.status.job.attempts == 0)
    }

    @Test func `a job in doubt is not printed again when it is not worth it any more`() throws {
        var life = try Samples.at(.following)
        #expect(try tell(&life, .failed(Samples.error(.outcomeUnknown)), .reprint, late: true) == .settle)
        #expect(life.status.job.stateReasons == ["job-expired"])
        #expect(life.status.job.isUnconfirmed)
    }

    @Test func `a job that the printer took and lost again is in doubt, not forgotten`() throws {
        var life = try Samples.at(.unwatched)
        #expect(try tell(&life, .notLocated) == .hold)
        #expect(life.status.job.isUnconfirmed)
    }

    @Test func `a watch that ends before the job does proves no end`() throws {
        var life = try Samples.at(.following)
        #expect(try tell(&life, .ended(Samples.report(.processing, .accepted), isCancelAgreed: false)) == .hold)
    }

    @Test func `what is being canceled says so, whatever the printer says`() throws {
        var life = try Samples.at(.following)
        try tell(&life, .cancelRequested)
        try tell(&life, .reported(JobReport(state: .processingStopped, reasons: ["job-stopped"], evidence: .accepted)))
        #expect(life.status.job.stateReasons == ["job-stopped", "processing-to-stop-point"])
        #expect(life.status.job.state == .processingStopped)
    }

    @Test func `an operator's word gives it new time and new reprints`() throws {
        var life = try Samples.at(.following)
        for _ in 1...3 {
            #expect(try tell(&life, .failed(Samples.error(.outcomeUnknown)), .reprint) == .queueLater)
            try tell(&life, .routed)
            try tell(&life, .began(Samples.printer))
        }
        #expect(try tell(&life, .failed(Samples.error(.outcomeUnknown)), .reprint) == .hold)
        #expect(try tell(&life, .released(by: "anna"), late: true) == .queue)
        #expect(life.status.job.message == "anna had it printed again.")
        #expect(life.status.reprints == 0)
        #expect(life.status.job.expiresAt == Samples.start.advanced(bySeconds: 601 + 600))
        #expect(life.status.job.isUnconfirmed)
    }

    @Test func `who saw it on paper ends it, and neither the doubt nor the evidence becomes another`() throws {
        var life = try Samples.at(.held)
        let evidence = life.status.job.evidence
        #expect(try tell(&life, .confirmed(by: "anna")) == .settle)
        let job = life.status.job
        #expect(job.state == .completed && job.isUnconfirmed && job.evidence == evidence)
        #expect(job.message == "anna said that it came out; the printer never confirmed it.")
        #expect(throws: IllegalTransition.self) { try tell(&life, .confirmed(by: "anna")) }
    }

    @Test(arguments: [false, true])
    func `what may be on paper is not called unprinted when it expires`(atOnce: Bool) throws {
        var life = try Samples.at(.following)
        let decision = try tell(&life, .failed(Samples.error(.outcomeUnknown)), .reprint, late: atOnce)
        #expect(decision == (atOnce ? .settle : .queueLater))
        if !atOnce { #expect(try tell(&life, .expired) == .settle) }
        let message = try #require(life.status.job.message)
        #expect(message.hasPrefix("whether it was printed cannot be known"))
        #expect(!message.contains("no printer could") && !message.contains("is printed again"), "\(message)")
        #expect(life.status.job.isUnconfirmed && life.status.job.state == .canceled)
    }
}
