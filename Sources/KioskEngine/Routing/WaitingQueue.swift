import PrintModel

/// The jobs that wait for one destination: higher priority first, then first in first out.
///
/// They wait in lanes of one kind each: the same printers are open to all of a lane, so its first stands for the rest.
struct WaitingQueue {
    private var waiting: [Int64: WaitingJob] = [:]
    private var lanes: [Kind: WaitingLane] = [:]

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

    /// In no order.
    var jobs: some Collection<WaitingJob> { waiting.values }

    /// The first job of each kind, in no order.
    var firsts: [WaitingJob] { lanes.values.compactMap { lane in lane.first.flatMap { waiting[$0.id] } } }

    /// How many come before this job.
    func count(before job: WaitingJob) -> Int { lanes.values.reduce(0) { $0 + $1.count(before: job.place) } }

    mutating func insert(_ job: WaitingJob) {
        // A job that stood here twice would be printed twice.
        remove(job.id)
        waiting[job.id] = job
        lanes[Kind(job), default: WaitingLane()].insert(job.place)
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
        lanes[kind]?.remove(job.place)
        if lanes[kind]?.first == nil { lanes[kind] = nil }
    }
}
