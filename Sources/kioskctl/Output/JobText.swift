import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

/// What people are told of a job.
enum JobText {
    /// One line when the job is settled: `job 12 completed on till-1: printed (printer's own confirmation), 38 ms`.
    static func outcome(_ job: Job) -> String {
        let place = job.printer.map { " on \($0)" } ?? ""
        switch job.state {
        case .completed:
            let time = Quantities.span(job.createdAt, job.completedAt ?? job.createdAt)
            return "job \(job.id) completed\(place): \(evidence(job.evidence)), \(time)"
        case .canceled:
            return "job \(job.id) was canceled\(reason(job))"
        case _ where job.isUnconfirmed:
            return "job \(job.id) is unconfirmed\(place)\(reason(job)); look at the paper, then "
                + (job.state.isFinal
                    ? "print it again if it is missing" : "`kioskctl release \(job.id)` or `kioskctl cancel \(job.id)`")
        case .aborted:
            return "job \(job.id) failed\(place)\(reason(job))"
        case .pending, .pendingHeld, .processing, .processingStopped:
            return "job \(job.id) is \(step(job) ?? job.state.rawValue)\(place)\(reason(job))"
        }
    }

    /// One line when the job was taken and nobody waits: `job 12 accepted for receipt (812 B)`.
    static func acceptance(_ job: Job) -> String {
        let target = job.role?.rawValue ?? job.printer?.rawValue ?? "printing"
        let origin = job.origin.map { ", which prints job \($0) again," } ?? ""
        let jobs = job.group.map { "jobs \($0.map(String.init).joined(separator: ", "))" } ?? "job \(job.id)"
        return "\(jobs)\(origin) accepted for \(target) (\(Quantities.bytes(job.documentLength)))"
    }

    /// The code that kioskctl ends with for a job that somebody waited for.
    static func exitStatus(_ job: Job) -> ExitCode {
        switch job.state {
        case .completed: .success
        case .canceled: ExitStatus.jobCanceled
        case _ where job.isUnconfirmed: ExitStatus.jobUnconfirmed
        case .aborted: ExitStatus.jobFailed
        case .pending, .pendingHeld, .processing, .processingStopped: ExitStatus.jobUnsettled
        }
    }

    static func evidence(_ evidence: Evidence?) -> String {
        switch evidence {
        case .printed: "printed (printer's own confirmation)"
        case .processed: "processed (the printer worked through it)"
        case .accepted: "accepted (its spooler took it, and tells no more)"
        case .sent: "sent (the printer tells no more)"
        case nil: "no evidence"
        }
    }

    private static func reason(_ job: Job) -> String {
        if let message = job.message, !message.isEmpty { return ": \(message)" }
        return job.stateReasons.isEmpty || step(job) != nil ? "" : ": \(job.stateReasons.joined(separator: ", "))"
    }

    static func color(_ job: Job) -> Style.Color? {
        switch job.state {
        case .completed: .green
        case .aborted: .red
        case .processingStopped: .yellow
        case .pendingHeld: job.isUnconfirmed ? .red : .yellow
        case .canceled: .gray
        case .pending, .processing: nil
        }
    }

    static func state(_ job: Job) -> String {
        if job.isUnconfirmed && job.state != .completed { return "\(job.state.rawValue) (unconfirmed)" }
        return (step(job) ?? wait(job)).map { "\(job.state.rawValue) (\($0))" } ?? job.state.rawValue
    }

    /// What a job waits for that is on no printer, if not for its turn.
    private static func wait(_ job: Job) -> String? {
        job.state == .pending && job.stateReasons == ["resources-are-not-ready"] ? "to be drawn" : nil
    }

    /// What is done with a job on its way to its printer: `uploading 40 %`.
    static func step(_ job: Job) -> String? {
        guard job.state == .processing, job.stateReasons.count == 1 else { return nil }
        let share =
            job.documentLength > 0 ? " \(min(job.bytesSent, job.documentLength) * 100 / job.documentLength) %" : ""
        switch job.stateReasons.first {
        case "connecting-to-destination": return "connecting"
        case "job-spooling": return "uploading\(share)"
        case "job-transforming": return "converting"
        case "job-outgoing": return "sending\(share)"
        case "job-queued": return "queued"
        case "job-printing": return "printing"
        default: return nil
        }
    }
}

extension JobText {
    static func table(_ jobs: [Job], _ style: Style = .current) -> String {
        var table = Table([
            .init(heading: "JOB", isNumber: true), .init(heading: "STATE"), .init(heading: "ROLE"),
            .init(heading: "PRINTER"), .init(heading: "SIZE", isNumber: true), .init(heading: "EVIDENCE"),
            .init(heading: "CREATED"), .init(heading: "NAME"),
        ])
        for job in jobs {
            table.add([
                "\(job.id)", .init(state(job), color(job)), .init(job.role?.rawValue), .init(job.printer?.rawValue),
                .init(job.isWithheld == true ? nil : Quantities.bytes(job.documentLength)),
                .init(job.evidence?.rawValue),
                .init(job.createdAt.description), .init(name(job)),
            ])
        }
        return table.text(style)
    }

    /// The job's name, or what is shown instead where the job is another user's.
    static func name(_ job: Job) -> String { job.isWithheld == true ? "(another user's)" : job.name }

    static func details(_ job: Job, _ style: Style = .current) -> String {
        let isWithheld = job.isWithheld == true
        var details = Details("job \(job.id)")
        details.add("name", name(job))
        details.add("state", state(job), color(job))
        details.add("reasons", job.stateReasons.joined(separator: ", "))
        details.add("message", job.message)
        details.add("evidence", job.evidence.map { evidence($0) })
        details.add("role", job.role?.rawValue)
        details.add("printer", job.printer?.rawValue)
        details.add("user", job.user)
        details.add("document", isWithheld ? nil : "\(job.format), \(Quantities.bytes(job.documentLength))")
        for item in job.ticket.parameters { details.add(item.key, item.value) }
        details.add("sent", job.attempts > 0 && !isWithheld ? Quantities.bytes(job.bytesSent) : nil)
        details.add("attempts", job.attempts > 0 ? "\(job.attempts)" : nil)
        details.add("at the printer", job.remoteJob.map { "job \($0.identifier)" })
        details.add("reprint of", job.origin.map { "job \($0)" })
        details.add("group", job.group.map { "jobs \($0.map(String.init).joined(separator: ", "))" })
        for remark in job.remarks ?? [] { details.add("remark", remark) }
        details.add("created", job.createdAt.description)
        details.add("processing", job.processingAt?.description)
        details.add("completed", job.completedAt.map { "\($0), after \(Quantities.span(job.createdAt, $0))" })
        if !job.state.isFinal { details.add("expires", job.expiresAt.description) }
        return details.text(style)
    }
}
