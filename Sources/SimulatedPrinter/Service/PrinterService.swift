import IPPCodec
import PrintModel

/// The printer as IPP sees it: requests in, answers out, and the model behind them. No I/O.
struct PrinterService {
    /// What is to be done about a request whose attributes have arrived.
    enum Outcome {
        /// Answer it; what document may follow is dropped.
        case answer(IPPMessage)
        /// Take the document, and then ask for the answer.
        case receive(Reception)
        /// Answer it when there is something to tell, or when its time is over.
        case wait(NotificationWait)
    }

    let profile: PrinterProfile
    var identity: PrinterIdentity
    var model: PrinterModel
    var subscriptions = SubscriptionBook()
    /// How many more requests to print are answered with `server-error-busy`.
    var busyAnswers = 0
    /// What happened since it was last taken away.
    var actions: [PrinterModel.Action] = []
    /// Set by Identify-Printer; whoever shows it takes it back.
    var isIdentifying = false

    let template: JobTemplate
    private let description: PrinterDescriptionAttributes

    init(kind: PrinterKind, identity: PrinterIdentity, condition: PrinterCondition = PrinterCondition()) {
        profile = PrinterProfile(kind)
        self.identity = identity
        model = PrinterModel(printsWhileReceiving: profile.printsWhileReceiving, condition: condition)
        template = JobTemplate(profile)
        description = PrinterDescriptionAttributes(profile: profile, template: template)
    }

    /// `login`: who has proven to be whom; nil where nobody has to.
    mutating func take(_ message: IPPMessage, from login: String? = nil, at now: Duration) -> Outcome {
        actions += model.advance(to: now)
        subscriptions.dropEnded(at: now)
        do throws(IPPRefusal) {
            let request = try IPPRequest(checking: message, from: login)
            switch message.operation {
            case .printJob: return .receive(try printJob(request))
            case .sendDocument: return .receive(try sendDocument(request))
            case .getNotifications: return try getNotifications(request, at: now)
            default: return .answer(try answer(request, at: now))
            }
        } catch {
            return .answer(refusal(error, to: message))
        }
    }

    private mutating func answer(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        switch request.message.operation {
        case .getPrinterAttributes: try getPrinterAttributes(request, at: now)
        case .getJobs: try getJobs(request, at: now)
        case .getJobAttributes: try getJobAttributes(request, at: now)
        case .validateJob: try validateJob(request)
        case .createJob: try createJob(request, at: now)
        case .cancelJob: try cancelJob(request, at: now)
        case .cancelMyJobs: try cancelMyJobs(request, at: now)
        case .closeJob: try closeJob(request, at: now)
        case .identifyPrinter: try identify(request)
        case .holdJob: try holdJob(request)
        case .releaseJob: try releaseJob(request, at: now)
        case .createPrinterSubscriptions: try createSubscriptions(request, forJob: false, at: now)
        case .createJobSubscriptions: try createSubscriptions(request, forJob: true, at: now)
        case .getSubscriptionAttributes: try getSubscriptionAttributes(request, at: now)
        case .getSubscriptions: try getSubscriptions(request, at: now)
        case .renewSubscription: try renewSubscription(request, at: now)
        case .cancelSubscription: try cancelSubscription(request)
        default:
            throw IPPRefusal(.serverErrorOperationNotSupported, "\(request.message.operation) is not supported.")
        }
    }

    private func getNotifications(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> Outcome {
        if let answer = try notifications(request, at: now) { return .answer(answer) }
        guard request["notify-wait"]?.boolean == true else { return .answer(noNotifications(request, at: now)) }
        return .wait(NotificationWait(request: request, endsAt: now + Self.longestWait))
    }

    private func getPrinterAttributes(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        try checkPrinter(request)
        try checkFormat(request)
        let asked = RequestedAttributes(request, nothingAsked: ["all"])
        var attributes = asked.filter(description.fixed(identity), group: "printer-description")
        attributes += asked.filter(description.current(model, identity, at: now), group: "printer-description")
        attributes += asked.filter(template.advertised, group: "job-template")
        // PWG 5100.7: only when it is asked for by name.
        if asked.contains("media-col-database") {
            let collections = profile.media.map { profile.collection(of: $0) }
            attributes.append(IPPAttribute("media-col-database", .collections(collections)))
        }
        return success(request, [IPPGroup(.printer, attributes)])
    }

    private mutating func identify(_ request: IPPRequest) throws(IPPRefusal) -> IPPMessage {
        try checkPrinter(request)
        isIdentifying = true
        return success(request)
    }
}

// What every answer has in common.
extension PrinterService {
    func success(_ request: IPPRequest, _ groups: [IPPGroup] = [], unsupported: [IPPAttribute] = []) -> IPPMessage {
        let status: IPPStatus = unsupported.isEmpty ? .successfulOk : .successfulOkIgnoredOrSubstitutedAttributes
        let rejected = unsupported.isEmpty ? [] : [IPPGroup(.unsupported, unsupported)]
        return answer(request.message, status, nil, rejected + groups)
    }

    func refusal(_ refusal: IPPRefusal, to message: IPPMessage) -> IPPMessage {
        let rejected = refusal.unsupported.isEmpty ? [] : [IPPGroup(.unsupported, refusal.unsupported)]
        return answer(message, refusal.status, refusal.message, rejected)
    }

    func answer(
        _ message: IPPMessage, _ status: IPPStatus, _ text: String?, _ groups: [IPPGroup]
    ) -> IPPMessage {
        var operation = IPPGroup(
            .operation,
            [
                IPPAttribute("attributes-charset", .charset("utf-8")),
                IPPAttribute("attributes-natural-language", .naturalLanguage("en")),
            ])
        // RFC 8011 §4.1.6.2: at most 255 octets.
        if let text { operation.append(IPPAttribute("status-message", .text(IPPText(text.prefix(utf8Count: 255))))) }
        // RFC 8011 §4.1.8: the closest version to the client's that the printer knows.
        let version = message.version.major == 1 ? IPPVersion.v1_1 : min(max(message.version, .v1_1), .v2_0)
        return IPPMessage(version: version, status: status, requestID: message.requestID, groups: [operation] + groups)
    }

    /// RFC 8011 §4.1.5: the target of a printer operation.
    func checkPrinter(_ request: IPPRequest) throws(IPPRefusal) {
        guard let uri = request["printer-uri"]?.string else {
            throw .badRequest("The attribute printer-uri is missing.")
        }
        guard uri.uriPath == PrinterIdentity.path else {
            throw IPPRefusal(.clientErrorNotFound, "There is no such printer; it is \(identity.uri).")
        }
    }

    func checkFormat(_ request: IPPRequest) throws(IPPRefusal) {
        guard let format = request["document-format"]?.string else { return }
        // Parameters do not count: "text/plain; charset=utf-8" is text/plain.
        guard let type = DocumentFormat(format)?.mimeType, profile.formats.contains(type) else {
            throw IPPRefusal(
                .clientErrorDocumentFormatNotSupported, "The printer takes \(profile.formats.joined(separator: ", ")).",
                unsupported: request["document-format"].map { [$0] } ?? [])
        }
    }
}

extension String {
    /// The path of an absolute URI, without query; nil when it has none.
    var uriPath: String? {
        guard let authority = split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first,
            let slash = authority.firstIndex(of: "/")
        else { return nil }
        return String(authority[slash...].prefix { $0 != "?" && $0 != "#" })
    }
}
