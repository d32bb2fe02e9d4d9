import IPPCodec
import PrintModel

extension TransportError {
    /// An IPP status that is no success (RFC 8011 Appendix B). With one the printer took nothing, except where it says
    /// that the job exists nevertheless (Appendix B.1.5.5: a device error in the middle of printing).
    init(_ reply: IPPReply, operation: String, printer: PrinterURL, formats: [DocumentFormat] = []) {
        let status = reply.message.status
        let (code, advice) = Self.explain(status, formats: formats)
        let words = reply.statusMessage.map { " (\"\($0)\")" } ?? ""
        let job = reply.remoteJob
        self.init(
            code, operation: operation,
            message: "\(printer): the printer answered \(operation) with \(status)\(words); \(advice)",
            bytesAccepted: job != nil || Self.mayHavePrinted(status) ? reply.documentBytes : 0,
            underlying: .ippStatus(Int(status.rawValue)),
            remoteJob: job
        )
    }

    /// Whether the printer may answer so after it began to print: it broke in the middle, or somebody stopped it.
    private static func mayHavePrinted(_ status: IPPStatus) -> Bool {
        [.serverErrorInternalError, .serverErrorDeviceError, .serverErrorJobCanceled].contains(status)
    }

    private static func explain(_ status: IPPStatus, formats: [DocumentFormat]) -> (Code, String) {
        switch status {
        case .serverErrorBusy, .serverErrorTooManyJobs, .serverErrorTemporaryError, .serverErrorServiceUnavailable:
            (.printerBusy, "it takes no job just now, so try again soon")
        case .serverErrorNotAcceptingJobs, .serverErrorPrinterIsDeactivated:
            (.printerNotAccepting, "switch it to accept jobs")
        case .clientErrorDocumentFormatNotSupported: (.formatRefused, takes(formats))
        case .clientErrorNotAuthenticated:
            (
                .authenticationRequired,
                "it wants to know who prints, so save credentials for it (`credentials: NAME` in the registry, user and password in the secrets file), and check its access settings"
            )
        case .clientErrorForbidden, .clientErrorNotAuthorized:
            (.accessDenied, "it does not serve this computer or login, so check its access settings")
        case .clientErrorNotFound, .clientErrorGone: (.printerNotFound, "check the path in the printer's URL")
        case .serverErrorOperationNotSupported, .serverErrorVersionNotSupported:
            (.notSupported, "it is no IPP printer that this program can serve")
        case .clientErrorDocumentFormatError, .clientErrorDocumentUnprintableError:
            (.jobRefused, "it cannot read the document, so check that its format is what it says")
        case .clientErrorRequestEntityTooLarge: (.jobRefused, "the document is too long for it")
        case .serverErrorInternalError, .serverErrorDeviceError:
            (.printerFailed, "look at the printer, or switch it off and on")
        case .serverErrorJobCanceled: (.jobRefused, "the job was canceled at the printer")
        default:
            status.isServerError
                ? (.printerFailed, "look at the printer, or switch it off and on")
                : (.jobRefused, "change the job's ticket or document, or send it to another printer")
        }
    }

    /// What to send instead.
    static func takes(_ formats: [DocumentFormat]) -> String {
        formats.isEmpty
            ? "send the document in another format"
            : "send one of \(formats.map(\.mimeType).joined(separator: ", "))"
    }
}
