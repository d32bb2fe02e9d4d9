import Glibc
import KioskDurableFiles
import KioskPrintModel
import KioskTLS
import NIOCore
import NIOHTTP1

extension TransportError {
    /// Explains to a person why an exchange brought no response.
    init(_ failure: HTTPFailure, operation: String, printer: PrinterURL) {
        let (code, message, underlying) = Self.explain(failure, operation: operation, printer: printer)
        self.init(
            code, operation: operation, message: message, bytesAccepted: failure.documentBytes, underlying: underlying
        )
        if case .tls(let error, _) = failure.cause, error.code != .clientRefused {
            identity = error.certificate.map { .certificate($0) }
        }
    }

    /// Explains why our own document cannot be read. Nothing was sent.
    init(_ failure: DocumentFile.Failure, operation: String) {
        let (code, message, underlying) = Self.explain(failure)
        self.init(code, operation: operation, message: message, underlying: underlying)
    }

    /// Explains an HTTP status other than success: the request never reached the printer's IPP service, or that failed.
    init(_ response: HTTPResponse, operation: String, printer: PrinterURL) {
        let status = Int(response.status.code)
        let (code, advice) = Self.explain(status, response, printer: printer)
        // A 4xx is refused before any work begins (RFC 9110 §15.5). With a 5xx the work may have begun. A 408 may come
        // from a proxy that passed on the part of the document it had received.
        // A 501 is for what the server does not know, such as chunks (RFC 9112 §6.1).
        let mayHaveBegun = status >= 500 && ![501, 503].contains(status) || status == 408
        self.init(
            code, operation: operation,
            message: "\(printer): the printer responded to \(operation) with HTTP status \(status); \(advice)",
            bytesAccepted: mayHaveBegun ? response.documentBytes : 0, underlying: .httpStatus(status)
        )
        if code == .printerBusy { retryAfter = RetryAfter.duration(in: response.headers) }
    }
}

// Why there is no response.
extension TransportError {
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
                "\(printer): the printer closed the connection before it responded to \(operation)\(whatWasSent(failure))\(tlsHint(failure, printer))",
                nil
            )
        case .socket(let errno):
            (
                .connectionLost,
                "\(printer): the connection broke during \(operation) (\(text(of: errno)))\(whatWasSent(failure))",
                .errno(errno)
            )
        case .channel(let reason):
            (
                .connectionLost,
                "\(printer): the connection broke during \(operation) (\(reason))\(whatWasSent(failure))", nil
            )
        case .timedOut(let wait): (.timedOut, timedOut(wait, failure, operation: operation, printer: printer), nil)
        case .cancelled: (.cancelled, "\(operation) to \(printer) was cancelled\(whatWasSent(failure))", nil)
        case .malformed(let reason):
            (
                .protocolViolation, "\(printer): \(reason); check that the URL names a printer and not another service",
                nil
            )
        case .speaksTLS:
            (
                .tlsRequired,
                "\(printer): the printer speaks TLS on this port, so nothing was printed; save it with ipps:// in place of ipp://",
                nil
            )
        case .mismatchedResponse(let id):
            (
                .protocolViolation,
                "\(printer): the response to \(operation) belongs to another request (request-id \(id))\(whatWasSent(failure)); switch the printer off and on, or look for a proxy in front of it that mixes up responses",
                nil
            )
        case .document(let document): explain(document)
        case .rendering(let failure): (TransportError(failure).code, TransportError(failure).message, nil)
        case .login(let login): explain(login, printer: printer)
        case .credentials(let reason): (.credentialsUnusable, "\(printer): \(reason)", nil)
        case .tls(let error, let identity):
            explain(error, identity: identity, printer: printer, sent: whatWasSent(failure))
        case .upgradeRefused(.status(let status), let trust):
            (.tlsRequired, "\(printer): \(upgradeRefused("HTTP status \(status)", trust))", .httpStatus(status))
        case .upgradeRefused(.hangsUp, let trust):
            (.tlsRequired, "\(printer): \(upgradeRefused("it closes the connection", trust))", nil)
        case .upgradeRefused(.malformed(let reason), let trust):
            (.tlsRequired, "\(printer): \(upgradeRefused(reason, trust))", nil)
        }
    }

    /// What else closes a connection without a word: a port for TLS that gets a request in clear.
    private static func tlsHint(_ failure: HTTPFailure, _ printer: PrinterURL) -> String {
        printer.scheme == .ipp && failure.documentBytes == 0
            ? "; if its port is one for TLS, save it with ipps:// in place of ipp://" : ""
    }

    private static func upgradeRefused(_ response: String, _ trust: Trust?) -> String {
        guard let trust else {
            return
                "the printer requires TLS but does not switch this connection to it (\(response)); save it with ipps:// in place of ipp://"
        }
        return
            "the printer is saved with `trust: \(trust)`, which requires TLS, but it does not switch this connection to TLS (\(response)), so nothing was sent; save it with ipps:// in place of ipp://, or remove its `trust` to print without TLS"
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
                .timedOut,
                "\(printer): the connection timed out; check that the printer is on and in this network",
                .errno(errno)
            )
        default:
            (
                .hostNotFound,
                "\(printer): the printer cannot be reached (\(text(of: errno))); check that it is on and in this network",
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
            "\(printer): no connection was made in time; check that the printer is on and in this network"
        case .handshake:
            "\(printer): the printer did not finish the TLS handshake in time; check that the port in its URL is one for TLS, or switch the printer off and on"
        case .sending: "\(printer): the printer stopped accepting the document\(tail); check it for an error"
        case .response:
            "\(printer): no response to \(operation) came in time\(tail); check the printer, or switch it off and on"
        case .total: "\(printer): \(operation) did not finish in time\(tail); check the printer for an error"
        }
    }

    /// Says how much of the document the printer may have accepted; empty where it accepted nothing and used no paper.
    private static func whatWasSent(_ failure: HTTPFailure) -> String {
        failure.documentBytes > 0
            ? "; it may have accepted up to \(failure.documentBytes) bytes of the document, so check whether it printed"
            : ""
    }

    private static func explain(_ failure: DocumentFile.Failure) -> (Code, String, NativeCode?) {
        let path = failure.path
        return switch failure.reason {
        case .cannotOpen(let errno):
            (
                .documentUnreadable, "the document \(path) cannot be opened (\(text(of: errno))); send the job again",
                .errno(errno)
            )
        case .cannotRead(let errno):
            (
                .documentUnreadable,
                "the document \(path) cannot be read (\(text(of: errno))); check the disk and send the job again",
                .errno(errno)
            )
        case .notRegularFile:
            (.documentUnreadable, "the document \(path) is not a regular file; send the job again", nil)
        case .wrongLength(let stored, let found), .cutOff(let stored, let found):
            (
                .documentUnreadable,
                "the document \(path) has \(found) bytes, but \(stored) were stored; send the job again", nil
            )
        }
    }

    static func text(of errno: Int32) -> String {
        strerror(errno).map { String(cString: $0) } ?? "errno \(errno)"
    }
}

