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
    /// It ended, and whether the spooler has the job nobody said.
    case unclear

    init(_ result: RemoteResult) {
        switch result.exit {
        case .status(RemoteStatus.programMissing): self = .programMissing
        case .status(RemoteStatus.cutOff): self = .cutOff
        case .status(RemoteStatus.cannotStore), .status(RemoteStatus.cannotConvert): self = .failed
        case .status(let status) where status < 128:
            let words = String(decoding: (result.errorOutput + result.output).prefix(16 * 1024), as: UTF8.self).lowercased()
            self = Self.phrases.first { words.firstRange(ofText: $0.words) != nil }?.meaning ?? .unclear
        default: self = .unclear
        }
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
        // It ends the request even where it gave up on its input ("- OK."), and the part may print then; not where cupsd has
        // hung up or refused it (HTTP 413), as it does where its disk is full.
        ("unable to queue from stdin - connection reset", .failed), ("unable to queue from stdin - broken pipe", .failed),
        ("unable to queue from stdin - request entity too large", .failed),
        // LPRng: common/lpd_rcvjob.c, common/lpr.c.
        ("does not exist on server", .queueUnknown), ("spooling disabled", .notAccepting),
        ("copies allowed", .refused), ("job size", .refused), ("no permission", .denied), ("no space left", .failed),
        // BSD: lpr/lpr.c.
        (": unknown printer", .queueUnknown), ("printer queue is disabled", .notAccepting),
        ("copy file is too large", .refused), ("not a member of the group", .denied),
        // The system, and quota programs.
        ("disk quota exceeded", .failed), ("file too large", .failed), ("read-only file system", .failed),
        ("quota", .refused), ("page limit", .refused), ("permission denied", .denied),
    ]

    var code: TransportError.Code {
        switch self {
        case .programMissing: .programMissing
        case .queueUnknown: .printerNotFound
        case .notAccepting: .printerNotAccepting
        case .formatRefused: .formatRefused
        case .refused: .jobRefused
        case .denied: .accessDenied
        case .failed, .unclear: .printerFailed
        case .cutOff: .connectionLost
        }
    }
}
