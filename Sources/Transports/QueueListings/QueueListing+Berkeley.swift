import KioskPrintModel

extension QueueListing {
    /// Parses the output of CUPS's `lpq` (`berkeley/lpq.c`): a line about the queue, then `no entries` or a table.
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
    /// Parses `%-7s %-7.7s %-7d %-31.31s %.0f bytes`: rank, owner, number, title, size. The owner may contain blanks.
    fileprivate init?(cups line: Substring) {
        var reader = LineReader(line)
        guard let rank = reader.word(), let isActive = QueueRank.isActive(rank) else { return nil }
        let owner = reader.column(8)
        guard let number = reader.number(), let (title, size) = reader.textAndSize() else { return nil }
        self.init(number: number, owner: owner, title: title, isActive: isActive, size: size)
    }
}

extension QueueListing {
    /// Parses the output of BSD's `lpq` (`lpr/common_source/displayq.c`): warnings, the daemon's status in free text,
    /// then `no entries` or a table. The output of a queue on another host follows below.
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
                readWarning(line.dropFirst("Warning: ".count))
            } else {
                readStatus(line)
            }
        }
        isComplete = isComplete && isUnderstood
        if isComplete, isAccepting == nil, !hasWarning { isAccepting = true }
    }

    /// Parses `lp is down: REASON`, `lp queue is turned off`, `no daemon present`.
    private mutating func readWarning(_ text: Substring) {
        if text.hasSuffix(" queue is turned off") {
            isAccepting = false
        } else if let separator = String(text).firstRange(ofText: " is down: ") {
            state = .stopped
            note(String(text)[separator.upperBound...])
        } else {
            note(text)
        }
    }

    /// Parses a line of the daemon's status file.
    private mutating func readStatus(_ line: Substring) {
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
    /// Parses `%-7s%-11.10s%-5d%-38s%ld bytes`: rank, owner, number, files, size.
    fileprivate init?(bsd line: Substring) {
        var reader = LineReader(line)
        guard let rank = reader.word(), let isActive = QueueRank.isActive(rank) else { return nil }
        let owner = reader.column(11)
        guard let number = reader.number(), let (title, size) = reader.textAndSize() else { return nil }
        self.init(number: number, owner: owner, title: title, isActive: isActive, size: size)
    }
}

/// A reader of one line of a table, from its left end, in octets.
private struct LineReader {
    private var rest: Substring.UTF8View

    init(_ line: Substring) { rest = line.utf8 }

    /// Takes the text before the next blank, and the blanks behind it; nil where there is none.
    mutating func word() -> String? {
        let word = rest.prefix { $0 != Self.blank }
        guard !word.isEmpty else { return nil }
        rest = rest[word.endIndex...].drop { $0 == Self.blank }
        return String(Substring(word))
    }

    /// Takes a column of a fixed width, without the blanks at its end.
    mutating func column(_ width: Int) -> String {
        let column = rest.prefix(width)
        rest = rest[column.endIndex...].drop { $0 == Self.blank }
        return String(decoding: column, as: UTF8.self).trimmedAtEnd
    }

    /// Takes a number of 1 to 18 digits before a blank or the end.
    mutating func number() -> String? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...18).contains(digits.count) else { return nil }
        let tail = rest[digits.endIndex...]
        guard tail.first == Self.blank || tail.isEmpty else { return nil }
        rest = tail.drop { $0 == Self.blank }
        return String(Substring(digits))
    }

    /// The rest of the line and the size at its end (`1024 bytes`); nil where there is no size.
    func textAndSize() -> (text: String, size: Int64?)? {
        let unit = Array(" bytes".utf8)
        guard rest.count > unit.count, rest.suffix(unit.count).elementsEqual(unit) else { return nil }
        let text = rest.dropLast(unit.count)
        let digits = text.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        guard digits > 0 else { return nil }
        let title = text.dropLast(digits)
        guard title.isEmpty || title.last == Self.blank else { return nil }
        let size = Int64(String(decoding: text.suffix(digits), as: UTF8.self))
        return (String(decoding: title, as: UTF8.self).trimmedAtEnd, size)
    }

    private static let blank = UInt8(ascii: " ")
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// The positions in a queue that `lpq` writes: `active`, `1st`, `2nd`, `23rd`, `unknown`.
private enum QueueRank {
    /// Whether a job of this rank is being printed; nil for what is not a rank.
    static func isActive(_ word: String) -> Bool? {
        if word == "active" { return true }
        if word == "unknown" || word == "-" { return false }
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, ["st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)) else { return nil }
        return false
    }
}
