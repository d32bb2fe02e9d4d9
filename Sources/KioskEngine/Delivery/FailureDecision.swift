import KioskPrintModel

/// What to do after a delivery failed, decided by what is known and nothing else.
enum FailureDecision: Hashable, Sendable {
    /// The printer is fine and took nothing: the same printer again, soon.
    case retrySoon
    /// The printer took nothing and cannot be used now: another candidate, or this one when it is back.
    case passOver(Availability)
    /// The printer took nothing and never will take this job.
    case refused
    /// The printer may have the job: ask it.
    case ask
    /// The printer has the job under a known name: follow it.
    case follow(RemoteJob)
    /// Our own document cannot be read.
    case abort
    /// The printer may have printed the job, and nobody can tell.
    case doubt

    init(_ error: TransportError) {
        if error.code == .outcomeUnknown {
            self = .doubt
        } else if let remoteJob = error.remoteJob {
            self = .follow(remoteJob)
        } else if error.code == .documentUnreadable {
            self = error.bytesAccepted > 0 ? .ask : .abort
        } else if error.bytesAccepted > 0 {
            self = .ask
        } else {
            self.init(withoutBytes: error)
        }
    }

    private init(withoutBytes error: TransportError) {
        switch error.code {
        case .printerBusy:
            self = .retrySoon
        case .jobRefused, .formatRefused, .notSupported:
            self = .refused
        case .printerNotAccepting:
            let reason = StateReason(keyword: "not-accepting-jobs", severity: .error)
            self = .passOver(Availability(.stopped, reasons: [reason], message: error.message))
        default:
            let obstacle = Obstacle(error.code)
            let reasons = obstacle.map { [StateReason(keyword: $0.keyword, severity: .error)] } ?? []
            self = .passOver(
                Availability(obstacle?.availability ?? .unreachable, reasons: reasons, message: error.message))
        }
    }
}

/// What keeps a printer that answers from being used until somebody acts: its identity is not proven, we are not let
/// in, or the host before it lacks what printing through it takes.
struct Obstacle: Hashable, Sendable {
    let code: TransportError.Code

    /// Nil for an error that passes without anybody's doing.
    init?(_ code: TransportError.Code) {
        guard Self.codes.contains(code) else { return nil }
        self.code = code
    }

    private static let codes: [TransportError.Code] = [
        .certificateUntrusted, .certificateChanged, .certificateNotAccepted, .tlsRequired, .tlsFailed,
        .hostKeyUnknown, .hostKeyChanged, .hostKeyRevoked, .identityChanged, .noCommonAlgorithm,
        .programMissing,
        .authenticationRequired, .loginRefused, .accessDenied, .credentialsUnusable,
    ]

    /// The printer's state reason, and the health check's code.
    var keyword: String { code.description }

    /// A handshake that fails may be a printer that just starts; all else is a response.
    var availability: Availability.State { code == .tlsFailed ? .unreachable : .stopped }

    /// Whether another device may stand in the printer's place, or one whose key is in wrong hands.
    var isAboutIdentity: Bool {
        [.certificateChanged, .hostKeyChanged, .hostKeyRevoked, .identityChanged].contains(code)
    }

    /// Whether an admin has to look at it though nothing is to be printed there: at the printer's identity, or at the
    /// login that is saved for it.
    var isAboutTrust: Bool {
        isAboutIdentity
            || [
                .certificateUntrusted, .certificateNotAccepted, .tlsRequired, .hostKeyUnknown, .credentialsUnusable,
            ].contains(code)
    }

    enum Pace: Hashable {
        /// Like any printer that is not available.
        case usual
        /// It answers, but not as a printer does, or takes no jobs: that is over soon, or not for long.
        case growing
        /// It answers, and will say the same for a while.
        case slow
        /// Directories lock an account after a handful of wrong passwords.
        case rare
    }

    var pace: Pace {
        switch code {
        case .tlsFailed: .usual
        case .loginRefused: .rare
        default: .slow
        }
    }
}

extension Obstacle.Pace {
    /// How often a printer is asked whose contact failed, and that nobody has to let us in to.
    init(after code: TransportError.Code) {
        let isAnswer = [.protocolViolation, .printerNotFound, .printerFailed, .printerBusy, .notSupported].contains(
            code)
        self = isAnswer ? .growing : .usual
    }

    /// How often a printer is asked that says this of itself. Whatever a person mends at the printer is seen at once.
    init(of availability: Availability) {
        let errors = availability.reasons.filter { $0.severity == .error }
        let isClosed = availability.state == .stopped && !errors.isEmpty
        self = isClosed && errors.allSatisfy { $0.keyword == "not-accepting-jobs" } ? .growing : .usual
    }
}
