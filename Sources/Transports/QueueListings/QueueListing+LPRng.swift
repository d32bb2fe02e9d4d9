import KioskPrintModel

extension QueueListing {
    /// Parses the output of LPRng's `lpq -v` (`common/lpd_status.c`): the queue's lines, then the lines of each job,
    /// including its control file. Only this format has a job's whole title.
    init(lprng lines: [Substring]) {
        var announced = 0
        var isCounted = false
        var job: LprngJob?
        var lastStatus = Substring()
        func finish() { if let queued = job?.queued { jobs.append(queued) } }
        for line in lines {
            if let begun = LprngJob(header: line) {
                if begun.isSame(as: job) { continue }
                finish()
                job = begun
            } else if job != nil {
                job?.read(line)
            } else if line.hasPrefix("Printer: ") {
                readHead(line)
            } else if let count = Self.count(line) {
                announced += count
                isCounted = true
            } else if line.hasPrefix(" Status: ") {
                lastStatus = line.dropFirst(" Status: ".count)
            } else {
                readSwitch(line)
            }
        }
        finish()
        // Most status lines are the daemon's routine.
        if StateReasonPhrases.reason(in: String(lastStatus.prefix(Self.maximumMessageLength))) != nil {
            note(lastStatus)
        }
        isComplete = isCounted && jobs.count == announced
        if state == .ready, jobs.contains(where: \.isActive) { state = .printing }
    }

    /// Parses `Printer: receipt@localhost`, which an error may follow.
    private mutating func readHead(_ line: Substring) {
        guard let label = String(line).firstRange(ofText: "ERROR: ") else { return }
        let message = String(String(line)[label.upperBound...])
        note(message)
        if message.firstRange(ofText: "does not exist") != nil { isMissing = true }
    }

    /// Parses the switches; `yes` means that printing or spooling is disabled.
    private mutating func readSwitch(_ line: Substring) {
        switch line {
        case " Printing: no": if state == .unknown { state = .ready }
        case " Printing: yes", " Aborted: yes": state = .stopped
        case " Spooling: no": isAccepting = true
        case " Spooling: yes": isAccepting = false
        default: break
        }
    }

    /// Parses ` Queue: 2 printable jobs`, ` Queue: no printable jobs in queue`, ` Holding: 1 held jobs in queue`.
    private static func count(_ line: Substring) -> Int? {
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count >= 3, words[0] == "Queue:" || words[0] == "Holding:" else { return nil }
        if words[1] == "no" { return 0 }
        guard words[1].utf8.count < 10, let count = Int(words[1]), count >= 0 else { return nil }
        return count
    }
}

/// The lines of a job in LPRng's long format.
private struct LprngJob {
    private let name: Substring
    private let status: Substring
    private var number: String?
    private var owner = ""
    private var title = ""

    /// Parses ` Job: root@localhost+12 status= 1`; nil for any other line.
    init?(header line: Substring) {
        guard line.hasPrefix(" Job: ") else { return nil }
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count == 4, words[2] == "status=" else { return nil }
        name = words[1]
        status = words[3]
    }

    func isSame(as other: LprngJob?) -> Bool { name == other?.name }

    /// Reads a line of the job's hold file: a key, `=`, a value. The first line of a key counts.
    mutating func read(_ line: Substring) {
        if line.hasPrefix("number="), number == nil {
            number = Self.number(line.dropFirst("number=".count))
        } else if line.hasPrefix("J="), title.isEmpty {
            title = String(line.dropFirst(2))
        } else if line.hasPrefix("P="), owner.isEmpty {
            owner = String(line.dropFirst(2))
        }
    }

    /// The number without leading zeros, as `lprm` and the short format have it.
    private static func number(_ text: Substring) -> String? {
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let digits = text.drop { $0 == "0" }
        return digits.isEmpty ? "0" : String(digits)
    }

    /// The job in the queue; nil for one that has ended, and for one without a number.
    var queued: QueuedJob? {
        guard let number, status != "done", status != "remove" else { return nil }
        // Of a job that lpd has not read whole yet it tells no place.
        let isWaiting =
            status == "incoming" || status.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isActive = status == "active" || status.hasPrefix("stalled")
        return QueuedJob(
            number: number, owner: owner, title: title, isActive: isActive, isHeld: !isWaiting && !isActive)
    }
}
