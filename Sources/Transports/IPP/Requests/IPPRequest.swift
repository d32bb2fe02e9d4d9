import IPPCodec
import NIOCore
import PrintModel

/// One operation to request of a printer.
struct IPPRequest: Sendable {
    var operation: IPPOperation
    /// The target job, for job operations. It is named by `printer-uri` and `job-id`, never by a `job-uri`, in which
    /// printers put host names that nobody else can resolve.
    var jobID: Int32?
    var user: String
    /// Operation attributes that follow the user's name.
    var operationAttributes: [IPPAttribute] = []
    var jobAttributes: [IPPAttribute] = []
    var subscriptionAttributes: [IPPAttribute] = []
    var document: DocumentBody?
    /// The compressed form, where `document` holds that. All counts are in bytes of the document itself.
    var compressed: CompressedDocument?
    var timeouts: HTTPRequest.Timeouts
    /// Receives the count of document bytes sent so far.
    var onSending: (@Sendable (Int64) -> Void)?
    var carriesLogin = true

    /// The document's own bytes in this many bytes on the wire, at most.
    func documentBytes(in sent: Int64) -> Int64 { compressed?.documentBytes(in: sent) ?? sent }

    /// `onSending`, for counts of bytes on the wire.
    var onSendingWireBytes: (@Sendable (Int64) -> Void)? {
        guard let onSending, let compressed else { return onSending }
        return { onSending(compressed.documentBytes(in: $0)) }
    }

    /// Whether the request may be sent twice without harm.
    var isRepeatable: Bool {
        switch operation {
        case .getPrinterAttributes, .getJobAttributes, .getJobs, .validateJob, .cancelJob, .getNotifications,
            .renewSubscription:
            true
        default: false
        }
    }

    /// The message in one variant. HP printers check the order of the operation attributes: charset, natural language,
    /// target, user, and then the others.
    func message(_ variant: RequestVariant, requestID: Int32, printer: PrinterAddress) -> IPPMessage {
        var attributes = [
            IPPAttribute("attributes-charset", .charset("utf-8")),
            IPPAttribute("attributes-natural-language", .naturalLanguage("en")),
            IPPAttribute("printer-uri", .uri(IPPText(printer.uri))),
        ]
        if let jobID { attributes.append(IPPAttribute("job-id", .integer(jobID))) }
        if let name = variant.userName {
            attributes.append(IPPAttribute("requesting-user-name", .name(IPPText(name))))
        }
        attributes += operationAttributes
        var groups = [IPPGroup(.operation, attributes)]
        if !jobAttributes.isEmpty { groups.append(IPPGroup(.job, jobAttributes)) }
        if !subscriptionAttributes.isEmpty { groups.append(IPPGroup(.subscription, subscriptionAttributes)) }
        return IPPMessage(version: variant.version, operation: operation, requestID: requestID, groups: groups)
    }
}

/// The printer's address as requests spell it.
struct PrinterAddress: Hashable, Sendable {
    /// The `printer-uri`.
    var uri: String
    /// HTTP's request target.
    var path: String
    /// HTTP's `Host`.
    var host: String

    init(_ url: PrinterURL) {
        uri = url.description
        path = url.path
        host = url.hostField
    }

    private init(uri: String, path: String, host: String) {
        self.uri = uri
        self.path = path
        self.host = host
    }

    /// The address behind a connection that leads to one printer only: the host `localhost` ("IPP USB Specification"
    /// 1.0 of the USB-IF), and the path that every printer serves (PWG 5100.14 §4.2).
    static let local = PrinterAddress(uri: "ipp://localhost/ipp/print", path: "/ipp/print", host: "localhost")
}
