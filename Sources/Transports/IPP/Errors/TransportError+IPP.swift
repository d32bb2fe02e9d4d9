import KioskIPPCodec
import KioskPrintModel

extension TransportError {
    /// Explains an IPP status other than success (RFC 8011 Appendix B) to a person. The printer accepted nothing then,
    /// except where it says that the job exists all the same (Appendix B.1.5.5: a device error while printing).
    init(_ response: IPPResponse, operation: String, printer: PrinterURL, formats: [DocumentFormat] = []) {
        let status = response.message.status
        let (code, advice) = Self.explain(status, formats: formats)
        let statusMessage = response.statusMessage.map { " (\"\($0)\")" } ?? ""
        let job = response.remoteJob
        self.init(
            code, operation: operation,
            message: "\(printer): the printer responded to \(operation) with \(status)\(statusMessage); \(advice)",
            bytesAccepted: job != nil || Self.mayHavePrinted(status) ? response.documentBytes : 0,
            underlying: .ippStatus(Int(status.rawValue)),
            remoteJob: job
        )
    }

    /// Whether a printer may send this status after it began to print: it failed halfway, or somebody stopped it.
    private static func mayHavePrinted(_ status: IPPStatus) -> Bool {
        [.serverErrorInternalError, .serverErrorDeviceError, .serverErrorJobCanceled].contains(status)
    }

    private static func explain(_ status: IPPStatus, formats: [DocumentFormat]) -> (Code, String) {
        switch status {
        case .serverErrorBusy, .serverErrorTooManyJobs, .serverErrorTemporaryError, .serverErrorServiceUnavailable:
            (.printerBusy, "it accepts no jobs at the moment, so try again soon")
        case .serverErrorNotAcceptingJobs, .serverErrorPrinterIsDeactivated:
            (.printerNotAccepting, "set it to accept jobs")
        case .clientErrorDocumentFormatNotSupported: (.formatRefused, adviceOnFormats(formats))
        case .clientErrorNotAuthenticated:
            (
                .authenticationRequired,
                "it requires a login, so save credentials for it (`credentials: NAME` in the registry, user and password in the secrets file), and check its access settings"
            )
        case .clientErrorForbidden, .clientErrorNotAuthorized:
            (.accessDenied, "it does not serve this computer or login, so check its access settings")
        case .clientErrorNotFound, .clientErrorGone: (.printerNotFound, "check the path in the printer's URL")
        case .serverErrorOperationNotSupported, .serverErrorVersionNotSupported:
            (.notSupported, "it is not an IPP printer that this program can serve")
        case .clientErrorDocumentFormatError, .clientErrorDocumentUnprintableError:
            (.jobRefused, "it cannot read the document, so check that the document is in the format it is sent as")
        case .clientErrorRequestEntityTooLarge: (.jobRefused, "the document is too long for it")
        case .serverErrorInternalError, .serverErrorDeviceError:
            (.printerFailed, "check the printer, or switch it off and on")
        case .serverErrorJobCanceled: (.jobRefused, "the job was canceled at the printer")
        default:
            status.isServerError
                ? (.printerFailed, "check the printer, or switch it off and on")
                : (.jobRefused, "change the job's ticket or document, or send it to another printer")
        }
    }

    /// Says which formats to send instead.
    static func adviceOnFormats(_ formats: [DocumentFormat]) -> String {
        formats.isEmpty
            ? "send the document in another format"
            : "send one of \(formats.map(\.mimeType).joined(separator: ", "))"
    }
}
