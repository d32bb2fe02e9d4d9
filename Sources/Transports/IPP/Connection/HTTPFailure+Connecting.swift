import NIOCore
import NIOPosix
import PrintModel
import TLS

extension HTTPFailure {
    /// Why no connection came about: of all addresses tried, the last one's reason.
    init(connecting error: any Error) {
        self.init(cause: Self.cause(connecting: error), nothingTaken: true)
    }

    private static func cause(connecting error: any Error) -> Cause {
        switch error {
        case let error as NIOConnectionError:
            guard let last = error.connectionErrors.last else {
                return .hostNotFound(reason: "\(error.dnsAError ?? error.dnsAAAAError ?? ChannelError.connectPending)")
            }
            return cause(connecting: last.error)
        case is CancellationError: return .cancelled
        case ChannelError.connectTimeout: return .timedOut(.connection)
        case let error as IOError: return .connect(errno: error.errnoCode)
        case let failure as HTTPFailure: return failure.cause
        case let error as TLSError: return .tls(error)
        case let error as TransportError: return .dial(error)
        case let error as CredentialError: return .credentials(error.message)
        default: return .channel("\(error)")
        }
    }

    /// Whether a request that failed so on a kept connection may go out again on a new one.
    func allowsRepeating(_ request: HTTPRequest) -> Bool {
        switch cause {
        case .stale, .closedEarly, .socket, .foreignAnswer: nothingTaken || request.isRepeatable
        default: false
        }
    }
}
