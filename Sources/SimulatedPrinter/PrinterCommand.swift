/// Something that happens to the printer while it runs: what a person does to it, or a fault.
package enum PrinterCommand: Hashable, Sendable {
    case paperOut, paperIn, paperLow
    case coverOpen, coverClose
    case jam, unjam
    /// Printing takes so many milliseconds per 1,024 bytes; 0 is at once.
    case slow(milliseconds: Int)
    /// Reading documents from the network takes so many milliseconds per 1,024 bytes.
    case trickle(milliseconds: Int)
    /// Jobs stay at `processing` until `release`.
    case hold, release
    /// The network cable is pulled, for so many milliseconds or until `comeBack`: connections break, new ones are
    /// refused; what the printer has, it prints.
    case vanish(milliseconds: Int?)
    /// Back on the network, and on again if the power was gone.
    case comeBack
    /// All connections break; new ones are taken.
    case dropConnections
    /// The power goes once so many bytes of the next document have come: see `powerOff`.
    case dieAfter(bytes: Int64)
    /// The power goes when the next job was taken and would be answered.
    case dieBeforeAnswer
    /// The power goes now: all jobs are forgotten, job ids begin at 1 again. Back with `comeBack`.
    case powerOff
    /// So many requests to print are answered with `server-error-busy`.
    case busy(count: Int)
    /// New jobs are refused with `server-error-not-accepting-jobs`, or taken again.
    case refuse, accept
    /// So many answers are spoilt: of any requests, or only of those that brought a document (which the printer has
    /// then).
    case spoil(AnswerFault, count: Int, documentsOnly: Bool)
    /// The printer aborts the job at hand.
    case abort
    /// The printer forgets its finished jobs.
    case forget
    /// New connections are shown another certificate, with another key (or what its file holds by now).
    case newCertificate
}

extension PrinterCommand {
    /// Every command as people write it, with its meaning: the help text.
    package static let help: [(words: String, meaning: String)] = [
        ("paper out | paper in | paper low", "take the paper away, refill it, let it run low"),
        ("cover open | cover close", "open and close the cover"),
        ("jam | unjam", "jam the paper"),
        ("slow MS", "print for MS milliseconds per KB (0: at once)"),
        ("trickle MS", "read documents for MS milliseconds per KB"),
        ("hold | release", "keep jobs at processing until released"),
        ("vanish [MS] | return", "leave the network, and come back on the same port"),
        ("drop", "break all connections"),
        (
            "die now | die after N | die before answer",
            "lose power: now, after N bytes of a document, before answering for a job"
        ),
        ("busy N", "answer the next N jobs with busy"),
        ("refuse | accept", "take no jobs, take them again"),
        (
            "garbage|half|lose|mute [job] [N]",
            "spoil the next N answers (job: those for documents): no IPP, half of it, a broken connection, none"
        ),
        ("abort", "abort the job at hand"),
        ("forget", "forget finished jobs"),
        (
            "new certificate",
            "show new connections another certificate (the one of --certificate: as its file is by now)"
        ),
    ]

    /// Reads what a person wrote; nil when it is no command.
    package init?(_ line: String) {
        let words = line.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
        let number = words.last.flatMap { Int($0) }.flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
        let verb = (number == nil ? words : words.dropLast()).joined(separator: " ")
        guard let command = Self.plain[verb], number == nil else {
            guard let command = Self.numbered(verb, number) else { return nil }
            self = command
            return
        }
        self = command
    }

    private static let plain: [String: PrinterCommand] = [
        "paper out": .paperOut, "paper in": .paperIn, "paper low": .paperLow, "cover open": .coverOpen,
        "cover close": .coverClose, "cover closed": .coverClose, "jam": .jam, "unjam": .unjam, "hold": .hold,
        "release": .release, "return": .comeBack, "drop": .dropConnections, "die before answer": .dieBeforeAnswer,
        "die now": .powerOff, "refuse": .refuse, "accept": .accept, "abort": .abort, "forget": .forget,
        "new certificate": .newCertificate,
    ]

    private static func numbered(_ verb: String, _ number: Int?) -> PrinterCommand? {
        switch (verb, number) {
        case ("slow", let number?): .slow(milliseconds: number)
        case ("trickle", let number?): .trickle(milliseconds: number)
        case ("vanish", let number): .vanish(milliseconds: number)
        case ("die after", let number?): .dieAfter(bytes: Int64(number))
        case ("busy", let number): .busy(count: number ?? 1)
        default: spoil(verb, number ?? 1)
        }
    }

    private static func spoil(_ verb: String, _ count: Int) -> PrinterCommand? {
        let words = verb.split(separator: " ")
        guard let fault = words.first.flatMap({ AnswerFault(rawValue: String($0)) }),
            words.dropFirst().allSatisfy({ $0 == "job" })
        else { return nil }
        return .spoil(fault, count: count, documentsOnly: words.count > 1)
    }

    /// Whether the connection that such a command comes by does not live on.
    var breaksConnections: Bool {
        switch self {
        case .vanish, .powerOff, .dropConnections: true
        default: false
        }
    }
}

/// How an answer is spoilt.
package enum AnswerFault: String, Hashable, Sendable, CaseIterable {
    /// HTTP whose body is no IPP.
    case garbage
    /// The connection ends in the middle of the answer.
    case half
    /// The connection breaks in place of the answer.
    case lose
    /// The connection stays open and silent.
    case mute
}
