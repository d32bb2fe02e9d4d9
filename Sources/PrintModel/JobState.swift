/// The life of a job in RFC 8011 §5.3.7's words.
public enum JobState: String, Hashable, Sendable, Codable, CaseIterable {
    case pending
    case pendingHeld = "pending-held"
    case processing
    case processingStopped = "processing-stopped"
    case canceled
    case aborted
    case completed

    /// Nothing follows on canceled, aborted and completed.
    public var isFinal: Bool {
        switch self {
        case .canceled, .aborted, .completed: true
        case .pending, .pendingHeld, .processing, .processingStopped: false
        }
    }
}
