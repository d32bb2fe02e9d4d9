import PrintModel

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
        .hostKeyUnknown, .hostKeyChanged, .hostKeyRevoked, .noCommonAlgorithm, .programMissing,
        .authenticationRequired, .loginRefused, .accessDenied, .credentialsUnusable,
    ]

    /// The printer's state reason, and the health check's code.
    var keyword: String { code.description }

    /// A handshake that fails may be a printer that just starts; all else is an answer.
    var availability: Availability.State { code == .tlsFailed ? .unreachable : .stopped }

    /// Whether another device may stand in the printer's place, or one whose key is in wrong hands.
    var isAboutIdentity: Bool {
        [.certificateChanged, .hostKeyChanged, .hostKeyRevoked].contains(code)
    }

    enum Pace: Hashable {
        /// Like any printer that is not available.
        case usual
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
