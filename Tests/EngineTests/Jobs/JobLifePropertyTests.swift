import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Random lives, each from its own seed: whatever happens in whatever order, the machine keeps its promises.
@Suite struct JobLifePropertyTests {
    @Test func `no order of events breaks a promise`() throws {
        var ends: [JobState: Int] = [:]
        var reprinted = 0
        for seed in 1...2000 as ClosedRange<UInt64> {
            var walk = LifeWalk(seed: seed)
            for _ in 0..<300 where walk.isWorthGoing { try walk.step() }
            if walk.life.status.stage == .done { ends[walk.life.status.job.state, default: 0] += 1 }
            if walk.life.status.job.attempts > 1 { reprinted += 1 }
        }
        // The walks go everywhere, or they prove nothing.
        for state in [JobState.completed, .canceled, .aborted] { #expect(ends[state, default: 0] > 100, "\(ends)") }
        #expect(reprinted > 300)
    }
}

/// One random life, watched by somebody who keeps a ledger of his own.
private struct LifeWalk {
    private(set) var life = JobLifeSamples.accepted()
    private let seed: UInt64
    private var random: SeededRandom
    private let policy: Role.UnconfirmedPolicy
    /// What is on disk; a crash goes back to it.
    private var stored = JobLifeSamples.accepted()
    /// The attempt has begun on the wire, and nobody has proven yet that no byte was taken.
    private var mayBeOnPaper = false
    /// The printer certainly got less than the whole in this attempt.
    private var isCut = false
    /// Somebody may print it again all the same: the role, or an operator.
    private var isAllowedAgain = false

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed)
        policy = Role.UnconfirmedPolicy.allCases[Int(seed % 3)]
    }

    /// A few events after its end are enough.
    var isWorthGoing: Bool { stepsAfterEnd < 10 }
    private var stepsAfterEnd = 0

    /// With these as frequent as the others, most lives would be over before anything happens.
    private static func isEnd(_ event: JobEvent) -> Bool {
        switch event {
        case .cancelRequested, .confirmed, .expired, .unprintable, .documentLost, .renderingFailed: true
        default: false
        }
    }

    mutating func step() throws {
        if life.status.stage == .done { stepsAfterEnd += 1 }
        if random.next() % 40 == 0 { return crash() }
        let before = life
        let sample = JobLifeSamples.events[Int(random.next() % UInt64(JobLifeSamples.events.count))]
        if Self.isEnd(sample.event), random.next() % 60 != 0 { return }
        let event = varied(sample.event)
        let late = random.next() % 100 == 0
        let decision: JobDecision
        do {
            decision = try life.handle(event, in: JobLifeSamples.circumstances(policy, late: late))
        } catch {
            #expect(life == before, "seed \(seed): a refused \(event.name) changed the job")
            return
        }
        check(event, decision, before.status, life.status, late: late)
        if decision == .send || decision == .settle || decision == .hold || random.next() % 2 == 0 { stored = life }
    }

    private mutating func varied(_ event: JobEvent) -> JobEvent {
        let bytes = Int64(random.next() % 11)
        let states: [JobState] = [.processing, .processingStopped, .completed, .canceled, .aborted, .pending]
        let report = JobLifeSamples.report(
            states[Int(random.next() % 6)], Evidence.allCases[Int(random.next() % 4)]
        )
        let codes: [TransportError.Code] = [
            .connectionLost, .timedOut, .cancelled, .printerBusy, .jobRefused, .outcomeUnknown, .documentUnreadable,
            .accessDenied,
        ]
        let error = JobLifeSamples.error(
            codes[Int(random.next() % 8)], bytes: max(0, bytes - 5), job: bytes == 3 ? JobLifeSamples.remoteJob : nil)
        return switch event {
        case .accepted: .accepted(report, isCancelAgreed: bytes == 0)
        case .reported: .reported(report)
        case .ended: .ended(report, isCancelAgreed: bytes == 0)
        case .failed: .failed(error)
        case .askingFailed: .askingFailed(error)
        default: event
        }
    }

    /// The process dies: what was not stored is forgotten, what happened on the wire is not.
    private mutating func crash() {
        let isWaiting = stored.status.stage.stored == .waiting
        #expect(
            !isWaiting || !mayBeOnPaper || isAllowedAgain || stored.status.job.isUnconfirmed,
            "seed \(seed): a start would send again")
        life = stored.restarted()
        stored = life
        isAllowedAgain = isAllowedAgain && isWaiting
        // How far it came was not stored in time; then the printer's word is all that there is.
        isCut = isCut && life.status.job.bytesSent > 0
    }

    private mutating func check(
        _ event: JobEvent, _ decision: JobDecision, _ before: JobStatus, _ after: JobStatus, late: Bool
    ) {
        let what = "seed \(seed): \(before.stage) – \(event.name) – \(after.stage)"
        #expect(before.stage != .done, "\(what): a final job went on")
        #expect((after.stage == .done) == (decision == .settle), "\(what): an end that is not settled")
        #expect((after.stage == .done) == after.job.state.isFinal, "\(what): \(after.job.state)")
        #expect((after.stage == .done) == (after.job.completedAt != nil), "\(what): completed at")
        #expect(after.job.isUnconfirmed || !before.job.isUnconfirmed, "\(what): the doubt is forgotten")
        #expect(!after.isCancelRequested || after.stage != .waiting, "\(what): a canceled job is queued")
        #expect(after.stage != .held || after.job.isUnconfirmed, "\(what): held without doubt")
        #expect(!late || decision != .send, "\(what): an expired job is sent")
        #expect(after.reprints <= 3, "\(what): reprinted without end")
        checkPaper(event, decision, before, after, what)
        if case .began = event, decision == .send {
            #expect(after.job.evidence == nil, "\(what): evidence of an earlier attempt")
        } else {
            #expect((after.job.evidence ?? .sent) >= (before.job.evidence ?? .sent), "\(what): weaker evidence")
            #expect(after.job.evidence != nil || before.job.evidence == nil, "\(what): evidence is lost")
            #expect(
                claimed(by: event).map { ($0 >= after.job.evidence ?? .sent) }
                    ?? (after.job.evidence == before.job.evidence) || after.job.evidence == before.job.evidence,
                "\(what): evidence that nobody gave")
        }
    }

    private func claimed(by event: JobEvent) -> Evidence? {
        switch event {
        case .accepted(let report, _), .reported(let report), .ended(let report, _): report.evidence
        case .located: .accepted
        case .failed: .sent
        default: nil
        }
    }

    private mutating func checkPaper(
        _ event: JobEvent, _ decision: JobDecision, _ before: JobStatus, _ after: JobStatus, _ what: String
    ) {
        let fell = after.job.isUnconfirmed && !before.job.isUnconfirmed || after.reprints > before.reprints
        switch event {
        case .began where decision == .send:
            #expect(!mayBeOnPaper || isAllowedAgain, "\(what): sent again, and nobody knows that it was not printed")
            #expect(!mayBeOnPaper || after.job.isUnconfirmed, "\(what): doubled in silence")
            (mayBeOnPaper, isAllowedAgain) = (true, false)
        case .notLocated where before.stage == .doubtful:
            mayBeOnPaper = false
        case .interrupted where before.stage == .contacting, .notPrepared where before.stage == .contacting,
            .formatRejected where before.stage == .following:
            mayBeOnPaper = false
        case .failed(let error)
        where before.stage.isOnItsWay && error.bytesAccepted == 0 && error.remoteJob == nil
            && error.code != .outcomeUnknown:
            mayBeOnPaper = false
        case .released:
            isAllowedAgain = true
        case .confirmed where decision == .settle:
            // A person's word goes before what was counted on the wire.
            isCut = false
        default:
            if fell, policy == .reprint { isAllowedAgain = true }
        }
        if case .failed(let error) = event, before.stage.isOnItsWay {
            isCut = (1..<JobLifeSamples.length).contains(error.bytesAccepted)
        }
        if decision == .send { isCut = false }
        #expect(after.job.state != .completed || !isCut, "\(what): completed, and a part was never sent")
    }
}
