import IPPCodec
import PrintModel

/// How one request is put to a printer, where printers differ in what they understand.
struct RequestForm: Hashable, Sendable {
    var version: IPPVersion
    /// Nil leaves `requesting-user-name` out.
    var userName: String?
}

/// Finds the form of a request that a printer understands: older versions first, then once without the user's name.
/// No I/O.
///
/// A request is put again only where the printer cannot have taken a byte of its document.
struct RequestFormSearch {
    enum Action {
        case ask(RequestForm)
        case finish(Result<IPPReply, TransportError>)
    }

    private let operation: IPPOperation
    private let start: RequestForm
    private let isVersionProven: Bool
    private let isUserProven: Bool
    private(set) var form: RequestForm
    /// Whether the printer said that it is the user's name that it does not take.
    private(set) var isNameRefused = false
    private var first: Result<IPPReply, TransportError>?

    init(_ operation: IPPOperation, start: RequestForm, isVersionProven: Bool, isUserProven: Bool) {
        self.operation = operation
        self.start = start
        self.isVersionProven = isVersionProven
        self.isUserProven = isUserProven
        form = start
    }

    /// `taken`: the document bytes that the printer may have taken with this attempt.
    mutating func took(_ result: Result<IPPReply, TransportError>, taken: Int64) -> Action {
        // What may have printed is the answer, whatever came before it.
        guard taken == 0 else { return .finish(result) }
        // Without a name a printer may refuse what it would not refuse otherwise: nothing of that is about the job.
        if form.userName != start.userName, let first, Self.isRefusal(result) { return .finish(first) }
        let blamesVersion = blamesVersion(result)
        let blamesUser = !isUserProven && Self.blamesUser(result)
        guard blamesVersion || blamesUser else { return .finish(result) }
        let told = first ?? result
        first = told
        if blamesVersion, form.userName == start.userName, let older = form.version.fallback {
            form.version = older
        } else if blamesUser, form.userName != nil {
            form = RequestForm(version: start.version, userName: nil)
            isNameRefused = Self.unsupported(result).contains(Self.nameAttribute)
        } else {
            return .finish(told)
        }
        return .ask(form)
    }

    private func blamesVersion(_ result: Result<IPPReply, TransportError>) -> Bool {
        switch result {
        case .success(let reply):
            reply.message.status == .serverErrorVersionNotSupported
                || !isVersionProven && (reply.blamesVersion || reply.isEmpty(for: operation))
        case .failure(let error):
            !isVersionProven && [.httpStatus(400), .httpStatus(505)].contains(error.underlying)
                && ![.authenticationRequired, .loginRefused, .tlsRequired].contains(error.code)
        }
    }

    /// Whether the answer may be meant for the user's name: it says so, or that something is wrong and not what.
    private static func blamesUser(_ result: Result<IPPReply, TransportError>) -> Bool {
        guard case .success(let reply) = result else { return false }
        switch reply.message.status {
        case .clientErrorBadRequest, .clientErrorAttributesOrValuesNotSupported, .clientErrorRequestValueTooLong:
            let unsupported = unsupported(result)
            return unsupported.isEmpty || unsupported.contains(nameAttribute)
        default: return false
        }
    }

    private static let nameAttribute = "requesting-user-name"

    private static func unsupported(_ result: Result<IPPReply, TransportError>) -> [String] {
        if case .success(let reply) = result { reply.unsupported } else { [] }
    }

    /// Whether the printer does not want what it was asked; false for what says nothing of that and may pass.
    private static func isRefusal(_ result: Result<IPPReply, TransportError>) -> Bool {
        switch result {
        case .success(let reply): !reply.message.status.isSuccess && !reply.isBusy
        case .failure(let error):
            ![.cancelled, .printerBusy, .connectionLost, .connectionRefused, .hostNotFound, .timedOut].contains(
                error.code)
        }
    }
}

extension IPPVersion {
    /// What to speak to a printer that does not understand this version.
    fileprivate var fallback: IPPVersion? {
        switch self {
        case .v1_0: nil
        case .v1_1: .v1_0
        default: .v1_1
        }
    }
}
