import IPPCodec
import PrintModel

/// The job attributes of RFC 8011 §5.3.
struct JobAttributes {
    let model: PrinterModel
    let identity: PrinterIdentity
    let now: Duration

    func description(of job: SimulatedJob) -> [IPPAttribute] {
        let kilobytes = Int32(clamping: (job.bytes + 1023) / 1024)
        return [
            IPPAttribute("job-id", .integer(job.id)),
            IPPAttribute("job-uri", .uri(IPPText(identity.uri(ofJob: job.id)))),
            IPPAttribute("job-printer-uri", .uri(IPPText(identity.uri))),
            IPPAttribute("job-name", .name(IPPText(job.name))),
            IPPAttribute("job-originating-user-name", .name(IPPText(job.user))),
            IPPAttribute("job-state", .enum(job.state.ippValue)),
            IPPAttribute("job-state-reasons", keywords: job.reasons),
            IPPAttribute("job-state-message", .text(IPPText(job.state.rawValue))),
            IPPAttribute("job-printer-up-time", .integer(model.upTime(at: now))),
            time("time-at-creation", job.createdAt),
            time("time-at-processing", job.processingAt),
            time("time-at-completed", job.completedAt),
            date("date-time-at-creation", job.createdAt),
            date("date-time-at-processing", job.processingAt),
            date("date-time-at-completed", job.completedAt),
            IPPAttribute("job-k-octets", .integer(kilobytes)),
            IPPAttribute("job-k-octets-processed", .integer(job.state == .completed ? kilobytes : 0)),
            IPPAttribute("number-of-documents", .integer(job.document == nil ? 0 : 1)),
            IPPAttribute("number-of-intervening-jobs", .integer(interveningJobs(job))),
            IPPAttribute("document-format", .mimeMediaType(IPPText(job.format))),
        ]
    }

    /// What answers to Print-Job, Create-Job and Send-Document say of the job (RFC 8011 §4.2.1.2).
    func status(of job: SimulatedJob) -> [IPPAttribute] {
        let names: Set = ["job-id", "job-uri", "job-state", "job-state-reasons", "job-state-message"]
        return description(of: job).filter { names.contains($0.name) }
    }

    private func time(_ name: String, _ moment: Duration?) -> IPPAttribute {
        IPPAttribute(name, moment.map { .integer(model.upTime(at: $0)) } ?? .noValue)
    }

    private func date(_ name: String, _ moment: Duration?) -> IPPAttribute {
        IPPAttribute(name, moment.map { .dateTime(identity.dateTime($0)) } ?? .noValue)
    }

    private func interveningJobs(_ job: SimulatedJob) -> Int32 {
        guard !job.state.isFinal else { return 0 }
        return Int32(clamping: model.queuedJobs.count { $0.id < job.id })
    }
}

extension JobState {
    /// RFC 8011 §5.3.7.
    var ippValue: Int32 {
        switch self {
        case .pending: 3
        case .pendingHeld: 4
        case .processing: 5
        case .processingStopped: 6
        case .canceled: 7
        case .aborted: 8
        case .completed: 9
        }
    }
}
