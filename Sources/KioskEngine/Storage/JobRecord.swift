internal import PrintModel

/// A job as it is stored: what everyone sees, and what only the engine needs to go on with it after a restart.
struct JobRecord: Hashable, Sendable {
    var job: Job
    var stage: Stage
    /// The name of a large document's file in the documents folder; small documents lie in the database.
    var documentFile: String?
    /// Where the caller sent it: a role, or one printer and no other.
    var destination: WaitingJob.Destination
    /// How often it was printed again because its fate was unknown.
    var reprints: Int
    /// When the present attempt began to send; for the question whether a printer's history proves anything.
    var sentAt: Timestamp?
    /// The device that the present attempt went to: a printer's URL may change under its id.
    var sentTo: PrinterURL?
    /// The printer is to stop it, as soon as it can be told.
    var isCancelRequested: Bool

    init(job: Job, destination: WaitingJob.Destination) {
        self.job = job
        self.stage = .waiting
        self.destination = destination
        self.reprints = 0
        self.isCancelRequested = false
    }

    /// Puts down that a byte may reach this printer's paper from now on; the printer is asked about it after a crash.
    mutating func beginSending(to printer: SavedPrinter, at now: Timestamp) {
        stage = .sending
        sentAt = now
        sentTo = printer.url
        job.printer = printer.id
        job.state = .processing
        job.stateReasons = ["job-outgoing"]
        job.message = nil
        job.attempts += 1
        job.bytesSent = 0
        job.remoteJob = nil
        if job.processingAt == nil { job.processingAt = now }
    }

    var isPinned: Bool {
        if case .printer = destination { true } else { false }
    }

    /// What a restart has to do about the job.
    enum Stage: Int, Sendable {
        /// No byte can have reached paper: send.
        case waiting = 0
        /// Sending was begun: ask the printer whether it has the job.
        case sending = 1
        /// The printer took it: follow it.
        case following = 2
        /// Its fate is unknown and an operator decides.
        case held = 3
        /// Final.
        case done = 4
    }
}
