import NIOHTTP1
import PrintModel

extension TransportError {
    /// An HTTP status that is no success: the printer's IPP part was never reached, or broke.
    init(_ answer: HTTPAnswer, operation: String, printer: PrinterURL) {
        let status = Int(answer.status.code)
        let (code, advice) = Self.explain(status, answer, printer: printer)
        // A 4xx is refused before it is worked on (RFC 9110 §15.5); who failed with a 5xx may have begun.
        let mayHaveBegun = status >= 500 && status != 503
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
        case 403: return (.accessDenied, "it does not serve this computer or login, so check its access settings")
        case 407: return (.authenticationRequired, "a proxy stands before it and wants a login of its own, which is not supported, so let this computer reach the printer without a proxy")
        case 404, 410: return (.printerNotFound, "there is no printer at \(printer.path), so check the path, often /ipp/print")
        case 405, 501: return (.printerNotFound, "what answers at \(printer.path) takes no IPP, so check the path, often /ipp/print")
        case 413: return (.jobRefused, "the document is too long for it")
        case 426: return (.notSupported, "it wants TLS, so save it with ipps:// in place of ipp://")
        case 429, 503: return (.printerBusy, "it is too busy just now, so try again soon")
        case 500...599: return (.printerFailed, "look at the printer, or switch it off and on")
        default: return (.protocolViolation, "check that the URL names a printer and not another service")
        }
    }
}
