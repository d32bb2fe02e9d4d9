import KioskIPPCodec
import KioskPrintModel
import Logging
import Synchronization

/// A print job for one printer: a delivery, checked against what the printer supports, with its job attributes. It is
/// sent with Print-Job, or with Create-Job and Send-Document.
struct OutgoingJob: Sendable {
    private let document: DocumentBody
    /// Nil where the document goes as it is.
    private let compressed: CompressedDocument?
    private let format: DocumentFormat
    private let user: String
    private let name: String
    private let ticket: TicketRequest
    private let requestsRollSize: Bool
    private let isSpooled: Bool
    private let plan: DeliveryPlan
    private let deadlines: IPPTransport.Deadlines

    init(
        _ delivery: Delivery, document: DocumentBody, compressed: CompressedDocument?, printer: PrinterCapabilities,
        usesCreateJob: Bool, url: PrinterURL,
        deadlines: IPPTransport.Deadlines
    ) throws(TransportError) {
        let description = PrinterDescription(formats: printer.formats)
        guard let format = description.announcedFormat(for: delivery.document.format) else {
            throw TransportError(
                .formatRefused, operation: "Print-Job",
                message:
                    "\(url): the printer does not accept \(delivery.document.format); \(TransportError.adviceOnFormats(printer.formats))"
            )
        }
        self.document = document
        self.compressed = compressed
        self.format = format
        self.deadlines = deadlines
        user = UserName.make(delivery.user)
        name = JobName.make(delivery)
        do throws(TicketRequest.Refusal) {
            ticket = try TicketRequest(
                delivery.ticket, for: printer, format: format, roll: delivery.document.rollPage)
            try ticket.checkMandatory(besides: Self.usualAttributes + (compressed == nil ? [] : ["compression"]))
        } catch {
            throw TransportError(error, printer: url)
        }
        requestsRollSize = delivery.document.rollPage != nil
        isSpooled = printer.isPrintServer
        plan = DeliveryPlan(documentLength: document.length, printer: printer, usesCreateJob: usesCreateJob)
    }

