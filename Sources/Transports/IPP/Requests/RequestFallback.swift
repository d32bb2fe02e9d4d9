import IPPCodec
import PrintModel

/// The parts of a request that vary with what a printer understands.
struct RequestVariant: Hashable, Sendable {
    var version: IPPVersion
    /// Nil leaves `requesting-user-name` out.
    var userName: String?
}

/// Finds the variant of a request that a printer understands: older versions first, then once without the user's name.
/// No I/O.
///
/// A request is sent again only where the printer cannot have taken a byte of its document.
struct RequestFallback {
    typealias Attempt = Result<IPPResponse, TransportError>

    enum Action {
        case send(RequestVariant)
        case finish(Attempt)
    }

    private let operation: IPPOperation
    private let start: RequestVariant
    private let isVersionProven: Bool
    private let isUserProven: Bool
    private(set) var variant: RequestVariant
    /// Whether the printer said that it does not support the user's name.
    private(set) var isNameRefused = false
    private var first: Attempt?

    init(_ operation: IPPOperation, start: RequestVariant, isVersionProven: Bool, isUserProven: Bool) {
        self.operation = operation
        self.start = start
        self.isVersionProven = isVersionProven
        self.isUserProven = isUserProven
        variant = start
    }

    /// Decides what follows an attempt. `taken`: the document bytes that the printer may have taken with it.
    mutating func receive(_ result: Attempt, taken: Int64) -> Action {
        // What may have printed is the result, whatever came before it.
        guard taken == 0 else { return .finish(result) }
        // Without a name a printer may refuse what it would accept otherwise: that refusal says nothing about the job.
        if variant.userName != start.userName, let first, Self.isRefusal(result) { return .finish(first) }
        let blamesVersion = blamesVersion(result)
        let blamesUser = !isUserProven && Self.blamesUser(result)
        guard blamesVersion || blamesUser else { return .finish(result) }
        let original = first ?? result
        first = original
        if blamesVersion, variant.userName == start.userName, let older = variant.version.fallback {
            variant.version = older
        } else if blamesUser, variant.userName != nil {
            variant = RequestVariant(version: start.version, userName: nil)
            isNameRefused = Self.unsupported(result).contains(Self.nameAttribute)
        } else {
            return .finish(original)
        }
        return .send(variant)
    }

    private func blamesVersion(_ result: Attempt) -> Bool {
        switch result {
        case .success(let response):
            response.message.status == .serverErrorVersionNotSupported
                || !isVersionProven && (response.blamesVersion || response.isEmpty(for: operation))
        case .failure(let error):
            !isVersionProven && [.httpStatus(400), .httpStatus(505)].contains(error.underlying)
                && ![.authenticationRequired, .loginRefused, .tlsRequired].contains(error.code)
        }
    }

    /// Whether the response may be about the user's name: it says so, or says that something is wrong but not what.
    private static func blamesUser(_ result: Attempt) -> Bool {
        guard case .success(let response) = result else { return false }
        switch response.message.status {
        case .clientErrorBadRequest, .clientErrorAttributesOrValuesNotSupported, .clientErrorRequestValueTooLong:
            let unsupported = unsupported(result)
            return unsupported.isEmpty || unsupported.contains(nameAttribute)
        default: return false
        }
    }

    private static let nameAttribute = "requesting-user-name"

    private static func unsupported(_ result: Attempt) -> [String] {
        if case .success(let response) = result { response.unsupported } else { [] }
    }

    /// Whether the printer refuses the request; false for a failure that may pass and says nothing about the request.
    private static func isRefusal(_ result: Attempt) -> Bool {
        switch result {
        case .success(let response): !response.message.status.isSuccess && !response.isBusy
        case .failure(let error):
            ![.cancelled, .printerBusy, .connectionLost, .connectionRefused, .hostNotFound, .timedOut].contains(
                error.code)
        }
    }
}

extension IPPVersion {
    /// The version to try on a printer that does not understand this one.
    fileprivate var fallback: IPPVersion? {
        switch self {
        case .v1_0: nil
        case .v1_1: .v1_0
        default: .v1_1
        }
    }
}
