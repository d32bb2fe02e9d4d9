import IPPCodec
import Logging
import PrintModel

/// One delivery as this printer is to get it: checked against what it supports, with its attributes made.
struct OutgoingJob: Sendable {
    private let document: DocumentBody
    /// Nil where it goes as it is.
    private let compressed: CompressedDocument?
    private let format: DocumentFormat
    private let user: String
    private let name: String
    private let jobAttributes: [IPPAttribute]
    private let remarks: [String]
    private let asksForRollSize: Bool
    private let plan: DeliveryPlan
    private let deadlines: IPPTransport.Deadlines

    init(
        _ delivery: Delivery, document: DocumentBody, compressed: CompressedDocument?, printer: PrinterFacts,
        usesCreateJob: Bool, url: PrinterURL,
        deadlines: IPPTransport.Deadlines
    ) throws(TransportError) {
        let description = PrinterDescription(formats: printer.formats)
        guard let format = description.announcedFormat(for: delivery.document.format) else {
            throw TransportError(
                .formatRefused, operation: "Print-Job",
                message:
                    "\(url): the printer does not take \(delivery.document.format); \(TransportError.takes(printer.formats))"
            )
        }
        self.document = document
        self.compressed = compressed
        self.format = format
        self.deadlines = deadlines
        user = UserName.make(delivery.user)
        name = JobName.make(delivery)
        // A medium that somebody chose is the one to be had.
        let roll = delivery.ticket.media == nil ? delivery.document.rollPage.map { printer.media(for: $0) } : nil
        jobAttributes =
            delivery.ticket.jobAttributes(for: printer, format: format) + [roll?.attribute].compactMap(\.self)
        remarks = [roll?.remark].compactMap(\.self)
        asksForRollSize = delivery.document.rollPage != nil
        plan = DeliveryPlan(documentLength: document.length, printer: printer, usesCreateJob: usesCreateJob)
    }

