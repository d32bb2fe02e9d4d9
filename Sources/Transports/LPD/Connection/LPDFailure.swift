import Glibc
import KioskDurableFiles
import NIOCore
import NIOPosix

/// Why an exchange with a line printer daemon failed.
struct LPDFailure: Error {
    enum Reason {
        /// The daemon refused a part of the job with this octet, and perhaps said why.
        case refused(LPDSubmission.Step, octet: UInt8, text: String)
        case notConnected(any Error)
        case lost(String, errno: CInt?)
        /// Nothing came, or nothing could be sent, for this long.
        case timedOut(Duration)
        case violated(String)
        case unreadable(DocumentFile.Failure)
        case cancelled
    }

    var reason: Reason
    /// The part of a submission that the daemon had not acknowledged yet.
    var step: LPDSubmission.Step?
    /// How many octets of the document were given to the connection.
    var given: Int64 = 0

    init(_ reason: Reason) { self.reason = reason }

    /// An error of the connection.
    init(_ error: any Error) {
        switch error {
        case let error as LPDFailure: self = error
        case let error as IOError:
            let text = strerror(error.errnoCode).map { String(cString: $0) } ?? "errno \(error.errnoCode)"
            self.init(.lost(text, errno: error.errnoCode))
        default: self.init(.lost("\(error)", errno: nil))
        }
    }
}

extension Channel {
    /// Gives a connection up: the other side is told by a reset. On the channel's event loop.
    func reset() {
        if isActive, let provider = self as? any SocketOptionProvider {
            // Complete at once, since this is the channel's event loop; a socket that refuses it is closed anyway.
            _ = provider.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        close(promise: nil)
    }
}
