import KioskIPPCodec
import KioskPrintModel

/// The attributes of jobs at a moment (RFC 8011 §5.3).
struct JobAttributes {
    let model: PrinterModel
    let printer: PrinterIdentity
    let now: Duration

    func description(of job: SimulatedJob) -> [IPPAttribute] {
        let kilobytes = Int32(clamping: (job.bytes + 1023) / 1024)
        return [
            IPPAttribute("job-id", .integer(job.id)),
            IPPAttribute("job-uri", .uri(IPPText(printer.uri(ofJob: job.id)))),
            IPPAttribute(
                "job-uuid", .uri(IPPText("urn:uuid:\(printer.uuid(ofJob: job.id, restarts: model.restarts))"))),
            IPPAttribute("job-printer-uri", .uri(IPPText(printer.uri))),
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
            // A document is not interpreted: it counts as one impression.
            IPPAttribute("job-impressions", job.document == nil ? .noValue : .integer(1)),
            IPPAttribute("job-impressions-completed", .integer(job.state == .completed && job.document != nil ? 1 : 0)),
            IPPAttribute("number-of-documents", .integer(job.document == nil ? 0 : 1)),
            IPPAttribute("number-of-intervening-jobs", .integer(interveningJobs(before: job))),
            IPPAttribute("document-format", .mimeMediaType(IPPText(job.format))),
        ]
    }

    /// The attributes in the responses to Print-Job, Create-Job and Send-Document (RFC 8011 §4.2.1.2).
    func status(of job: SimulatedJob) -> [IPPAttribute] {
        let names: Set = ["job-id", "job-uri", "job-state", "job-state-reasons", "job-state-message"]
        return description(of: job).filter { names.contains($0.name) }
    }

    private func time(_ name: String, _ moment: Duration?) -> IPPAttribute {
        IPPAttribute(name, moment.map { .integer(model.upTime(at: $0)) } ?? .noValue)
    }

    private func date(_ name: String, _ moment: Duration?) -> IPPAttribute {
        IPPAttribute(name, moment.map { .dateTime(printer.dateTime($0)) } ?? .noValue)
    }

    private func interveningJobs(before job: SimulatedJob) -> Int32 {
        guard !job.state.isFinal else { return 0 }
        return Int32(clamping: model.queuedJobs.count { $0.id < job.id })
    }
}

extension JobState {
    /// The `job-state` enum (RFC 8011 §5.3.7).
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

/// The `which-jobs` keywords of Get-Jobs (RFC 8011 §4.2.6.1, PWG 5100.11 §5.2).
enum WhichJobs: String, CaseIterable {
    case completed
    case notCompleted = "not-completed"
    case aborted, all, canceled, pending
    case pendingHeld = "pending-held"
    case processing
    case processingStopped = "processing-stopped"

    func includes(_ state: JobState) -> Bool {
        switch self {
        case .all: true
        case .completed: state.isFinal
        case .notCompleted: !state.isFinal
        default: state.rawValue == rawValue
        }
    }
}
