/// What `lpq` says of a queue and the jobs in it. All texts come from the host: hostile until shown escaped.
struct QueueListing: Hashable, Sendable {
    /// Whether the queue prints.
    var state = State.unknown
    /// Nil where it is not said.
    var isAccepting: Bool?
    /// The host has no such queue.
    var isMissing = false
    /// In the order in which they will print.
    var jobs: [QueuedJob] = []
    /// Whether every job in the queue stands here, as far as every line was understood: only then is one that is not here
    /// not in the queue.
    var isComplete = false
    /// What is said of the queue beside: "waiting for lp to become ready (offline ?)".
    var messages: [String] = []

    enum State: Hashable, Sendable {
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

    static let longestMessage = 200

    /// The first job with this id in its title.
    func job(of deliveryID: String) -> QueuedJob? {
        jobs.first { $0.isOf(deliveryID) }
    }
}

/// A job that waits in a queue.
struct QueuedJob: Hashable, Sendable {
    /// The spooler's number.
    var number: String
    /// Who printed it; cut off by some.
    var owner: String
    /// Its title or file name; cut off by some.
    var title: String
    /// It is being printed now.
    var isActive = false
    /// It does not print until somebody releases it.
    var isHeld = false

    /// Whether an id is one of the title's words, or of a file name's parts.
    func isOf(_ deliveryID: String) -> Bool {
        title.split { $0 == " " || $0 == "/" || $0 == "," }.contains { $0 == deliveryID }
    }
}
