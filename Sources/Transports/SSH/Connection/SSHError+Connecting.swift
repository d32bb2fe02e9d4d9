import Glibc
import NIOCore
import NIOPosix
import PrintModel

extension SSHError {
    /// Why no connection came about: of all addresses tried, the last one's reason.
    init(connecting error: any Error) {
        switch error {
        case let error as SSHError: self = error
        case let error as NIOConnectionError:
            if let last = error.connectionErrors.last {
                self.init(connecting: last.error)
            } else {
                self.init(.hostNotFound, operation: "connect", reason: "its name leads to no address")
            }
        case ChannelError.connectTimeout:
            self.init(.timedOut, operation: "connect", reason: "no answer in time")
        case let error as IOError:
            let code: Code =
                switch error.errnoCode {
                case ECONNREFUSED: .connectionRefused
                case ETIMEDOUT: .timedOut
                default: .unreachable
                }
            let words = strerror(error.errnoCode).map { String(cString: $0) } ?? "errno \(error.errnoCode)"
            self.init(code, operation: "connect", reason: words, native: .errno(error.errnoCode))
        case is CancellationError: self.init(.cancelled, operation: "connect", reason: "cancelled")
        default: self.init(.unreachable, operation: "connect", reason: "\(error)")
        }
    }
}
