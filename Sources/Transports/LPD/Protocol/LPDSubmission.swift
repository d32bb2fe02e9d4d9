/// The state machine that submits one job to a line printer daemon (RFC 1179 §5.2, §6): what to send next, and what the
/// daemon's octets mean. Has no I/O and no clock.
package struct LPDSubmission: Sendable {
    /// The parts of a submission that the daemon acknowledges, each with one octet.
    package enum Step: Hashable, Sendable, CaseIterable {
        case receiveJob, controlCommand, controlFile, dataCommand, dataFile

        /// What the daemon was sent, for people.
        package var name: String {
            switch self {
            case .receiveJob: "the announcement of a job"
            case .controlCommand: "the announcement of the control file"
            case .controlFile: "the control file"
            case .dataCommand: "the announcement of the data"
            case .dataFile: "the data"
            }
        }
    }

    /// The order of the two files. Most daemons take either; some devices print only what they get in theirs.
    package enum Order: Hashable, Sendable {
        case controlFirst, dataFirst
    }

    package enum Action: Hashable, Sendable {
        /// Send these bytes; the daemon answers with an octet.
        case send([UInt8])
        /// Send the document, then call `documentSent()`.
        case sendDocument
        /// The daemon has accepted the job.
        case accepted
        /// The daemon refused a part with this octet; nothing more is to be sent.
        case refused(Step, UInt8)
        /// The daemon acknowledged what it has not got yet.
        case premature
    }

    /// What the daemon is to acknowledge next.
    package var step: Step { steps[min(index, steps.count - 1)] }

    private let queue: String
    private let job: LPDJob
    private let length: Int64
    private let steps: [Step]
    private var index = 0
    private var isAwaiting = false

    package init(_ job: LPDJob, queue: String, length: Int64, order: Order = .controlFirst) {
        (self.job, self.queue, self.length) = (job, queue, length)
        let (control, data): ([Step], [Step]) = ([.controlCommand, .controlFile], [.dataCommand, .dataFile])
        steps = [.receiveJob] + (order == .controlFirst ? control + data : data + control)
    }

    /// Returns what to send first.
    package mutating func start() -> Action { next() }

    /// Takes an octet of the daemon. Zero is an acknowledgement (RFC 1179 §6).
    package mutating func receive(_ octet: UInt8) -> Action {
        guard octet == 0 else { return .refused(step, octet) }
        guard isAwaiting else { return .premature }
        isAwaiting = false
        guard index < steps.count - 1 else { return .accepted }
        index += 1
        return next()
    }

    /// Returns what follows the document: the octet that ends it (RFC 1179 §6.3).
    package mutating func documentSent() -> Action {
        isAwaiting = true
        return .send([0])
    }

    private mutating func next() -> Action {
        isAwaiting = step != .dataFile
        switch step {
        case .receiveJob: return .send(LPDCommand.receiveJob(queue: queue).bytes)
        case .controlCommand:
            return .send(
                LPDCommand.controlFile(name: job.controlFileName, length: job.controlFile.count).bytes)
        case .controlFile: return .send(job.controlFile + [0])
        case .dataCommand: return .send(LPDCommand.dataFile(name: job.dataFileName, length: length).bytes)
        case .dataFile: return .sendDocument
        }
    }
}
