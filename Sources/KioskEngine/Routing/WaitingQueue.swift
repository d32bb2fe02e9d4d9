import KioskPrintModel

/// A waiting job as the router sees it.
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

/// The jobs that wait for one destination: higher priority first, then first in first out.
///
/// Jobs of one kind share a queue: the same printers can print all of them, so the first stands for the rest.
struct WaitingQueue {
    private var waiting: [Int64: WaitingJob] = [:]
    private var queues: [Kind: PlaceQueue] = [:]

    /// What decides, besides the destination, which printers a job can go to.
    private struct Kind: Hashable {
        let format: DocumentFormat
        let copiedFor: RoleName?
        let refusedBy: Set<PrinterID>

        init(_ job: WaitingJob) {
            format = job.format
            copiedFor = job.copiedFor
            refusedBy = job.refusedBy
        }
    }

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    /// The jobs, unordered.
    var jobs: some Collection<WaitingJob> { waiting.values }

    /// The first job of each kind, unordered.
    var firsts: [WaitingJob] { queues.values.compactMap { queue in queue.first.flatMap { waiting[$0.id] } } }

    /// How many come before this job.
    func count(before job: WaitingJob) -> Int { queues.values.reduce(0) { $0 + $1.count(before: job.place) } }

    mutating func insert(_ job: WaitingJob) {
        // A job that stood here twice would be printed twice.
        remove(job.id)
        waiting[job.id] = job
        queues[Kind(job), default: PlaceQueue()].insert(job.place)
    }

    mutating func moveExpiry(by duration: Duration) {
        waiting = waiting.mapValues { job in
            var job = job
            job.expiresAt = job.expiresAt.advanced(by: duration)
            return job
        }
    }

    mutating func remove(_ id: Int64) {
        guard let job = waiting.removeValue(forKey: id) else { return }
        let kind = Kind(job)
        queues[kind]?.remove(job.place)
        if queues[kind]?.first == nil { queues[kind] = nil }
    }
}

/// The places of waiting jobs, in order. Most come at the end and leave from the front, and both cost the same however
/// many wait.
private struct PlaceQueue {
    /// A slice forgets its first without moving the rest.
    private var places: ArraySlice<WaitingJob.Place> = []

    var first: WaitingJob.Place? { places.first }

    mutating func insert(_ place: WaitingJob.Place) {
        let index = index(of: place)
        if index == places.endIndex { places.append(place) } else { places.insert(place, at: index) }
    }

    mutating func remove(_ place: WaitingJob.Place) {
        let index = index(of: place)
        guard index < places.endIndex, places[index] == place else { return }
        if index == places.startIndex { places.removeFirst() } else { places.remove(at: index) }
    }

    func count(before place: WaitingJob.Place) -> Int { index(of: place) - places.startIndex }

    /// The index of the first place that does not come before this one.
    private func index(of place: WaitingJob.Place) -> Int {
        var (low, high) = (places.startIndex, places.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
