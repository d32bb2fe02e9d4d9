internal import PrintModel

/// The jobs that wait for one destination: higher priority first, then first in first out.
struct WaitingQueue {
    private(set) var entries: [WaitingJob] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func insert(_ job: WaitingJob) {
        var low = entries.startIndex
        var high = entries.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].precedes(job) { low = middle + 1 } else { high = middle }
        }
        // A job that stood here twice would be printed twice.
        guard low == entries.endIndex || entries[low].id != job.id else { return }
        entries.insert(job, at: low)
    }

    mutating func moveExpiry(by duration: Duration) {
        for index in entries.indices { entries[index].expiresAt = entries[index].expiresAt.advanced(by: duration) }
    }

    @discardableResult
    mutating func remove(_ id: Int64) -> WaitingJob? {
        // Most jobs leave from the front, so the search is short.
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        return entries.remove(at: index)
    }
}

/// What routing needs to know of a waiting job.
struct WaitingJob: Hashable, Sendable {
    var id: Int64
    var destination: Destination
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

    func precedes(_ other: WaitingJob) -> Bool {
        priority != other.priority ? priority > other.priority : id < other.id
    }
}
