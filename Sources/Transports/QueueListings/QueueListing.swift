package import KioskPrintModel

/// A queue and its jobs, from the output of `lpq`, or from what a line printer daemon says (RFC 1179 §5.3). All texts
/// come from the host: hostile until shown escaped.
package struct QueueListing: Hashable, Sendable {
    /// Whether the queue prints.
    package var state = State.unknown
    /// Whether the queue accepts jobs; nil where the output does not say.
    package var isAccepting: Bool?
    /// Whether the host has no such queue.
    package var isMissing = false
    /// The jobs in the order in which they will print.
    package var jobs: [QueuedJob] = []
    /// Whether every line was understood, so that every job of the queue is listed. Only then is a job that is missing
    /// here not in the queue.
    package var isComplete = false
    /// Other messages about the queue: "waiting for lp to become ready (offline ?)".
    package var messages: [String] = []

    package enum State: Hashable, Sendable {
        case ready, printing
        /// Jobs stay in the queue until somebody starts it again.
        case stopped
        /// The output gives no state, or none that is understood.
        case unknown
    }

    package static let maximumMessageLength = 200

    /// A queue of which no more is known.
    package init(
        state: State = .unknown, isAccepting: Bool? = nil, isComplete: Bool = false
    ) {
        (self.state, self.isAccepting, self.isComplete) = (state, isAccepting, isComplete)
    }

    /// Keeps a message, up to a limit, cut to a readable length.
    mutating func note(_ line: some StringProtocol) {
        if messages.count < 8 { messages.append(String(line.prefix(Self.maximumMessageLength))) }
    }

    /// The messages behind a colon, for people; empty where there are none.
    package var detail: String {
        messages.isEmpty ? "" : ": " + messages.joined(separator: "; ").withoutControlCharacters.prefix(utf8Count: 300)
    }

    /// The first job with this id in its title.
    package func job(of deliveryID: String) -> QueuedJob? {
        jobs.first { $0.belongs(to: deliveryID) }
    }

    /// Whether the listing would show a job whose number is unknown.
    package var showsAll: Bool { isComplete && !jobs.contains(where: \.hidesTitle) }

    /// Whether the listing would show a job whose number is known.
    package func wouldShow(_ job: LprJobID) -> Bool { isComplete && !mayHide(job) }

    /// Whether a job may be in the listing with a hidden title.
    package func mayHide(_ job: LprJobID) -> Bool { jobs.contains { $0.number == job.number && $0.hidesTitle } }
}

extension QueueListing {
    /// Parses the output of a dialect's `lpq`.
    package init(_ lines: [Substring], dialect: LprSettings.Dialect, queue: String) {
        switch dialect {
        case .cups: self.init(cups: lines, queue: queue)
        case .lprng: self.init(lprng: lines)
        case .bsd: self.init(bsd: lines)
        }
    }
}

/// A job that waits in a queue.
package struct QueuedJob: Hashable, Sendable {
    /// The spooler's number.
    package var number: String
    /// The user who printed it; cut off by some spoolers.
    package var owner: String
    /// Its title or file name; cut off by some spoolers.
    package var title: String
    /// Whether it is being printed now.
    package var isActive = false
    /// Whether it waits until somebody releases it.
    package var isHeld = false
    /// Its size in octets, rounded up by some spoolers; nil where it is not shown.
    package var size: Int64?

    /// Whether the spooler hides its title: CUPS does so for other users' jobs, and BSD for names too long for its
    /// table.
    package var hidesTitle: Bool { title == "unknown" || title == "..." || title.hasSuffix(", ...") }

    /// Whether its title begins with a delivery's id, or with the name of our file for that delivery. The rest of the
    /// title is the caller's, and may contain another job's id.
    package func belongs(to deliveryID: String) -> Bool {
        let name = title.prefix { $0 != " " && $0 != "," }.split(separator: "/").last ?? ""
        return name == deliveryID || name.hasPrefix("\(Self.filePrefix)\(deliveryID)-")
    }

    /// The prefix of our files' names on a host; the delivery's id and a number follow.
    package static let filePrefix = ".kiosk-"
}
