import PrintModel

extension QueueListing {
    /// Reads what LPRng's `lpq -v` writes (`common/lpd_status.c`): the queue's own lines, then each job's lines, from
    /// the control file too. Only this form has a job's whole title.
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
                job?.take(line)
            } else if line.hasPrefix("Printer: ") {
                takeHead(line)
            } else if let count = Self.count(line) {
                announced += count
                isCounted = true
            } else if line.hasPrefix(" Status: ") {
                lastStatus = line.dropFirst(" Status: ".count)
            } else {
                takeSwitch(line)
            }
        }
        finish()
        // Most of what it notes is the daemon's daily work.
        if TroubleWords.reason(in: String(lastStatus.prefix(Self.longestMessage))) != nil { note(lastStatus) }
        isComplete = isCounted && jobs.count == announced
        if state == .ready, jobs.contains(where: \.isActive) { state = .printing }
    }

    /// `Printer: receipt@localhost`, and an error behind it where there is one.
    private mutating func takeHead(_ line: Substring) {
        guard let mark = String(line).firstRange(ofText: "ERROR: ") else { return }
        let words = String(String(line)[mark.upperBound...])
        note(words)
        if words.firstRange(ofText: "does not exist") != nil { isMissing = true }
    }

    /// What `yes` stands behind is what is switched off.
    private mutating func takeSwitch(_ line: Substring) {
        switch line {
        case " Printing: no": if state == .unknown { state = .ready }
        case " Printing: yes", " Aborted: yes": state = .stopped
        case " Spooling: no": isAccepting = true
        case " Spooling: yes": isAccepting = false
        default: break
        }
    }

    /// ` Queue: 2 printable jobs`, ` Queue: no printable jobs in queue`, ` Holding: 1 held jobs in queue`.
    private static func count(_ line: Substring) -> Int? {
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count >= 3, words[0] == "Queue:" || words[0] == "Holding:" else { return nil }
        if words[1] == "no" { return 0 }
        guard words[1].utf8.count < 10, let count = Int(words[1]), count >= 0 else { return nil }
        return count
    }
}

/// A job's lines in LPRng's long form.
private struct LprngJob {
    private let name: Substring
    private let status: Substring
    private var number: String?
    private var owner = ""
    private var title = ""

    /// ` Job: root@localhost+12 status= 1`; nil for any other line.
    init?(header line: Substring) {
        guard line.hasPrefix(" Job: ") else { return nil }
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count == 4, words[2] == "status=" else { return nil }
        name = words[1]
        status = words[3]
    }

    func isSame(as other: LprngJob?) -> Bool { name == other?.name }

    /// A line of the job's hold file: a key, `=`, a value. The first of a key counts.
    mutating func take(_ line: Substring) {
        if line.hasPrefix("number="), number == nil {
            number = Self.number(line.dropFirst("number=".count))
        } else if line.hasPrefix("J="), title.isEmpty {
            title = String(line.dropFirst(2))
        } else if line.hasPrefix("P="), owner.isEmpty {
            owner = String(line.dropFirst(2))
        }
    }

    /// Without the zeros before it, as `lprm` and the short form have it.
    private static func number(_ text: Substring) -> String? {
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let digits = text.drop { $0 == "0" }
        return digits.isEmpty ? "0" : String(digits)
    }

    /// Nil for one that has ended and is only remembered, and for one without a number.
    var queued: QueuedJob? {
        guard let number, status != "done", status != "remove" else { return nil }
        let isWaiting = status.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isActive = status == "active" || status.hasPrefix("stalled")
        return QueuedJob(
            number: number, owner: owner, title: title, isActive: isActive, isHeld: !isWaiting && !isActive)
    }
}
