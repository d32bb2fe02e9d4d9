import Dispatch

/// A thread of its own for an actor whose methods block on the disk: the cooperative pool stays free.
final class FileExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "registry-files")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
