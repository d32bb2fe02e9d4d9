import PrintModel

/// What a delivery does just now, as everybody sees it: a job's `job-state-reasons` while it is on its way. Never
/// stored.
enum DeliveryStep: Hashable, Sendable {
    case connecting
    /// Document bytes that are with the host, in a file.
    case uploading(Int64)
    case converting
    case sending(Int64)
    case printing
    /// The printer waits for a person.
    case stopped

    /// Nil where the delivery is past its steps: the printer has the job and speaks for it.
    init?(_ progress: DeliveryProgress) {
        switch progress {
        case .connecting: self = .connecting
        case .uploading(let bytes, _): self = .uploading(bytes)
        case .converting: self = .converting
        case .sending(let bytes, _): self = .sending(bytes)
        case .printing: self = .printing
        case .stopped: self = .stopped
        case .accepted: return nil
        }
    }

    var state: JobState { self == .stopped ? .processingStopped : .processing }

    /// A keyword of IANA's IPP registry (job-state-reasons).
    var reason: String {
        switch self {
        case .connecting: "connecting-to-destination"
        case .uploading: "job-spooling"
        case .converting: "job-transforming"
        case .sending: "job-outgoing"
        case .printing: "job-printing"
        case .stopped: "printer-stopped"
        }
    }

    /// Nil where the step moves none.
    var bytes: Int64? {
        switch self {
        case .uploading(let bytes), .sending(let bytes): bytes
        case .connecting, .converting, .printing, .stopped: nil
        }
    }

    /// Whether it is the same step, however far it is.
    func isSame(as other: DeliveryStep?) -> Bool { reason == other?.reason }
}

extension JobRecord {
    /// The job with what its delivery does just now.
    func shown(in delivery: DeliveryMonitor?) -> Job {
        guard stage.isOnItsWay, !isCancelRequested, let delivery, let step = delivery.step else { return job }
        var job = job
        job.state = step.state
        job.stateReasons = [step.reason]
        job.bytesSent = step == .printing ? job.documentLength : step.bytes ?? delivery.bytesSent
        return job
    }
}
