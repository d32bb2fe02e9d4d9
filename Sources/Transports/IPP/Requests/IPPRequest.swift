import IPPCodec
import NIOCore
import PrintModel

/// One operation to be asked of a printer.
struct IPPRequest: Sendable {
    var operation: IPPOperation
    /// The job asked about, where it is about one. Named by `printer-uri` and `job-id`, never by a `job-uri`, in which
    /// printers put host names that nobody else knows.
    var jobID: Int32?
    var user: String
    /// Operation attributes behind the user's name.
    var operationAttributes: [IPPAttribute] = []
    var jobAttributes: [IPPAttribute] = []
    var subscriptionAttributes: [IPPAttribute] = []
    var document: DocumentBody?
    /// What `document` is the compressed form of; all counts are told of the document itself.
    var compressed: CompressedDocument?
    var patience: HTTPRequest.Patience
    var onSending: (@Sendable (Int64) -> Void)?
    var carriesLogin = true

    /// Bytes of the document itself in so many that went over the wire, at most.
    func documentBytes(in sent: Int64) -> Int64 { compressed?.documentBytes(in: sent) ?? sent }

    /// `onSending`, for counts of what goes over the wire.
    var tellsSending: (@Sendable (Int64) -> Void)? {
        guard let onSending, let compressed else { return onSending }
        return { onSending(compressed.documentBytes(in: $0)) }
    }

    /// Whether asking twice does no harm.
    var isRepeatable: Bool {
        switch operation {
        case .getPrinterAttributes, .getJobAttributes, .getJobs, .validateJob, .cancelJob, .getNotifications,
            .renewSubscription:
            true
        default: false
        }
    }

    /// The message in a form. HP printers check the order of the operation attributes: charset, natural language,
    /// target, user, and then the others.
    func message(_ form: RequestForm, requestID: Int32, printer: PrinterAddress) -> IPPMessage {
        var attributes = [
            IPPAttribute("attributes-charset", .charset("utf-8")),
            IPPAttribute("attributes-natural-language", .naturalLanguage("en")),
            IPPAttribute("printer-uri", .uri(IPPText(printer.uri))),
        ]
        if let jobID { attributes.append(IPPAttribute("job-id", .integer(jobID))) }
        if let name = form.userName { attributes.append(IPPAttribute("requesting-user-name", .name(IPPText(name)))) }
        attributes += operationAttributes
        var groups = [IPPGroup(.operation, attributes)]
        if !jobAttributes.isEmpty { groups.append(IPPGroup(.job, jobAttributes)) }
        if !subscriptionAttributes.isEmpty { groups.append(IPPGroup(.subscription, subscriptionAttributes)) }
        return IPPMessage(version: form.version, operation: operation, requestID: requestID, groups: groups)
    }
}
