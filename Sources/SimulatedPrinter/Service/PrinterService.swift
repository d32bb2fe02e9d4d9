import KioskIPPCodec
import KioskPrintModel

/// The printer as IPP sees it: takes requests and returns responses. Does no I/O.
struct PrinterService {
    /// What follows from a request whose attributes have arrived.
    enum Outcome {
        /// Send this response; a document that follows is discarded.
        case respond(IPPMessage)
        /// Receive the document, and then call `finishDocument` for the response.
        case receive(DocumentRequest)
        /// Send the response once there is an event, or when the wait ends.
        case wait(EventWait)
        /// Send nothing, and leave the connection open.
        case ignore
    }

    let identity: PrinterIdentity
    var jobs: JobService
    /// Whether Validate-Job gets no response.
    var ignoresValidation = false
    private(set) var subscriptions: SubscriptionService
    private var isIdentifying = false
    private let capabilities: SimulatedModel
    private let template: JobTemplate
    private let description: PrinterDescriptionAttributes

    init(kind: SimulatedPrinterKind, identity: PrinterIdentity, condition: PrinterCondition = PrinterCondition()) {
        self.identity = identity
        capabilities = SimulatedModel(kind)
        jobs = JobService(identity, capabilities, condition: condition)
        subscriptions = SubscriptionService(identity)
        template = JobTemplate(capabilities)
        description = PrinterDescriptionAttributes(identity, capabilities, template)
    }

    var model: PrinterModel { jobs.model }

    // MARK: Requests

    /// Handles a request. `login` is the authenticated user; nil where the printer requires none.
    mutating func handle(_ message: IPPMessage, from login: String? = nil, at now: Duration) -> Outcome {
        jobs.apply { $0.advance(to: now) }
        subscriptions.removeExpired(at: now)
        do throws(IPPStatusError) {
            let request = try IPPRequest(checking: message, from: login)
            switch message.operation {
            case .printJob: return .receive(try jobs.printJob(request))
            case .sendDocument: return .receive(try jobs.sendDocument(request))
            case .validateJob where ignoresValidation: return .ignore
            case .getNotifications: return try getNotifications(request, at: now)
            default: return .respond(try respond(to: request, at: now))
            }
        } catch {
            return .respond(message.response(error))
        }
    }

    private mutating func respond(to request: IPPRequest, at now: Duration) throws(IPPStatusError) -> IPPMessage {
        switch request.message.operation {
        case .getPrinterAttributes: try getPrinterAttributes(request, at: now)
        case .identifyPrinter: try identify(request)
        case .getJobs: try jobs.getJobs(request, at: now)
        case .getJobAttributes: try jobs.getJobAttributes(request, at: now)
        case .validateJob: try jobs.validateJob(request)
        case .createJob: try jobs.createJob(request, at: now)
        case .cancelJob: try jobs.cancelJob(request, at: now)
        case .cancelMyJobs: try jobs.cancelMyJobs(request, at: now)
        case .closeJob: try jobs.closeJob(request, at: now)
        case .holdJob: try jobs.holdJob(request)
        case .releaseJob: try jobs.releaseJob(request, at: now)
        case .createPrinterSubscriptions: try subscriptions.create(request, forJob: false, jobs.model, at: now)
        case .createJobSubscriptions: try subscriptions.create(request, forJob: true, jobs.model, at: now)
        case .getSubscriptionAttributes: try subscriptions.getAttributes(request, jobs.model, at: now)
        case .getSubscriptions: try subscriptions.list(request, jobs.model, at: now)
        case .renewSubscription: try subscriptions.renew(request, at: now)
        case .cancelSubscription: try subscriptions.cancel(request)
        default:
            throw IPPStatusError(.serverErrorOperationNotSupported, "\(request.message.operation) is not supported.")
        }
    }

    private func getPrinterAttributes(_ request: IPPRequest, at now: Duration) throws(IPPStatusError) -> IPPMessage {
        try request.checkTarget(identity)
        try request.checkFormat(capabilities)
        let requested = RequestedAttributes(request, default: ["all"])
        var attributes = requested.filter(description.constant, group: "printer-description")
        attributes += requested.filter(description.current(jobs.model, at: now), group: "printer-description")
        attributes += requested.filter(template.advertised, group: "job-template")
        // PWG 5100.7: only where the client asks for it by name.
        if requested.contains("media-col-database") {
            let collections = capabilities.media.map { capabilities.mediaCol($0, in: capabilities.source(of: $0)) }
            attributes.append(IPPAttribute("media-col-database", .collections(collections)))
        }
        return request.message.success([IPPGroup(.printer, attributes)])
    }

    private mutating func identify(_ request: IPPRequest) throws(IPPStatusError) -> IPPMessage {
        try request.checkTarget(identity)
        isIdentifying = true
        return request.message.success()
    }

    private func getNotifications(_ request: IPPRequest, at now: Duration) throws(IPPStatusError) -> Outcome {
        if let response = try subscriptions.notifications(request, jobs.model, at: now) { return .respond(response) }
        guard request["notify-wait"]?.boolean == true else {
            return .respond(subscriptions.noNotifications(request, jobs.model, at: now))
        }
        return .wait(EventWait(request: request, endsAt: now + SubscriptionService.maximumWait))
    }

    /// The response to a request that waits for an event; nil while it has to wait on.
    func response(to wait: EventWait, at now: Duration) -> IPPMessage? {
        do throws(IPPStatusError) {
            if let response = try subscriptions.notifications(wait.request, jobs.model, at: now) { return response }
            return wait.endsAt <= now ? subscriptions.noNotifications(wait.request, jobs.model, at: now) : nil
        } catch {
            return wait.request.message.response(error)
        }
    }

    /// Ends a document, which is `bytes` long, and returns the response to its request.
    mutating func finishDocument(_ document: DocumentRequest, bytes: Int64, at now: Duration) -> IPPMessage {
        do throws(IPPStatusError) {
            return try jobs.finishDocument(document, bytes: bytes, at: now)
        } catch {
            return document.request.message.response(error)
        }
    }

    // MARK: The printer itself

    /// Whether Identify-Printer came since the last call.
    mutating func takeIdentification() -> Bool {
        defer { isIdentifying = false }
        return isIdentifying
    }

    /// Notifies subscribers of a job that is new or has changed.
    mutating func notify(of job: SimulatedJob, isNew: Bool, at now: Duration) {
        subscriptions.notify(of: job, isNew: isNew, jobs.model, at: now)
    }

    /// Notifies subscribers of the printer's state.
    mutating func notifyOfPrinterState(at now: Duration) { subscriptions.notifyOfPrinterState(jobs.model, at: now) }

    /// Switches the printer off as if the plug were pulled: jobs and subscriptions are forgotten.
    mutating func losePower(at now: Duration) {
        jobs.apply { $0.losePower(at: now) }
        subscriptions.removeAll()
    }
}