    func send(
        with client: IPPClient, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws(TransportError) -> JobReport {
        let sending = SendingProgress(length: document.length, tell: progress)
        if plan.validates, client.knowledge.usesValidateJob { try await validate(with: client) }
        if plan.createsJobFirst, let job = try await createJob(with: client) {
            progress(.accepted(job))
            if let report = try await sendDocument(job, with: client, sending: sending) { return report }
        }
        let reply = try await perform(withDocument(request(.printJob), sending), with: client)
        let report = report(reply, job: reply.remoteJob)
        if let job = report.remoteJob { progress(.accepted(job)) }
        return report
    }

    /// Validate-Job, twice at most. Printers announce it and do not have it, or fail over it, so nothing but a clear
    /// refusal of the job counts; whatever else is wrong, the job itself will show. A printer that never answers it, or
    /// whose HTTP part does not let it through, is not asked again.
    private func validate(with client: IPPClient) async throws(TransportError) {
        let request = request(.validateJob)
        for _ in 0..<2 {
            do throws(TransportError) {
                let reply = try await client.ask(request)
                if reply.message.status.isSuccess || reply.message.status == .serverErrorOperationNotSupported {
                    return
                }
                let error = error(reply, request, client)
                if [.formatRefused, .jobRefused].contains(error.code) { throw error }
            } catch {
                switch error.code {
                case .connectionLost, .printerFailed, .printerBusy, .protocolViolation: continue
                case .timedOut, .printerNotFound, .accessDenied: return client.knowledge.validateJobFailed()
                default: throw error
                }
            }
        }
    }

    /// Create-Job; nil where it is announced and fails, for Print-Job to be tried.
    private func createJob(with client: IPPClient) async throws(TransportError) -> RemoteJob? {
        let request = request(.createJob)
        let reply: IPPReply
        do throws(TransportError) {
            reply = try await client.ask(request)
        } catch {
            // HTTP 404, 405, 500, 501: the same as IPP's own statuses for what is missing or broken.
            guard [.printerNotFound, .printerFailed].contains(error.code), error.bytesAccepted == 0 else { throw error }
            if error.code == .printerNotFound { client.knowledge.createJobFailed() }
            return nil
        }
        guard reply.message.status.isSuccess else {
            let error = client.error(reply, request)
            if [.printerBusy, .printerNotAccepting, .authenticationRequired, .accessDenied].contains(error.code) {
                throw error
            }
            if reply.message.status == .serverErrorOperationNotSupported { client.knowledge.createJobFailed() }
            return nil
        }
        return reply.remoteJob
    }

    /// Send-Document; nil where the printer has none although it announced it, for Print-Job to be tried.
    private func sendDocument(
        _ job: RemoteJob, with client: IPPClient, sending: SendingProgress
    ) async throws(TransportError) -> JobReport? {
        do throws(TransportError) {
            var request = request(.sendDocument)
            request.jobID = job.ippJobID
            let reply = try await perform(withDocument(request, sending), with: client)
            return report(reply, job: job)
        } catch {
            var error = error
            if error.bytesAccepted == 0, error.code != .cancelled {
                // The job is taken back, so nobody is to follow it: its end would be told as the end of ours.
                await abandon(job, with: client)
                if error.underlying == .ippStatus(Int(IPPStatus.serverErrorOperationNotSupported.rawValue)) {
                    client.knowledge.createJobFailed()
                    return nil
                }
            } else {
                error.remoteJob = job
            }
            throw error
        }
    }

    /// Takes back a job that will get no document, or it would block the printer until the printer's own time-out.
    private func abandon(_ job: RemoteJob, with client: IPPClient) async {
        var request = IPPRequest(operation: .cancelJob, user: user, patience: deadlines.forQuestion)
        request.jobID = job.ippJobID
        do {
            _ = try await client.perform(request)
        } catch {
            client.logger.info("the job stays without a document until the printer gives it up: \(error)")
        }
    }

    private func perform(_ request: IPPRequest, with client: IPPClient) async throws(TransportError) -> IPPReply {
        let reply = try await client.ask(request)
        guard reply.message.status.isSuccess else { throw error(reply, request, client) }
        return reply
    }

    private func error(_ reply: IPPReply, _ request: IPPRequest, _ client: IPPClient) -> TransportError {
        if compressed != nil, reply.refusesCompression { client.knowledge.compressionFailed() }
        if asksForRollSize, reply.refusesRollSize { client.knowledge.rollSizeFailed() }
        return client.error(reply, request)
    }

    private func report(_ reply: IPPReply, job: RemoteJob?) -> JobReport {
        let attributes = IPPGroup(.job, reply.message.groups(.job).flatMap(\.attributes))
        var report = JobReport(attributes, job: job) ?? JobReport(state: .pending, evidence: .accepted, remoteJob: job)
        report.remarks = remarks
        return report
    }
}

// The requests.
extension OutgoingJob {
    private func request(_ operation: IPPOperation) -> IPPRequest {
        var request = IPPRequest(operation: operation, user: user, patience: deadlines.forQuestion)
        let jobName = IPPAttribute("job-name", .name(IPPText(name)))
        let documentFormat = IPPAttribute("document-format", .mimeMediaType(IPPText(format.mimeType)))
        switch operation {
        case .createJob: request.operationAttributes = [jobName]
        case .sendDocument:
            // Without last-document the printer waits for more, until its time-out.
            request.operationAttributes = [documentFormat, IPPAttribute("last-document", .boolean(true))]
        default: request.operationAttributes = [jobName, documentFormat]
        }
        if compressed != nil, operation != .createJob {
            request.operationAttributes.append(IPPAttribute("compression", keyword: "gzip"))
        }
        if operation != .sendDocument { request.jobAttributes = jobAttributes }
        return request
    }

    private func withDocument(_ request: IPPRequest, _ sending: SendingProgress) -> IPPRequest {
        var request = request
        request.document = compressed.map { .bytes($0.bytes) } ?? document
        request.compressed = compressed
        request.patience = deadlines.forDocument
        request.onSending = { sending.sent($0) }
        return request
    }
}
