import PrintModel

/// A job as it is stored: its life, and what only the engine needs to go on with it after a restart.
struct JobRecord: Hashable, Sendable {
    /// Alone changes what is known of the job.
    var life: JobLife
    /// The name of a large document's file in the documents folder; small documents lie in the database.
    var documentFile: String?
    /// SHA-256 of the document in hexadecimal; nil of a job that an earlier version accepted, and of one that this run
    /// did.
    var documentDigest: String?
    /// Where the caller sent it: a role, or one printer and no other.
    let destination: WaitingJob.Destination
    /// It prints again what may be on paper already.
    var isCopy = false
    /// What the request came under.
    var key: IdempotencyKey?

    init(job: Job, destination: WaitingJob.Destination) {
        self.init(life: JobLife(accepting: job, isPinned: destination.isPinned), destination: destination)
    }

    init(life: JobLife, destination: WaitingJob.Destination) {
        self.life = life
        self.destination = destination
    }

    var job: Job { life.facts.job }
    var stage: JobStage { life.facts.stage }
    var isCancelRequested: Bool { life.facts.isCancelRequested }
}
