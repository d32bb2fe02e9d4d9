import Glibc
import PrintModel
import TLS

extension TransportError {
    /// Why an exchange brought no answer, in words for people.
    init(_ failure: HTTPFailure, operation: String, printer: PrinterURL) {
        let (code, message, underlying) = Self.explain(failure, operation: operation, printer: printer)
        self.init(
            code, operation: operation, message: message, bytesAccepted: failure.documentBytes, underlying: underlying
        )
        if case .tls(let error, _) = failure.cause, error.code != .clientRefused {
            identity = error.certificate.map { .certificate($0) }
        }
    }

    /// Why our own document could not be read; nothing was sent.
    init(_ failure: DocumentFailure, operation: String) {
        let (code, message, underlying) = Self.unreadable(failure)
        self.init(code, operation: operation, message: message, underlying: underlying)
    }

    private static func explain(
        _ failure: HTTPFailure, operation: String, printer: PrinterURL
    ) -> (Code, String, NativeCode?) {
        switch failure.cause {
        case .hostNotFound:
            (
                .hostNotFound,
                "\(printer): the host name \(printer.host) is not known; check the printer's URL and this computer's DNS",
                nil
            )
        case .connect(let errno): connecting(errno, to: printer)
        case .dial(let error): (error.code, error.message, error.underlying)
        case .stale, .closedEarly:
            (
                .connectionLost,
                "\(printer): the printer closed the connection before it answered \(operation)\(whatWasSent(failure))",
                nil
            )
        case .socket(let errno):
            (
                .connectionLost,
                "\(printer): the connection broke during \(operation) (\(words(errno)))\(whatWasSent(failure))",
                .errno(errno)
            )
        case .channel(let words):
            (
                .connectionLost,
                "\(printer): the connection broke during \(operation) (\(words))\(whatWasSent(failure))", nil
            )
        case .timedOut(let wait): (.timedOut, timedOut(wait, failure, operation: operation, printer: printer), nil)
        case .cancelled: (.cancelled, "\(operation) to \(printer) was cancelled\(whatWasSent(failure))", nil)
        case .malformed(let words):
            (
                .protocolViolation, "\(printer): \(words); check that the URL names a printer and not another service",
                nil
            )
        case .foreignAnswer(let id):
            (
                .protocolViolation,
                "\(printer): what came for \(operation) is the answer to another request (request-id \(id))\(whatWasSent(failure)); switch the printer off and on, or look for a proxy before it that mixes answers up",
                nil
            )
        case .document(let document): unreadable(document)
        case .login(let login): explain(login, printer: printer)
        case .credentials(let words): (.credentialsUnusable, "\(printer): \(words)", nil)
        case .tls(let error, let identity):
            explain(error, identity: identity, printer: printer, sent: whatWasSent(failure))
        case .upgradeRefused(.status(let status), let trust):
            (.tlsRequired, "\(printer): \(upgradeRefused("HTTP status \(status)", trust))", .httpStatus(status))
        case .upgradeRefused(.hangsUp, let trust):
            (.tlsRequired, "\(printer): \(upgradeRefused("it hangs up", trust))", nil)
        case .upgradeRefused(.malformed(let words), let trust):
            (.tlsRequired, "\(printer): \(upgradeRefused(words, trust))", nil)
        }
    }

    private static func upgradeRefused(_ answer: String, _ trust: Trust?) -> String {
        guard let trust else {
            return
                "the printer wants TLS, and does not go over to it on this connection (\(answer)); save it with ipps:// in place of ipp://"
        }
        return
            "the printer is saved with `trust: \(trust)`, which takes TLS, and does not go over to it on this connection (\(answer)), so nothing was sent; save it with ipps:// in place of ipp://, or remove its `trust` to print without TLS"
    }

    private static func connecting(_ errno: Int32, to printer: PrinterURL) -> (Code, String, NativeCode?) {
        switch errno {
        case ECONNREFUSED:
            (
                .connectionRefused,
                "\(printer): nothing answers at \(printer.authority); check that the printer is on and that the port is right",
                .errno(errno)
            )
        case ETIMEDOUT:
            (
                .timedOut, "\(printer): no connection came about; check that the printer is on and in this network",
                .errno(errno)
            )
        default:
            (
                .hostNotFound,
                "\(printer): the printer cannot be reached (\(words(errno))); check that it is on and in this network",
                .errno(errno)
            )
        }
    }

    private static func timedOut(
        _ wait: HTTPFailure.Wait, _ failure: HTTPFailure, operation: String, printer: PrinterURL
    ) -> String {
        let tail = whatWasSent(failure)
        return switch wait {
        case .connection:
            "\(printer): no connection came about in time; check that the printer is on and in this network"
        case .handshake:
            "\(printer): the printer did not agree on TLS in time; check that the port in its URL is one for TLS, or switch the printer off and on"
        case .sending: "\(printer): the printer stopped taking the document\(tail); check it for an error"
        case .answer:
            "\(printer): no answer to \(operation) came in time\(tail); check the printer, or switch it off and on"
        case .total: "\(printer): \(operation) did not end in time\(tail); check the printer for an error"
        }
    }

    /// Said only where it matters: when paper may have been used.
    private static func whatWasSent(_ failure: HTTPFailure) -> String {
        failure.documentBytes > 0
            ? "; it may have taken up to \(failure.documentBytes) bytes of the document, so look whether it printed"
            : ""
    }

    private static func unreadable(_ failure: DocumentFailure) -> (Code, String, NativeCode?) {
        switch failure {
        case .open(let path, let errno):
            (
                .documentUnreadable, "the document \(path) cannot be opened (\(words(errno))); send the job again",
                .errno(errno)
            )
        case .read(let path, let errno):
            (
                .documentUnreadable,
                "the document \(path) cannot be read (\(words(errno))); check the disk and send the job again",
                .errno(errno)
            )
        case .notAFile(let path): (.documentUnreadable, "the document \(path) is no file; send the job again", nil)
        case .wrongLength(let path, let stored, let found):
            (
                .documentUnreadable,
                "the document \(path) has \(found) bytes where \(stored) were stored; send the job again", nil
            )
        }
    }

    private static func words(_ errno: Int32) -> String {
        strerror(errno).map { String(cString: $0) } ?? "errno \(errno)"
    }
}