    func send(
        with client: IPPClient, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws(TransportError) -> JobReport {
        let throttle = ProgressThrottle(of: document, report: progress)
        if plan.validates, client.knowledge.usesValidateJob { try await validate(with: client) }
        if plan.createsJobFirst, let (job, remarks) = try await createJob(with: client) {
            progress(.accepted(job))
            if var report = try await sendDocument(job, with: client, throttle) {
                report.remarks += remarks.filter { !report.remarks.contains($0) }
                return report
            }
        }
        let response = try await perform(withDocument(request(.printJob), throttle), with: client)
        let report = report(response, job: response.remoteJob)
        if let job = report.remoteJob { progress(.accepted(job)) }
        return report
    }

    /// Validate-Job, twice at most. Some printers advertise it and do not have it, or fail over it, so nothing but a
    /// clear refusal of the job counts, or that the printer takes none now; the job itself will show whatever else is
    /// wrong. A printer that never responds to it, or whose HTTP server does not let it through, gets no other.
    private func validate(with client: IPPClient) async throws(TransportError) {
        var request = request(.validateJob)
        request.timeouts = deadlines.validationTimeouts
        for _ in 0..<2 {
            do throws(TransportError) {
                let response = try await client.send(request)
                if response.message.status.isSuccess || response.message.status == .serverErrorOperationNotSupported {
                    return client.knowledge.validationPassed()
                }
                let error = error(response, request, client)
                if [.formatRefused, .jobRefused, .printerBusy, .printerNotAccepting].contains(error.code) {
                    throw error
                }
            } catch {
                switch error.code {
                case .printerBusy where !client.knowledge.trustsBusyValidation():
                    return client.trace.tell("Validate-Job was refused as busy again and again: send the document")
                case .connectionLost, .printerFailed, .protocolViolation: continue
                case .timedOut, .printerNotFound, .accessDenied: return client.knowledge.validateJobFailed()
                default: throw error
                }
            }
        }
    }

    /// Create-Job; nil where the printer advertises it and fails, so that Print-Job is tried.
    private func createJob(
        with client: IPPClient
    ) async throws(TransportError) -> (job: RemoteJob, remarks: [String])? {
        let request = request(.createJob)
        let response: IPPResponse
        do throws(TransportError) {
            response = try await client.send(request)
        } catch {
            // HTTP 404, 405, 500, 501: the same as IPP's own statuses for what is missing or broken.
            guard [.printerNotFound, .printerFailed].contains(error.code), error.bytesAccepted == 0 else { throw error }
            if error.code == .printerNotFound { client.knowledge.createJobFailed() }
            return nil
        }
        guard response.message.status.isSuccess else {
            let error = client.error(response, request)
            if [.printerBusy, .printerNotAccepting, .authenticationRequired, .accessDenied].contains(error.code) {
                throw error
            }
            if response.message.status == .serverErrorOperationNotSupported { client.knowledge.createJobFailed() }
            return nil
        }
        return response.remoteJob.map { ($0, response.remarks(sent: sentNames)) }
    }

    /// Send-Document; nil where the printer advertises it and does not have it, so that Print-Job is tried.
    private func sendDocument(
        _ job: RemoteJob, with client: IPPClient, _ throttle: ProgressThrottle
    ) async throws(TransportError) -> JobReport? {
        do throws(TransportError) {
            var request = request(.sendDocument)
            request.jobID = job.ippJobID
            let response = try await perform(withDocument(request, throttle), with: client)
            return report(response, job: job)
        } catch {
            var error = error
            if error.bytesAccepted == 0, error.code != .cancelled {
                // The job is cancelled, so the error does not name it: its end would be reported as the end of our job.
                await cancel(job, with: client)
                if error.underlying == .ippStatus(Int(IPPStatus.serverErrorOperationNotSupported.rawValue)) {
                    client.knowledge.createJobFailed()
                    return nil
                }
            } else {
                error.remoteJob = job
                // What is not rendered to its end never comes; the printer would wait for it until its own time-out.
                if error.code == .documentUnreadable { await cancel(job, with: client) }
            }
            throw error
        }
    }

    /// Cancels a job that will get no document; it would block the printer until the printer's own time-out.
    private func cancel(_ job: RemoteJob, with client: IPPClient) async {
        var request = IPPRequest(operation: .cancelJob, user: user, timeouts: deadlines.requestTimeouts)
        request.jobID = job.ippJobID
        do {
            _ = try await client.perform(request)
        } catch {
            client.logger.info("the job stays without a document until the printer gives it up: \(error)")
        }
    }

    private func perform(_ request: IPPRequest, with client: IPPClient) async throws(TransportError) -> IPPResponse {
        let response = try await client.send(request)
        guard response.message.status.isSuccess else { throw error(response, request, client) }
        return response
    }

    private func error(_ response: IPPResponse, _ request: IPPRequest, _ client: IPPClient) -> TransportError {
        if compressed != nil, response.refusesCompression { client.knowledge.compressionFailed() }
        if requestsRollSize, response.refusesRollSize { client.knowledge.rollSizeFailed() }
        return client.error(response, request)
    }

    private func report(_ response: IPPResponse, job: RemoteJob?) -> JobReport {
        let attributes = IPPGroup(.job, response.message.groups(.job).flatMap(\.attributes))
        var report =
            JobReport(attributes, job: job, isSpooled: isSpooled)
            ?? JobReport(state: .pending, evidence: .accepted, remoteJob: job)
        report.remarks = ticket.remarks + response.remarks(sent: sentNames)
        return report
    }

    /// The names of those attributes that a ticket can be the reason for.
    private var sentNames: [String] { (ticket.operationAttributes + ticket.jobAttributes).map(\.name) }

    /// The operation attributes that all requests that create a job have.
    private static let usualAttributes = [
        "attributes-charset", "attributes-natural-language", "printer-uri", "requesting-user-name", "job-name",
        "document-format", "document-name",
    ]

    private func request(_ operation: IPPOperation) -> IPPRequest {
        var request = IPPRequest(operation: operation, user: user, timeouts: deadlines.requestTimeouts)
        let jobName = IPPAttribute("job-name", .name(IPPText(name)))
        let documentFormat = IPPAttribute("document-format", .mimeMediaType(IPPText(format.mimeType)))
        switch operation {
        case .createJob: request.operationAttributes = [jobName]
        case .sendDocument:
            // Without last-document the printer waits for more, until its time-out.
            request.operationAttributes = [documentFormat, IPPAttribute("last-document", .boolean(true))]
        default: request.operationAttributes = [jobName, documentFormat]
        }
        // PAPPL never answers a Validate-Job that names a compression: it waits for compressed data.
        if let compressed, [.printJob, .sendDocument].contains(operation) {
            request.operationAttributes.append(IPPAttribute("compression", keyword: compressed.coding.rawValue))
        }
        if operation != .sendDocument {
            request.operationAttributes += ticket.operationAttributes
            request.jobAttributes = ticket.jobAttributes
        }
        return request
    }

    private func withDocument(_ request: IPPRequest, _ throttle: ProgressThrottle) -> IPPRequest {
        var request = request
        request.document = compressed.map { .bytes($0.bytes) } ?? document
        request.compressed = compressed
        request.timeouts = deadlines.documentTimeouts
        request.onSending = { throttle.sent($0) }
        return request
    }
}

/// The operations that a delivery takes, by what the printer supports and how long the document is.
private struct DeliveryPlan {
    /// Whether to send Validate-Job first, so that a long document is not sent in vain.
    let validates: Bool
    /// Whether to use Create-Job and Send-Document in place of Print-Job: one round trip more, but the job has its
    /// number before the document flows, so its fate can be queried whatever happens to the connection.
    let createsJobFirst: Bool

