import PrintModel

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
