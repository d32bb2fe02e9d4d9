extension QueueListing {
    /// Reads what CUPS's `lpq` writes (`berkeley/lpq.c`): a line on the queue, then `no entries` or a table.
    init(cups lines: [Substring], queue: String) {
        var isTable = false
        var isUnderstood = true
        for line in lines where !line.isEmpty {
            if isTable {
                if let job = QueuedJob(cups: line) { jobs.append(job) } else { isUnderstood = false }
            } else if line.hasPrefix("Rank ") {
                (isTable, isComplete) = (true, true)
            } else if line == "no entries" {
                isComplete = true
            } else if let state = Self.cupsState(line, queue: queue) {
                self.state = state
            } else if line.hasPrefix("lpq: ") {
                if line.contains("nknown destination") || line.contains("does not exist") { isMissing = true }
                note(line)
                isUnderstood = false
            } else {
                isUnderstood = false
            }
        }
        isComplete = isComplete && isUnderstood
        jobs = jobs.filter(\.isActive) + jobs.filter { !$0.isActive }
    }

    private static func cupsState(_ line: Substring, queue: String) -> State? {
        guard line.hasPrefix("\(queue) is ") else { return nil }
        switch line.dropFirst(queue.count + " is ".count) {
        case "ready": return .ready
        case "ready and printing": return .printing
        case "not ready": return .stopped
        default: return nil
        }
    }
}

extension QueuedJob {
    /// `%-7s %-7.7s %-7d %-31.31s %.0f bytes`: rank, owner, number, title, size. The owner may have blanks in it.
    fileprivate init?(cups line: Substring) {
        var reader = LineReader(line)
        guard let rank = reader.word(), let isActive = QueueRank.isActive(rank) else { return nil }
        let owner = reader.column(8)
        guard let number = reader.number(), let (title, size) = reader.textAndSize() else { return nil }
        self.init(number: number, owner: owner, title: title, isActive: isActive, size: size)
    }
}
