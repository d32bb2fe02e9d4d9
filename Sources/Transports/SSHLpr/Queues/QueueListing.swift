/// What `lpq` says of a queue and the jobs in it. All texts come from the host: hostile until shown escaped.
package struct QueueListing: Hashable, Sendable {
    /// Whether the queue prints.
    package var state = State.unknown
    /// Nil where it is not said.
    package var isAccepting: Bool?
    /// The host has no such queue.
    package var isMissing = false
    /// In the order in which they will print.
    package var jobs: [QueuedJob] = []
    /// Whether every job in the queue stands here, as far as every line was understood: only then is one that is not
    /// here not in the queue.
    package var isComplete = false
    /// What is said of the queue beside: "waiting for lp to become ready (offline ?)".
    package var messages: [String] = []

    package enum State: Hashable, Sendable {
        case ready, printing
        /// Jobs stay in it until somebody lets it print again.
        case stopped
        /// Nothing was said, or nothing that is understood.
        case unknown
    }

    /// Keeps the first of such lines, each cut to a length that people read.
    mutating func note(_ line: some StringProtocol) {
        if messages.count < 8 { messages.append(String(line.prefix(Self.longestMessage))) }
    }

    package static let longestMessage = 200

    /// The first job with this id in its title.
    package func job(of deliveryID: String) -> QueuedJob? {
        jobs.first { $0.isOf(deliveryID) }
    }

    /// Whether a job whose number is not known would be seen in it.
    var showsAll: Bool { isComplete && !jobs.contains(where: \.isNameless) }

    /// Whether a job of a known number would be seen in it.
    func wouldShow(_ job: LprJobID) -> Bool { isComplete && !mayHide(job) }

    /// Whether a job may be one whose title the host keeps to itself.
    func mayHide(_ job: LprJobID) -> Bool { jobs.contains { $0.number == job.number && $0.isNameless } }
}

/// A job that waits in a queue.
package struct QueuedJob: Hashable, Sendable {
    /// The spooler's number.
    package var number: String
    /// Who printed it; cut off by some.
    package var owner: String
    /// Its title or file name; cut off by some.
    package var title: String
    /// It is being printed now.
    package var isActive = false
    /// It does not print until somebody releases it.
    package var isHeld = false
    /// In octets, rounded up by some; nil where it is not told.
    package var size: Int64?

    /// CUPS has this for titles of other people's jobs, and BSD for file names that are too long for its table.
    var isNameless: Bool { title == "unknown" || title == "..." || title.hasSuffix(", ...") }

    /// Whether its title begins with an id, or with the name of a file of ours that bears it. What follows is the
    /// caller's own, and may be another job's id.
    func isOf(_ deliveryID: String) -> Bool {
        let name = title.prefix { $0 != " " && $0 != "," }.split(separator: "/").last ?? ""
        return name == deliveryID || name.hasPrefix("\(Self.filePrefix)\(deliveryID)-")
    }

    /// What the names of our files on a host begin with; the delivery's id and a number follow.
    static let filePrefix = ".kiosk-"
}
