import KioskPrintModel
import KioskQueueListings
import KioskSSH

/// The reason why `lpr`, or the script around it, did not accept a document, from its exit status and its output.
enum LprFailure: Hashable, Sendable {
    case programMissing
    case queueUnknown
    case notAccepting
    case formatRefused
    /// The job was refused for this user or with this ticket: a quota, a limit of copies.
    case refused
    case denied
    /// The host's disk is full, or its spooler does not run: nothing was accepted.
    case failed
    /// The document did not arrive complete, and nothing was printed.
    case cutOff
    /// `lpr` succeeded without reading or keeping the whole document: a part of it may print.
    case acceptedInPart
    /// It ended, and it is unknown whether the spooler has the job.
    case unclear

    init(_ result: RemoteResult) {
        // A response begins only after lpr has accepted the job, so a later failure is not lpr's.
        guard result.response == nil, case .status(let status) = result.exit else {
            self = .unclear
            return
        }
        switch status {
        case RemoteStatus.programMissing where !result.reachedLpr || Self.isMissing(result.lprOutput.lowercased()):
            self = .programMissing
        case RemoteStatus.cutOff where !result.reachedLpr: self = .cutOff
        case RemoteStatus.cannotStore where !result.reachedLpr,
            RemoteStatus.cannotConvert where !result.reachedLpr:
            self = .failed
        case RemoteStatus.acceptedInPart: self = .acceptedInPart
        case ..<128: self = Self.meaning(of: result.lprOutput.lowercased()) ?? .unclear
        default: self = .unclear
        }
    }

    /// Whether a shell, or `setsid` of util-linux or busybox, did not find `lpr`. A site's own `lpr` may end with the
    /// same status because it found another program missing, when it has handed the document over.
    private static func isMissing(_ output: String) -> Bool {
        let phrases = [
            ": lpr: not found", ": lpr: command not found", "command not found: lpr",
            "failed to execute lpr: no such file",
            "can't execute 'lpr': no such file",
        ]
        return phrases.contains { output.firstRange(ofText: $0) != nil }
    }

    private static func meaning(of output: String) -> LprFailure? {
        if let phrase = phrases.first(where: { output.firstRange(ofText: $0.text) != nil }) { return phrase.meaning }
        let own = output.split(separator: "\n").filter { $0.hasPrefix("lpr:") }.joined(separator: "\n")
        return ownPhrases.first { own.firstRange(ofText: $0.text) != nil }?.meaning
    }

    /// The messages of the dialects, from their sources, and of the quota programs of sites, in lower case.
    private static let phrases: [(text: String, meaning: LprFailure)] = [
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
        // The messages of shells, and of setsid in util-linux and busybox.
        (": lpr: permission denied", .denied), ("failed to execute lpr: permission denied", .denied),
        ("can't execute 'lpr': permission denied", .denied),
    ]
    /// Phrases that are too common to mean anything outside `lpr`'s own lines.
    private static let ownPhrases: [(text: String, meaning: LprFailure)] = [
        ("quota", .refused), ("permission denied", .denied),
    ]

    var mayPrint: Bool { self == .unclear || self == .acceptedInPart }

    var code: TransportError.Code {
        switch self {
        case .programMissing: .programMissing
        case .queueUnknown: .printerNotFound
        case .notAccepting: .printerNotAccepting
        case .formatRefused: .formatRefused
        case .refused: .jobRefused
        case .denied: .accessDenied
        case .failed, .acceptedInPart, .unclear: .printerFailed
        case .cutOff: .connectionLost
        }
    }
}

extension LprDelivery {
    /// Explains the failure for people. `queue`: the queue, if `lpq` was queried in addition.
    func failure(_ failure: LprFailure, _ result: RemoteResult, queue: QueueListing?) -> TransportError {
        if let queue, !queue.isMissing {
            return error(
                .failed,
                "the host could not accept the job (lpq on the host said\(queue.detail)); correct that on the host",
                result)
        }
        let (printer, said) = (
            client.printer, "\(result.reachedLpr ? "lpr on the host" : "the host") said: \(result.deliveryMessage)"
        )
        switch failure {
        case .programMissing:
            client.host.invalidateFacts()
            return client.missing("lpr", package: "cups-bsd")
        case .queueUnknown:
            return error(
                failure,
                "the host has no queue \(client.queue) (\(said)); correct the printer's URL, or set up the queue there",
                result)
        case .notAccepting:
            return error(failure, "the queue accepts no jobs (\(said)); let it accept jobs on the host", result)
        case .formatRefused:
            return error(
                failure,
                "the queue does not accept \(delivery.document.format) (\(said)); send the document in another format",
                result)
        case .refused:
            return error(
                failure,
                "the host refused the job (\(said)); ask whoever looks after the host, or print on another queue",
                result)
        case .denied:
            return error(
                failure,
                "the host does not let \(printer.user ?? "this user") print there (\(said)); allow it on the host",
                result)
        case .failed:
            return error(failure, "the host could not accept the job (\(said)); correct that on the host", result)
        case .cutOff:
            return error(
                failure,
                "the document did not reach the host whole, and nothing was printed; check the network, and send it "
                    + "again",
                result)
        case .acceptedInPart:
            let cause = result.deliveryMessage.isEmpty ? "" : " (\(said))"
            return error(
                failure,
                "lpr on the host accepted only a part of the document\(cause), and that may print; look at the printer, "
                    + "and correct lpr on the host",
                result)
        case .unclear:
            // The host may have changed to another lpr since its facts were read.
            client.host.invalidateFacts()
            let cause = result.deliveryMessage.isEmpty ? "lpr said nothing" : said
            return error(
                failure,
                "lpr on the host failed (\(result.exit); \(cause)); look on the host whether the job is in the queue",
                result)
        }
    }

    private func error(_ failure: LprFailure, _ message: String, _ result: RemoteResult) -> TransportError {
        TransportError(
            failure.code, operation: "lpr", message: "\(client.printer): \(message)",
            bytesAccepted: failure.mayPrint ? length : 0,
            underlying: result.exit.native
        )
    }
}
