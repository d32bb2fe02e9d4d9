import PrintModel

/// What routing needs to know of a waiting job.
struct WaitingJob: Hashable, Sendable {
    var id: Int64
    var destination: Destination
    /// The role that it is a copy for, where that prints on all of its printers: the printer must do that role's job
    /// type.
    var copiedFor: RoleName?
    var format: DocumentFormat
    var priority: Int
    var expiresAt: Timestamp
    /// Printers that answered that they will never take this job.
    var refusedBy: Set<PrinterID> = []

    enum Destination: Hashable, Sendable {
        case role(RoleName)
        case printer(PrinterID)

        /// To one printer and no other.
        var isPinned: Bool { if case .printer = self { true } else { false } }
    }

    /// Where a job stands among others.
    struct Place: Hashable, Comparable {
        let priority: Int
        let id: Int64

        static func < (one: Place, other: Place) -> Bool {
            one.priority != other.priority ? one.priority > other.priority : one.id < other.id
        }
    }

    var place: Place { Place(priority: priority, id: id) }

    func precedes(_ other: WaitingJob) -> Bool { place < other.place }
}
