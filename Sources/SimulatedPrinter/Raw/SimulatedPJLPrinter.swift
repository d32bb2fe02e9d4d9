/// An office printer that understands PJL, as its host sees it (HP, "Printer Job Language Technical Reference
/// Manual"): prints the pages that it holds one after the other, and reports jobs and its status where it was told to.
/// Pages end with a form feed, as in text and PCL. No I/O and no time: the caller says when the next page is out.
struct SimulatedPJLPrinter: RawPrinter {
    /// How many bytes it holds while it does not print.
    let capacity: Int
    /// Whether it knows `USTATUS JOB`.
    let reportsJobs: Bool

    private(set) var paper: [UInt8] = []
    private(set) var lost = 0
    private var conditions: Set<RawPrinterCondition> = []
    private var answers: [UInt8] = []
    private var (reportsJobEnds, reportsStatus) = (false, false)
    /// What is still to be done, in order.
    private var steps: [Step] = []
    /// A line of PJL, or the end of a page's data, that is not complete.
    private var partial: [UInt8] = []
    private var isInPJL = false
    /// The pages of the job that is being printed.
    private var pages = 0

    private enum Step: Sendable {
        case page([UInt8])
        case begin(name: String)
        case end(name: String)

        var bytes: Int { if case .page(let bytes) = self { bytes.count } else { 0 } }
    }

    private static let exitLanguage = [0x1B] + Array("%-12345X".utf8)

    init(capacity: Int, reportsJobs: Bool) { (self.capacity, self.reportsJobs) = (capacity, reportsJobs) }

    private var held: Int { partial.count + steps.reduce(0) { $0 + $1.bytes } }
    /// A page that is larger than its memory it prints while it takes it.
    var hasRoom: Bool { held < capacity || steps.isEmpty && !isStopped }
    private var isStopped: Bool { !conditions.isDisjoint(with: [.paperOut, .coverOpen, .jam]) }
    var isPrinting: Bool { !isStopped && !steps.isEmpty }

    mutating func receive(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            partial.append(byte)
            if partial.suffix(Self.exitLanguage.count).elementsEqual(Self.exitLanguage) {
                partial.removeLast(Self.exitLanguage.count)
                if !isInPJL { endPage() }
                (isInPJL, partial) = (true, [])
            } else if isInPJL {
                receiveInPJL(byte)
            } else if byte == 0x0C {
                endPage()
            }
        }
    }

    /// The first line that is none of PJL is the document's.
    private mutating func receiveInPJL(_ byte: UInt8) {
        let start = Array("@PJL".utf8)
        if partial[0] != 0x1B, !start.starts(with: partial.prefix(start.count)) {
            isInPJL = false
            if byte == 0x0C { endPage() }
        } else if byte == 0x0A {
            execute(String(decoding: partial, as: UTF8.self))
            partial = []
        }
    }

    private mutating func endPage() {
        if !partial.isEmpty { steps.append(.page(partial)) }
        partial = []
    }

    private mutating func execute(_ line: String) {
        let words = line.split { $0.isWhitespace }.joined(separator: " ")
        let name = String(line.drop { $0 != "\"" }.dropFirst().prefix { $0 != "\"" })
        if words.hasPrefix("@PJL USTATUS JOB") { reportsJobEnds = words.hasSuffix("ON") && reportsJobs }
        if words.hasPrefix("@PJL USTATUS DEVICE") { reportsStatus = words.hasSuffix("ON") }
        if words == "@PJL INFO STATUS" { report("INFO STATUS", status) }
        if words.hasPrefix("@PJL JOB") { steps.append(.begin(name: name)) }
        if words.hasPrefix("@PJL EOJ") { steps.append(.end(name: name)) }
    }

    /// Prints the next page, or begins or ends the next job.
    mutating func printNext() {
        guard isPrinting else { return }
        switch steps.removeFirst() {
        case .page(let bytes):
            paper += bytes
            pages += 1
        case .begin(let name):
            pages = 0
            if reportsJobEnds { report("USTATUS JOB", ["START", "NAME=\"\(name)\""]) }
        case .end(let name):
            guard reportsJobEnds else { return }
            report("USTATUS JOB", ["END", "NAME=\"\(name)\"", "PAGES=\(pages)", "RESULT=OK"])
        }
    }

    mutating func takeAnswers() -> [UInt8] {
        defer { answers = [] }
        return answers
    }

    mutating func change(_ condition: RawPrinterCondition, to isOn: Bool) {
        if isOn { conditions.insert(condition) } else { conditions.remove(condition) }
        if reportsStatus { report("USTATUS DEVICE", status) }
    }

    mutating func losePower() {
        lost += held
        (steps, partial, answers, isInPJL) = ([], [], [], false)
        (reportsJobEnds, reportsStatus) = (false, false)
    }

    mutating func newHost() {
        answers = []
        (reportsJobEnds, reportsStatus) = (false, false)
    }

    private var status: [String] {
        let (code, display) =
            conditions.contains(.coverOpen)
            ? (40021, "CLOSE COVER")
            : conditions.contains(.jam)
                ? (42022, "JAM")
                : conditions.contains(.paperOut)
                    ? (41102, "LOAD A4") : steps.isEmpty && partial.isEmpty ? (10001, "READY") : (10023, "PRINTING")
        return ["CODE=\(code)", "DISPLAY=\"\(display)\"", "ONLINE=\(isStopped ? "FALSE" : "TRUE")"]
    }

    private mutating func report(_ what: String, _ lines: [String]) {
        answers += Array((["@PJL \(what)"] + lines).joined(separator: "\r\n").utf8) + Array("\r\n\u{0C}".utf8)
    }
}
