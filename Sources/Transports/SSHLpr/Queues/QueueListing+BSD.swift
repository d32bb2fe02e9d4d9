import PrintModel

extension QueueListing {
    /// Reads what BSD's `lpq` writes (`lpr/common_source/displayq.c`): warnings, the daemon's own status in any words,
    /// then `no entries` or a table. What a queue on yet another host says follows below.
    init(bsd lines: [Substring]) {
        var isTable = false
        var isUnderstood = true
        var hasWarning = false
        for line in lines where !line.isEmpty {
            if line.hasPrefix("Rank ") {
                (isTable, isComplete) = (true, true)
            } else if line == "no entries" {
                (isTable, isComplete) = (false, true)
                if state == .unknown { state = .ready }
            } else if isTable {
                if let job = QueuedJob(bsd: line) { jobs.append(job) } else { isUnderstood = false }
            } else if line.hasPrefix("lpq: ") {
                note(line)
                if line.hasSuffix(": unknown printer") { isMissing = true }
                isUnderstood = false
            } else if line.hasPrefix("Warning: ") {
                hasWarning = true
                takeWarning(line.dropFirst("Warning: ".count))
            } else {
                takeStatus(line)
            }
        }
        isComplete = isComplete && isUnderstood
        if isComplete, isAccepting == nil, !hasWarning { isAccepting = true }
    }

    /// `lp is down: REASON`, `lp queue is turned off`, `no daemon present`.
    private mutating func takeWarning(_ words: Substring) {
        if words.hasSuffix(" queue is turned off") {
            isAccepting = false
        } else if let mark = String(words).firstRange(ofText: " is down: ") {
            state = .stopped
            note(String(words)[mark.upperBound...])
        } else {
            note(words)
        }
    }

    /// What the daemon last wrote into its status file.
    private mutating func takeStatus(_ line: Substring) {
        if line.hasSuffix(" is ready and printing") {
            if state == .unknown { state = .printing }
        } else if line == "printing disabled" {
            state = .stopped
        } else {
            note(line)
        }
    }
}

extension QueuedJob {
    /// `%-7s%-11.10s%-5d%-38s%ld bytes`: rank, owner, number, files, size.
    fileprivate init?(bsd line: Substring) {
        var reader = LineReader(line)
        guard let rank = reader.word(), let isActive = QueueRank.isActive(rank) else { return nil }
        let owner = reader.column(11)
        guard let number = reader.number(), let (title, size) = reader.textAndSize() else { return nil }
        self.init(number: number, owner: owner, title: title, isActive: isActive, size: size)
    }
}
