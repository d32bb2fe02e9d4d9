import NIOCore
import NIOHTTP1
import PrintModel

extension TransportError {
    /// An HTTP status that is no success: the printer's IPP part was never reached, or broke.
    init(_ answer: HTTPAnswer, operation: String, printer: PrinterURL) {
        let status = Int(answer.status.code)
        let (code, advice) = Self.explain(status, answer, printer: printer)
        // A 4xx is refused before it is worked on (RFC 9110 §15.5); who failed with a 5xx may have begun. 408 may come
        // from a proxy that handed on what it had got of the document.
        let mayHaveBegun = status >= 500 && status != 503 || status == 408
        self.init(
            code, operation: operation,
            message: "\(printer): the printer answered \(operation) with HTTP status \(status); \(advice)",
            bytesAccepted: mayHaveBegun ? answer.documentBytes : 0, underlying: .httpStatus(status)
        )
    }

    private static func explain(_ status: Int, _ answer: HTTPAnswer, printer: PrinterURL) -> (Code, String) {
        switch status {
        case 300..<400:
            let place = answer.headers.first(name: "location").map { " (it points to \($0.cleaned))" } ?? ""
            return (.protocolViolation, "redirections are not followed\(place), so save the printer under its own URL")
        case 400 where answer.says("no required ssl certificate"), 496:
            return (
                .authenticationRequired,
                "it wants a client certificate, so name one in the secrets file, and those credentials in the registry (`credentials: NAME`)"
            )
        case 400 where answer.says("the ssl certificate error"), 495:
            return (
                .loginRefused,
                "it does not take the client certificate, so check that it is the right one, and not expired"
            )
        case 400 where answer.says("plain http request was sent to https port"), 497:
            return (.tlsRequired, "it speaks TLS there, so save it with ipps:// in place of ipp://")
        case 403: return (.accessDenied, "it does not serve this computer or login, so check its access settings")
        case 407:
            return (
                .authenticationRequired,
                "a proxy stands before it and wants a login of its own, which is not supported, so let this computer reach the printer without a proxy"
            )
        case 404 where printer.scheme == .usb, 405 where printer.scheme == .usb, 410 where printer.scheme == .usb,
            501 where printer.scheme == .usb:
            return (
                .printerNotFound,
                "what it has behind its USB is no printer of IPP, so look in its settings whether IPP is switched off"
            )
        case 426 where printer.scheme == .usb:
            return (
                .tlsRequired,
                "it wants TLS, which nobody speaks over USB, so look in its settings whether it can do without"
            )
        case 404, 410:
            return (.printerNotFound, "there is no printer at \(printer.path), so check the path, often /ipp/print")
        case 405, 501:
            return (
                .printerNotFound, "what answers at \(printer.path) takes no IPP, so check the path, often /ipp/print"
            )
        case 413: return (.jobRefused, "the document is too long for it")
        case 426 where printer.scheme == .ipps:
            return (
                .protocolViolation,
                "it wants another protocol, over TLS already, so check that the URL names a printer and not another service"
            )
        case 426: return (.tlsRequired, "it wants TLS, so save it with ipps:// in place of ipp://")
        case 429, 503: return (.printerBusy, "it is too busy just now, so try again soon")
        case 500...599: return (.printerFailed, "look at the printer, or switch it off and on")
        default: return (.protocolViolation, "check that the URL names a printer and not another service")
        }
    }
}

extension HTTPAnswer {
    /// Whether these lower-case words stand near the beginning of its body: nginx has no status of its own on the wire.
    fileprivate func says(_ words: String) -> Bool {
        let text = body.getString(at: body.readerIndex, length: min(body.readableBytes, 2048)) ?? ""
        return text.lowercased().contains(words)
    }
}