// What an HTTP status means.
extension TransportError {
    private static func explain(_ status: Int, _ response: HTTPResponse, printer: PrinterURL) -> (Code, String) {
        switch status {
        case 300..<400:
            let place = response.headers.first(name: "location").map { " (it points to \($0.cleaned))" } ?? ""
            return (.protocolViolation, "redirects are not followed\(place), so save the printer under its own URL")
        case 400 where response.bodyContains("no required ssl certificate"), 496:
            return (
                .authenticationRequired,
                "it requires a client certificate, so name one in the secrets file, and name those credentials in the registry (`credentials: NAME`)"
            )
        case 400 where response.bodyContains("the ssl certificate error"), 495:
            return (
                .loginRefused,
                "it rejects the client certificate, so check that it is the right one, and not expired"
            )
        case 400 where response.bodyContains("plain http request was sent to https port"), 497:
            return (.tlsRequired, "it speaks TLS on this port, so save it with ipps:// in place of ipp://")
        case 403:
            return (.accessDenied, "it does not serve this computer or login, so check its access settings")
        case 407:
            return (
                .authenticationRequired,
                "a proxy in front of it requires its own login, which is not supported, so let this computer reach the printer without a proxy"
            )
        case 404 where printer.scheme == .usb, 405 where printer.scheme == .usb, 410 where printer.scheme == .usb,
            501 where printer.scheme == .usb:
            return (
                .printerNotFound,
                "there is no IPP printer behind its USB interface, so check in its settings whether IPP is switched off"
            )
        case 426 where printer.scheme == .usb:
            return (
                .tlsRequired,
                "it requires TLS, which is not used over USB, so check in its settings whether TLS can be made optional"
            )
        case 404, 410:
            return (.printerNotFound, "there is no printer at \(printer.path), so check the path, often /ipp/print")
        case 405, 501:
            return (
                .printerNotFound,
                "the service at \(printer.path) does not accept IPP, so check the path, often /ipp/print"
            )
        case 413: return (.jobRefused, "the document is too long for it")
        case 426 where printer.scheme == .ipps:
            return (
                .protocolViolation,
                "it asks for another protocol although TLS is in use, so check that the URL names a printer and not another service"
            )
        case 426: return (.tlsRequired, "it requires TLS, so save it with ipps:// in place of ipp://")
        case 429, 503: return (.printerBusy, "it is too busy at the moment, so try again soon")
        case 500...599: return (.printerFailed, "check the printer, or switch it off and on")
        default: return (.protocolViolation, "check that the URL names a printer and not another service")
        }
    }
}

extension HTTPResponse {
    /// Whether this lower-case phrase occurs near the beginning of the body. nginx puts its own statuses (495 to 497)
    /// on the wire as 400, and only the page tells them apart.
    fileprivate func bodyContains(_ phrase: String) -> Bool {
        let text = body.getString(at: body.readerIndex, length: min(body.readableBytes, 2048)) ?? ""
        return text.lowercased().contains(phrase)
    }
}
