/// Something that happens to the printer while it runs: what a person does to it, or a fault.
package enum PrinterCommand: Hashable, Sendable {
    case paperOut, paperIn, paperLow
    case coverOpen, coverClose
    case jam, unjam
    /// Printing takes this long per 1,024 bytes; 0 prints at once.
    case slow(milliseconds: Int)
    /// Reading documents from the network takes this long per 1,024 bytes.
    case trickle(milliseconds: Int)
    /// Jobs stay at `processing` until `release`.
    case hold, release
    /// Pulls the network cable for this long, or until `goOnline`: connections break and new ones are refused. The
    /// printer prints the jobs that it has.
    case goOffline(milliseconds: Int?)
    /// Returns to the network, and switches the printer on if it has lost its power.
    case goOnline
    /// All connections break; new ones are accepted.
    case dropConnections
    /// The power goes after this many bytes of the next document: see `powerOff`.
    case losePowerAfter(bytes: Int64)
    /// The power goes after the next job was accepted and before the response to it.
    case losePowerBeforeResponse
    /// The power goes now: all jobs are forgotten and job ids start at 1 again. `goOnline` switches the printer on.
    case powerOff
    /// The next `count` requests to print get the response `server-error-busy`.
    case busy(count: Int)
    /// New jobs are rejected with `server-error-not-accepting-jobs`, or accepted again.
    case refuse, accept
    /// The next `count` responses have a fault. `documentsOnly` spares responses to requests without a document; the
    /// printer keeps the documents of the others.
    case injectFault(ResponseFault, count: Int, documentsOnly: Bool)
    /// The printer aborts the current job.
    case abort
    /// The printer forgets its finished jobs.
    case forget
    /// The printer forgets each job as soon as it has ended, or keeps a history again.
    case forgetAtEnd(Bool)
    /// The printer never answers Validate-Job, or answers it again.
    case ignoreValidation(Bool)
    /// The printer keeps none of the job template attributes that it lists, and says so of each job; or keeps them
    /// again.
    case ignoreTemplates(Bool)
    /// New connections get another certificate with another key, or the certificate that the caller's file holds by
    /// now.
    case newCertificate
}

/// A fault in a response.
package enum ResponseFault: String, Hashable, Sendable, CaseIterable {
    /// The HTTP body is not IPP.
    case garbage
    /// The connection ends in the middle of the response.
    case half
    /// The connection breaks in place of the response.
    case lose
    /// The connection stays open and silent.
    case mute
}

extension PrinterCommand {
    /// The help text: every command as people write it, with its meaning.
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
        ("forget | forget always | remember", "forget finished jobs: now, or each as soon as it ends; keep them again"),
        ("ignore validation | answer validation", "never answer Validate-Job, answer it again"),
        ("ignore tickets | heed tickets", "ignore copies, sides and the like of new jobs and say so; heed them"),
        (
            "new certificate",
            "show new connections another certificate (the one of --certificate: as its file is by now)"
        ),
    ]

    /// Parses what a person wrote; nil where it is not a command.
    package init?(_ line: String) {
        let words = line.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
        let number = words.last.flatMap { Int($0) }.flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
        let verb = (number == nil ? words : words.dropLast()).joined(separator: " ")
        guard let command = Self.withoutNumber[verb], number == nil else {
            guard let command = Self.command(verb, number) else { return nil }
            self = command
            return
        }
        self = command
    }

    private static let withoutNumber: [String: PrinterCommand] = [
        "paper out": .paperOut, "paper in": .paperIn, "paper low": .paperLow, "cover open": .coverOpen,
        "cover close": .coverClose, "cover closed": .coverClose, "jam": .jam, "unjam": .unjam, "hold": .hold,
        "release": .release, "return": .goOnline, "drop": .dropConnections,
        "die before answer": .losePowerBeforeResponse, "die now": .powerOff, "refuse": .refuse, "accept": .accept,
        "abort": .abort, "forget": .forget, "forget always": .forgetAtEnd(true), "remember": .forgetAtEnd(false),
        "ignore validation": .ignoreValidation(true), "answer validation": .ignoreValidation(false),
        "ignore tickets": .ignoreTemplates(true), "heed tickets": .ignoreTemplates(false),
        "new certificate": .newCertificate,
    ]

    private static func command(_ verb: String, _ number: Int?) -> PrinterCommand? {
        switch (verb, number) {
        case ("slow", let number?): .slow(milliseconds: number)
        case ("trickle", let number?): .trickle(milliseconds: number)
        case ("vanish", let number): .goOffline(milliseconds: number)
        case ("die after", let number?): .losePowerAfter(bytes: Int64(number))
        case ("busy", let number): .busy(count: number ?? 1)
        default: faultInjection(verb, number ?? 1)
        }
    }

    private static func faultInjection(_ verb: String, _ count: Int) -> PrinterCommand? {
        let words = verb.split(separator: " ")
        guard let fault = words.first.flatMap({ ResponseFault(rawValue: String($0)) }),
            words.dropFirst().allSatisfy({ $0 == "job" })
        else { return nil }
        return .injectFault(fault, count: count, documentsOnly: words.count > 1)
    }

    /// Whether the command breaks the connection that it came on.
    var breaksConnections: Bool {
        switch self {
        case .goOffline, .powerOff, .dropConnections: true
        default: false
        }
    }
}
