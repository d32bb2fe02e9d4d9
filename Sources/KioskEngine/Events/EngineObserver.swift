public import KioskPrintModel
import KioskPrinterRegistry

/// Is told what the engine does, as metrics count it. Every call comes from the thread on which it happens, also on a
/// receipt's way: it must return at once, and must not call the engine.
public protocol EngineObserver: Sendable {
    /// A new job is on disk. `duration`: since its document had come.
    func jobAccepted(_ job: Job, after duration: Duration)
    /// The job's document is prepared, and sending it to its printer begins. `earlier`: the printer of the attempt that
    /// this one repeats; nil for the first attempt, for the first one of each copy that is sent by itself, and where a
    /// restart has forgotten it.
    func attemptBegan(_ job: Job, after earlier: PrinterID?)
    /// The first byte of a new job left for its printer. `duration`: since its document had come.
    func firstByteSent(to role: RoleName?, after duration: Duration)
    /// An attempt ended; `bytes`: how many of the document's bytes the printer accepted in it, at most.
    func attemptEnded(_ job: Job, bytes: Int64)
    /// Nobody can know from now on whether the job was printed.
    func jobUnconfirmed(_ job: Job)
    /// The job is final, or held because it is unconfirmed, and that is on disk. A held one is told again when it is
    /// final. `duration`: since its document had come; nil for a job that was held, and for one of an earlier run.
    func jobSettled(_ job: Job, after duration: Duration?)
    /// A commit is on disk. `duration`: what the disk took for it.
    func committed(in duration: Duration)
}

/// Tells the observer of the changes of jobs; does nothing where there is none.
struct JobMeasurements: Sendable {
    let observer: (any EngineObserver)?

    /// The job is on disk.
    func accepted(_ record: JobRecord, since begin: ContinuousClock.Instant) {
        observer?.jobAccepted(record.job, after: begin.duration(to: .now))
    }

    /// The job is sent to a printer now.
    func began(_ job: ActiveJob, on printer: PrinterID) {
        let earlier = job.noteAttempt(on: printer)
        observer?.attemptBegan(job.job, after: earlier)
    }

    /// An event changed the job's status.
    func changed(from before: JobStatus, to after: JobStatus) {
        guard let observer else { return }
        if after.job.bytesSent > before.job.bytesSent {
            observer.attemptEnded(after.job, bytes: after.job.bytesSent - before.job.bytesSent)
        }
        if after.job.isUnconfirmed, !before.job.isUnconfirmed { observer.jobUnconfirmed(after.job) }
    }

    /// The job's end, or that it is held, is on disk.
    func settled(_ job: ActiveJob) {
        guard let observer else { return }
        observer.jobSettled(job.job, after: job.takeAcceptedAt().map { $0.duration(to: .now) })
    }

    /// What a delivery calls when it sends the job's first byte; nil where that was measured before, or cannot be.
    func firstByte(of job: ActiveJob) -> (@Sendable () -> Void)? {
        guard let observer, let begin = job.acceptedAt, job.job.attempts == 1 else { return nil }
        let role = job.job.role
        return { observer.firstByteSent(to: role, after: begin.duration(to: .now)) }
    }
}

/// The queue and the printers at one moment, as metrics show them.
package struct EngineStanding: Sendable {
    /// The jobs that are not final, by role (nil: sent to a printer) and state.
    package var jobs: [RoleName?: [JobState: Int]] = [:]
    /// The age of the oldest job of each role that waits or is printed.
    package var oldest: [RoleName?: Duration] = [:]
    package var printers: [PrinterStatus] = []
    /// The roles of the registry in force.
    package var roles: [RoleName] = []
    /// Whether the registry's file is refused, and an earlier version is in force.
    package var isRegistryRefused = false
    /// Whether the queue cannot be stored or read.
    package var isStorageFailing = false
}

extension PrintEngine {
    /// The queue and the printers as they are now. Asks no printer.
    package func standing() -> EngineStanding {
        var standing = EngineStanding()
        let now = clock.now()
        for active in jobs.all {
            let job = active.shown
            standing.jobs[job.role, default: [:]][job.state, default: 0] += 1
            guard !job.isSettled else { continue }
            let begin = active.releasedAt ?? job.createdAt
            let age = Duration.milliseconds(max(0, now.millisecondsSince1970 - begin.millisecondsSince1970))
            standing.oldest[job.role] = max(standing.oldest[job.role] ?? .zero, age)
        }
        standing.printers = printers()
        standing.roles = registry.snapshot.roles.map(\.name)
        standing.isRegistryRefused = registry.problem != nil
        standing.isStorageFailing = storage.problem != nil
        return standing
    }
}