    /// From this length on the round trip is negligible beside the transfer.
    private static let longDocument: Int64 = 256 * 1024

    /// `documentLength`: nil for one that is still being rendered.
    init(documentLength: Int64?, printer: PrinterCapabilities, usesCreateJob: Bool) {
        let isLong = documentLength.map { $0 >= Self.longDocument } ?? true
        validates = isLong && printer.supports(.validateJob)
        createsJobFirst = isLong && usesCreateJob && printer.supports(.createJob) && printer.supports(.sendDocument)
    }
}

/// Thins out the counts of bytes sent: at most about a hundred reports for a document, and always the last.
private final class ProgressThrottle: Sendable {
    private let document: DocumentBody
    private let step: Int64
    private let report: @Sendable (DeliveryProgress) -> Void
    private let last = Atomic<Int64>(0)

    init(of document: DocumentBody, report: @escaping @Sendable (DeliveryProgress) -> Void) {
        self.document = document
        step = max((document.length ?? 0) / 100, Int64(DocumentBody.chunkSize))
        self.report = report
    }

    /// The counts come in order.
    func sent(_ bytes: Int64) {
        let length = document.knownLength
        guard bytes == length || bytes - last.load(ordering: .relaxed) >= step else { return }
        last.store(bytes, ordering: .relaxed)
        report(.sending(bytes: bytes, of: length))
    }
}

/// Makes and recognises the `job-name` of our jobs at a printer: the job's id, and the name that people gave it.
enum JobName {
    /// RFC 8011 §5.1.3: a name has at most 255 octets.
    private static let maximumLength = 255

    /// The id comes first, so that a printer that cuts names keeps it.
    static func make(_ delivery: Delivery) -> String {
        let name = delivery.name.withoutControlCharacters
        return "\(delivery.jobID) \(name)".prefix(utf8Count: maximumLength)
    }

    /// Whether a job with this name at the printer is the one with this id.
    static func matches(_ name: String, jobID: String) -> Bool {
        name.split(separator: " ").contains { $0 == jobID }
    }
}
