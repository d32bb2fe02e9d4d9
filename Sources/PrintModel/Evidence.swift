/// How we know what became of a job, weakest first. A transport never claims more than its protocol proves.
public enum Evidence: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// The bytes left us.
    case sent
    /// A spooler or printer took the job.
    case accepted
    /// The device says that it worked through the data.
    case processed
    /// The device says that paper came out.
    case printed

    public static func < (left: Evidence, right: Evidence) -> Bool { left.strength < right.strength }

    private var strength: Int {
        switch self {
        case .sent: 0
        case .accepted: 1
        case .processed: 2
        case .printed: 3
        }
    }
}
