import KioskFleet
import KioskPrintModel
import KioskTerminal

/// Formats what becomes of a fleet's jobs.
enum ReportText {
    /// `order-4711: stored at the hub for receipt of 0147 (812 B)`.
    static func stored(_ job: FleetJob, _ outcome: JobSender.Outcome) -> String {
        let word = outcome == .stored ? "stored" : "already stored"
        return
            "\(job.idempotencyKey): \(word) at the hub for \(job.role) of \(job.site) (\(Quantities.bytes(Int64(job.length))))"
    }

    /// `order-4711: ended at kiosk-1, job 17 completed on till-1, evidence printed`, and why where there is a reason.
    static func line(_ report: FleetReport, of key: String) -> String {
        var line = "\(key): \(report.stage.rawValue) at \(report.node)"
        if let job = report.job {
            line += ", job \(job.id) \(job.state.rawValue)"
            if let printer = job.printer { line += " on \(printer)" }
            if let evidence = job.evidence { line += ", evidence \(evidence.rawValue)" }
        }
        if let error = report.error { line += ", \(error.code)" }
        return reason(report).map { "\(line): \($0)" } ?? line
    }

    private static func reason(_ report: FleetReport) -> String? {
        if let error = report.error { return error.message }
        guard let job = report.job else { return nil }
        if let message = job.message, !message.isEmpty { return message }
        guard job.state != .completed, !job.stateReasons.isEmpty else { return nil }
        return job.stateReasons.joined(separator: ", ")
    }

    /// `storedAt`: when the hub stored the report.
    static func details(
        _ report: FleetReport, of key: String, at site: SiteName, storedAt: String?, _ style: Style = .current
    ) -> String {
        var details = Details("\(key) at \(site)")
        details.add("kiosk", report.node.text)
        details.add("stage", report.stage.rawValue, color(report))
        details.add("reported", storedAt)
        details.add("error", report.error?.code)
        details.add("message", reason(report))
        if let job = report.job {
            details.add("job", "\(job.id)")
            details.add("state", job.state.rawValue)
            details.add("evidence", job.evidence?.rawValue)
            details.add("role", job.role?.rawValue)
            details.add("printer", job.printer?.rawValue)
            details.add("name", job.name)
            details.add("document", "\(job.format), \(Quantities.bytes(job.documentLength))")
            for remark in job.remarks ?? [] { details.add("remark", remark) }
            details.add("created", job.createdAt.description)
            details.add("completed", job.completedAt?.description)
        }
        return details.text(style)
    }

    private static func color(_ report: FleetReport) -> Style.Color? {
        switch report.stage {
        case .claimed, .accepted: nil
        case .unconfirmed: .yellow
        case .refused: .red
        case .ended: report.job?.state == .completed ? .green : .red
        }
    }
}
