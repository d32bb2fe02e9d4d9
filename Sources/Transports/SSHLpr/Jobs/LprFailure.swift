import PrintModel
import SSH

/// Why `lpr`, or the script around it, did not take a document: from its exit status and its own words.
enum LprFailure: Hashable, Sendable {
    case programMissing
    case queueUnknown
    case notAccepting
    case formatRefused
    /// Not for this user, or not as the ticket has it: a quota, a limit of copies.
    case refused
    case denied
    /// The host's disk is full, or its spooler does not run: nothing was taken.
    case failed
    /// The document did not come whole, and nothing was printed.
    case cutOff
    /// `lpr` ended well and had not read or kept the whole document: a part of it may print.
    case takenInPart
    /// It ended, and whether the spooler has the job nobody said.
    case unclear

    init(_ result: RemoteResult) {
        // The answer only begins when lpr has taken the job: what follows it says nothing of that.
        guard result.answer == nil, case .status(let status) = result.exit else {
            self = .unclear
            return
        }
        switch status {
        case RemoteStatus.programMissing where !result.hasReachedLpr || Self.isMissing(result.lprWords.lowercased()):
            self = .programMissing
        case RemoteStatus.cutOff where !result.hasReachedLpr: self = .cutOff
        case RemoteStatus.cannotStore where !result.hasReachedLpr,
            RemoteStatus.cannotConvert where !result.hasReachedLpr:
            self = .failed
        case RemoteStatus.takenInPart: self = .takenInPart
        case ..<128: self = Self.meaning(of: result.lprWords.lowercased()) ?? .unclear
        default: self = .unclear
        }
    }

    /// As shells say it, and `setsid` of util-linux and busybox. A site's own `lpr` may end with the same status
    /// because it found another program missing, when it has handed the document over.
    private static func isMissing(_ words: String) -> Bool {
        let phrases = [
            ": lpr: not found", ": lpr: command not found", "command not found: lpr",
            "failed to execute lpr: no such file",
            "can't execute 'lpr': no such file",
        ]
        return phrases.contains { words.firstRange(ofText: $0) != nil }
    }

    private static func meaning(of words: String) -> LprFailure? {
        if let phrase = phrases.first(where: { words.firstRange(ofText: $0.words) != nil }) { return phrase.meaning }
        let own = words.split(separator: "\n").filter { $0.hasPrefix("lpr:") }.joined(separator: "\n")
        return ownPhrases.first { own.firstRange(ofText: $0.words) != nil }?.meaning
    }

    /// What the dialects say, in lower case, as their sources have it, and quota programs as sites have them.
    private static let phrases: [(words: String, meaning: LprFailure)] = [
        // CUPS: cups/dest.c, scheduler/ipp.c, berkeley/lpr.c.
        ("printer or class does not exist", .queueUnknown), ("unknown destination", .queueUnknown),
        ("is not accepting jobs", .notAccepting), ("unsupported document-format", .formatRefused),
        ("unsupported format", .formatRefused),
        ("not allowed to print", .denied), ("forbidden", .denied), ("unauthorized", .denied),
        ("quota limit reached", .refused), ("too many active jobs", .failed),
        ("unable to connect", .failed), ("connection refused", .failed), ("scheduler not responding", .failed),
        // It ends the request even where it gave up on its input ("- OK."), and the part may print then; not where
        // cupsd has hung up or refused it (HTTP 413), as it does where its disk is full.
        ("unable to queue from stdin - connection reset", .failed),
        ("unable to queue from stdin - broken pipe", .failed),
        ("unable to queue from stdin - request entity too large", .failed),
        // LPRng: common/lpd_rcvjob.c, common/lpr.c.
        ("does not exist on server", .queueUnknown), ("spooling disabled", .notAccepting),
        ("copies allowed", .refused), ("job size", .refused), ("no permission", .denied), ("no space left", .failed),
        // BSD: lpr/lpr.c.
        (": unknown printer", .queueUnknown), ("printer queue is disabled", .notAccepting),
        ("copy file is too large", .refused), ("not a member of the group", .denied),
        // The system, and quota programs.
        ("disk quota exceeded", .failed), ("file too large", .failed), ("read-only file system", .failed),
        ("quota exceeded", .refused), ("quota is used up", .refused), ("over quota", .refused),
        ("page limit", .refused),
        // A shell's words, and setsid's of util-linux and busybox.
        (": lpr: permission denied", .denied), ("failed to execute lpr: permission denied", .denied),
        ("can't execute 'lpr': permission denied", .denied),
    ]
    /// Too common to mean anything but in a line of `lpr`'s own.
    private static let ownPhrases: [(words: String, meaning: LprFailure)] = [
        ("quota", .refused), ("permission denied", .denied),
    ]

    var mayPrint: Bool { self == .unclear || self == .takenInPart }

    var code: TransportError.Code {
        switch self {
        case .programMissing: .programMissing
        case .queueUnknown: .printerNotFound
        case .notAccepting: .printerNotAccepting
        case .formatRefused: .formatRefused
        case .refused: .jobRefused
        case .denied: .accessDenied
        case .failed, .takenInPart, .unclear: .printerFailed
        case .cutOff: .connectionLost
        }
    }
}
