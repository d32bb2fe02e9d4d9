import KioskAPIMessages
import KioskPrintModel
import KioskTerminal

/// Formats jobs for people: one line, a table, details, the steps of a job's life.
enum JobText {
    /// The job's state in one line: `job 12 completed on till-1: printed (printer's own confirmation), 38 ms`.
    /// `obstacle` says of a pending job why its printers do not print it.
    static func outcome(_ job: Job, obstacle: String? = nil) -> String {
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
            guard let obstacle else {
                return "job \(job.id) is \(step(job) ?? job.state.rawValue)\(place)\(reason(job))"
            }
            return "job \(job.id) is \(job.state.rawValue)\(place): \(obstacle)"
        }
    }

    /// The line for an accepted job that is not waited for: `job 12 accepted for receipt (812 B)`.
    static func acceptance(_ job: Job) -> String {
        let target = job.role?.rawValue ?? job.printer?.rawValue ?? "printing"
        let origin = job.origin.map { ", which prints job \($0) again," } ?? ""
        let jobs = job.group.map { "jobs \($0.map(String.init).joined(separator: ", "))" } ?? "job \(job.id)"
        return "\(jobs)\(origin) accepted for \(target) (\(Quantities.bytes(job.documentLength)))"
    }

    static func evidence(_ evidence: Evidence?) -> String {
        switch evidence {
        case .printed: "printed (printer's own confirmation)"
        case .processed: "processed (the printer worked through it)"
        case .accepted: "accepted (its spooler accepted it, and reports no more)"
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

    /// The reason why a pending job waits, if not for its turn.
    private static func wait(_ job: Job) -> String? {
        job.state == .pending && job.stateReasons == ["resources-are-not-ready"] ? "to be drawn" : nil
    }

    /// The current step of a job that is being processed: `uploading 40 %`.
    static func step(_ job: Job) -> String? {
        guard job.state == .processing, job.stateReasons.count == 1 else { return nil }
        let share =
            job.documentLength > 0 ? " \(min(job.bytesSent, job.documentLength) * 100 / job.documentLength) %" : ""
        switch job.stateReasons.first {
        case "connecting-to-destination": return "connecting"
        case "job-spooling": return "uploading\(share)"
        case "job-transforming": return "converting"
        case "job-outgoing":
            if let page = job.pagesBegun, page > 0, let pages = job.pages { return "page \(page) of \(pages)" }
            return "sending\(share)"
        case "job-queued": return "queued"
        case "job-printing": return "printing"
        default: return nil
        }
    }

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

    /// The job's name; a placeholder where the job is another user's.
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
        details.add("pages", job.pages.map(String.init))
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

/// Formats the steps of a job's life.
enum TimelineText {
    static func table(_ timeline: JobTimeline, _ style: Style = .current) -> String {
        var table = Table([
            .init(heading: "TIME"), .init(heading: "STEP"), .init(heading: "PRINTER"), .init(heading: "EVIDENCE"),
            .init(heading: "WHAT"),
        ])
        for step in timeline.steps {
            table.add([
                .init(step.time.description), .init(name(step), color(step.kind)), .init(step.printer?.rawValue),
                .init(step.evidence?.rawValue), .init(what(step)),
            ])
        }
        guard let omitted = timeline.omitted else { return table.text(style) }
        return table.text(style)
            + "\(Quantities.count(omitted, "step", "steps")) in the middle of its life are no longer kept\n"
    }

    private static func name(_ step: JobStep) -> String {
        step.attempt.map { "\(step.kind.rawValue) (attempt \($0))" } ?? step.kind.rawValue
    }

    private static func what(_ step: JobStep) -> String? {
        switch (step.kind, step.job) {
        case (.accepted, let job?): "prints job \(job) again"
        case (.reprinted, let job?): "by job \(job)"
        default: step.message
        }
    }

    private static func color(_ kind: JobStep.Kind) -> Style.Color? {
        switch kind {
        case .completed: .green
        case .aborted, .held, .unconfirmed: .red
        case .stopped, .asking: .yellow
        case .canceled: .gray
        case .accepted, .sending, .acceptedByPrinter, .resumed, .waiting, .released, .cancelRequested, .reprinted: nil
        }
    }
}
