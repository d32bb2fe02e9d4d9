import Glibc
import KioskPrintModel
import NIOCore
import NIOPosix

extension TransportError {
    /// The error shown for a failed connection. Nothing was sent.
    init(connecting error: any Error, to printer: PrinterURL) {
        let (code, message, errno) = Self.explain(error, printer)
        self.init(code, operation: "connect", message: "\(printer): \(message)", underlying: errno.map { .errno($0) })
    }

    private static func explain(_ error: any Error, _ printer: PrinterURL) -> (Code, String, CInt?) {
        switch error {
        case ChannelError.connectTimeout:
            return (.timedOut, "nothing answers there; check the printer's power, its cable and its address", nil)
        case let error as NIOConnectionError:
            let causes = error.connectionErrors.map(\.error)
            if let cause = causes.lazy.compactMap({ $0 as? IOError }).first { return explain(cause, printer) }
            if let cause = causes.first { return explain(cause, printer) }
            return (
                .hostNotFound,
                "the host name \(printer.host) is not known; check the printer's URL and this computer's DNS", nil
            )
        case let error as IOError:
            let text = strerror(error.errnoCode).map { String(cString: $0) } ?? "errno \(error.errnoCode)"
            switch error.errnoCode {
            case ECONNREFUSED, ECONNRESET:
                return (
                    .connectionRefused,
                    """
                    it accepts no connection at port \(printer.effectivePort ?? 9100): another program may have the \
                    printer, or it takes raw data at another port; try again soon, and check its settings
                    """, error.errnoCode
                )
            default:
                return (
                    .timedOut, "it cannot be reached (\(text)); check the printer's power, its cable and its address",
                    error.errnoCode
                )
            }
        default:
            return (
                .connectionLost,
                "the connection failed (\(error)); check the printer's power, its cable and its address", nil
            )
        }
    }
}
