import KioskIPPCodec
import KioskPrintModel
import NIOCore

/// An IPP request: an operation with its attributes, and the document for those that send one. The message that is
/// encoded from it varies with what the printer understands (`RequestVariant`).
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
    var isIdempotent: Bool {
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
        let url = url.withoutZone
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

extension PrinterURL {
    /// The value of HTTP's `Host` (RFC 9110 §7.2). The default port here is IPP's and not HTTP's, so `Host` always
    /// contains the port (RFC 8010 §4).
    var hostField: String { port == nil ? "\(authority):\(effectivePort ?? 631)" : authority }
}

/// Makes the `requesting-user-name`: never empty, and without the backslash of Windows domains, over which Kyocera
/// printers refuse jobs (https://github.com/OpenPrinting/cups/issues/1145).
enum UserName {
    /// RFC 8011 §5.1.3: a name has at most 255 octets.
    private static let maximumLength = 255
    private static let anonymous = "kiosk"

    static func make(_ user: String?) -> String {
        var name = (user ?? "").withoutControlCharacters
        if name.utf8.contains(UInt8(ascii: "\\")) { name = String(name.map { $0 == "\\" ? "_" : $0 }) }
        name = name.prefix(utf8Count: maximumLength)
        return name.utf8.allSatisfy { $0 == UInt8(ascii: " ") } ? anonymous : name
    }

    /// The name for a printer that accepts simple names only (`UserNameRule.plain`).
    static func plain(_ name: String) -> String {
        let letters = name.map { letter in
            letter.isASCII && (letter.isLetter || letter.isNumber || "-_.".contains(letter)) ? letter : "_"
        }
        return letters.allSatisfy { $0 == "_" } ? anonymous : String(letters)
    }
}

/// A printer's response to one operation.
struct IPPResponse: Sendable {
    var message: IPPMessage
    /// Document bytes that the printer may have accepted, at most.
    var documentBytes: Int64 = 0

    /// The printer's `status-message`, cleaned; nil where it is missing or empty.
    var statusMessage: String? {
        let text = message.attribute("status-message", in: .operation)?.string?.cleaned
        return text?.isEmpty == false ? text : nil
    }

    /// The job that the response is about.
    var remoteJob: RemoteJob? {
        message.attribute("job-id", in: .job)?.integer.flatMap { $0 > 0 ? RemoteJob(identifier: "\($0)") : nil }
    }

    /// Whether the status may mean that the printer does not know the request's version: it says so, or calls it a bad
    /// request, as some printers do.
    var blamesVersion: Bool {
        [.serverErrorVersionNotSupported, .clientErrorBadRequest].contains(message.status)
    }

    /// Whether the printer accepts no jobs at the moment.
    var isBusy: Bool {
        [
            .serverErrorBusy, .serverErrorTooManyJobs, .serverErrorTemporaryError, .serverErrorServiceUnavailable,
            .serverErrorNotAcceptingJobs, .serverErrorPrinterIsDeactivated,
        ].contains(message.status)
    }

    /// Whether the printer refuses the document because it is compressed. CUPS sends no compression status, and names
    /// the attribute.
    var refusesCompression: Bool {
        switch message.status {
        case .clientErrorCompressionNotSupported, .clientErrorCompressionError: true
        case .clientErrorAttributesOrValuesNotSupported: unsupported.contains("compression")
        default: false
        }
    }

    /// Whether the printer refuses the job over its medium or its cut, or does not say over which attribute.
    var refusesRollSize: Bool {
        switch message.status {
        case .clientErrorConflictingAttributes: true
        case .clientErrorAttributesOrValuesNotSupported:
            unsupported.isEmpty || unsupported.contains { $0.hasPrefix("media") || $0.hasPrefix("finishings") }
        default: false
        }
    }

    /// The names of the attributes that the printer does not support (RFC 8011 §4.1.7).
    var unsupported: [String] { message.groups(.unsupported).flatMap(\.attributes).map(\.name) }

    /// Whether it is a success without the requested attributes, which some printers send when they do not know the
    /// request's version.
    func isEmpty(for operation: IPPOperation) -> Bool {
        operation == .getPrinterAttributes && message.status.isSuccess
            && message.groups(.printer).allSatisfy(\.attributes.isEmpty)
    }
}

extension RemoteJob {
    /// The `job-id`; nil where the identifier is not one.
    var ippJobID: Int32? { Int32(identifier) }
}

extension String {
    /// RFC 8011 §5.1.2: a text has at most 1,023 octets; nothing longer is passed on.
    private static var maximumTextLength: Int { 1023 }

    /// A printer's text, made safe to store and show.
    var cleaned: String { withoutControlCharacters.prefix(utf8Count: Self.maximumTextLength) }
}
