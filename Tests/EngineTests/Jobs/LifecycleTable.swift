import KioskPrintModel

@testable import KioskEngine

/// The table of docs/delivery.md, told by the machine itself.
struct LifecycleTable {
    private struct Row { var stages: [String], what: [String], outcome: [String] }
    private var rows: [Row] = []

    init() throws {
        for stage in JobStage.allCases { try add(stage.rawValue, JobLifeSamples.at(stage), unlike: nil) }
        for stage in [JobStage.doubtful, .found] {
            try add("\(stage.rawValue), known to be cut", JobLifeSamples.cut(stage), unlike: JobLifeSamples.at(stage))
        }
        for stage in JobStage.allCases where stage.isOnItsWay || stage.isAtPrinter {
            try add(
                "\(stage.rawValue), to be canceled", Self.canceling(JobLifeSamples.at(stage)),
                unlike: JobLifeSamples.at(stage))
        }
        for stage in [JobStage.doubtful, .found] {
            let cut = try JobLifeSamples.cut(stage)
            try add(
                "\(stage.rawValue), known to be cut, to be canceled", Self.canceling(cut),
                unlike: Self.canceling(JobLifeSamples.at(stage)))
        }
        rows += zip(Self.policies, Self.doubts).map { Row(stages: ["in doubt"], what: [$0.1], outcome: $1 + [""]) }
    }

    private static func canceling(_ life: JobLife) throws -> JobLife {
        var life = life
        _ = try life.handle(.cancelRequested, in: JobLifeSamples.circumstances())
        return life
    }

    /// Rows of stages to which the same happens are one; of a special case only what differs from the plain stage.
    private mutating func add(_ name: String, _ life: JobLife, unlike plain: JobLife?) throws {
        for (what, outcome) in Self.outcomes(of: life) {
            if let plain, Self.outcomes(of: plain).contains(where: { $0 == (what, outcome) }) { continue }
            if let same = rows.lastIndex(where: { $0.what == [what] && $0.outcome == outcome }) {
                rows[same].stages.append(name)
            } else {
                rows.append(Row(stages: [name], what: [what], outcome: outcome))
            }
        }
    }

    private static func outcomes(of life: JobLife) -> [(String, [String])] {
        var found: [(String, [String])] = JobLifeSamples.events.compactMap { name, event in
            outcome(of: event, for: life, late: false).map { (name, $0) }
        }
        if let late = outcome(of: .began(JobLifeSamples.printer), for: life, late: true) {
            found.append(("sending would begin, and it has expired", late))
        }
        let restored = life.restarted()
        found.append(("kioskd starts anew", cells(restored, nil, before: life)))
        return found
    }

    /// Nil where the event cannot happen.
    private static func outcome(of event: JobEvent, for life: JobLife, late: Bool) -> [String]? {
        let all = policies.compactMap { policy, _ -> [String]? in
            var (before, next) = (life, life)
            if policy.reprints > 0 { (before, next) = (reprinted(life), reprinted(life)) }
            guard
                let decision = try? next.handle(event, in: JobLifeSamples.circumstances(policy.unconfirmed, late: late))
            else { return nil }
            return cells(next, decision, before: before)
        }
        guard let first = all.first, Set(all).count > 1 else { return all.first }
        // The role decides: the lines of "in doubt" say how.
        return all.map { Array($0.prefix(3)) } == doubts ? ["in doubt", "", "", first[3]] : ["?", "?", "?", "?"]
    }

    private struct Policy { var unconfirmed: Role.UnconfirmedPolicy, reprints = 0 }
    private static let policies: [(Policy, String)] = [
        (Policy(unconfirmed: .hold), "the role says `hold`"),
        (Policy(unconfirmed: .reprint), "the role says `reprint`"),
        (Policy(unconfirmed: .reprint, reprints: 3), "the role says `reprint`, and it was three times"),
        (Policy(unconfirmed: .drop), "the role says `drop`"),
    ]

    /// What becomes of a job under each policy when nobody can tell.
    private static let doubts: [[String]] = policies.map { policy, _ in
        guard var life = try? JobLifeSamples.at(.following) else { return [] }
        if policy.reprints > 0 { life = reprinted(life) }
        let before = life
        let decision = try? life.handle(
            .failed(JobLifeSamples.error(.outcomeUnknown)), in: JobLifeSamples.circumstances(policy.unconfirmed))
        return Array(cells(life, decision, before: before).prefix(3))
    }

    private static func reprinted(_ life: JobLife) -> JobLife {
        var facts = life.status
        facts.reprints = 3
        return JobLife(restoring: facts)
    }

    private static func cells(_ life: JobLife, _ decision: JobDecision?, before: JobLife) -> [String] {
        let (now, then) = (life.status, before.status)
        let isSame = now.job.state == then.job.state && now.job.stateReasons == then.job.stateReasons
        let reasons = now.job.stateReasons.isEmpty ? "" : ": \(now.job.stateReasons.joined(separator: ", "))"
        let evidence = now.job.evidence == then.job.evidence ? [] : [now.job.evidence?.rawValue ?? "none"]
        return [
            now.stage.rawValue, decision?.inWords ?? now.stage.atStartInWords,
            isSame ? "" : now.job.state.rawValue + reasons,
            (evidence + (now.job.isUnconfirmed && !then.job.isUnconfirmed ? ["unconfirmed"] : [])).joined(
                separator: ", "),
        ]
    }

    /// Rows that tell the same of the same stages are one.
    private var merged: [Row] {
        rows.reduce(into: []) { merged, row in
            if let same = merged.lastIndex(where: { $0.stages == row.stages && $0.outcome == row.outcome }) {
                merged[same].what += row.what
            } else {
                merged.append(row)
            }
        }
    }

    var text: String {
        let head = ["stage", "what happens", "next stage", "what the engine does", "`job-state`: reasons", "evidence"]
        let lines = merged.map { [$0.stages.joined(separator: "; "), $0.what.joined(separator: "; ")] + $0.outcome }
        return ([head, head.map { _ in "---" }] + lines).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }
}

extension JobLife {
    /// As a new start finds it.
    func restarted() -> JobLife {
        var restored = status
        restored.stage = status.stage.stored.atStart
        return JobLife(restoring: restored)
    }
}

extension JobStage {
    fileprivate var atStartInWords: String {
        switch self {
        case .waiting: "queues it"
        case .doubtful, .unwatched: "asks the printer, as soon as it answers"
        default: "nothing"
        }
    }
}

extension JobDecision {
    fileprivate var inWords: String {
        switch self {
        case .nothing: "nothing"
        case .storeSoon: "stores it soon"
        case .send: "stores it, then sends"
        case .sendAgainSoon: "sends it there again, soon"
        case .queue: "queues it"
        case .queueLater: "queues it after a pause"
        case .queueForOthers: "queues it for other printers"
        case .follow: "watches it at the printer"
        case .ask: "asks the printer, as soon as it answers"
        case .stop: "stops sending, tells the printer"
        case .hold: "waits for an operator"
        case .settle: "stores it: the end"
        }
    }
}
