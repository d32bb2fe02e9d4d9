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
    private let jobAttributes: [IPPAttribute]
    private let remarks: [String]
    private let requestsRollSize: Bool
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
        // A medium that somebody chose comes before the roll's size.
        let roll = delivery.ticket.media == nil ? delivery.document.rollPage.map { printer.media(for: $0) } : nil
        jobAttributes =
            delivery.ticket.jobAttributes(for: printer, format: format) + [roll?.attribute].compactMap(\.self)
        remarks = [roll?.remark].compactMap(\.self)
        requestsRollSize = delivery.document.rollPage != nil
        plan = DeliveryPlan(documentLength: document.length, printer: printer, usesCreateJob: usesCreateJob)
    }

    func send(
        with client: IPPClient, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws(TransportError) -> JobReport {
        let throttle = ProgressThrottle(length: document.length, report: progress)
        if plan.validates, client.knowledge.usesValidateJob { try await validate(with: client) }
        if plan.createsJobFirst, let job = try await createJob(with: client) {
            progress(.accepted(job))
            if let report = try await sendDocument(job, with: client, throttle) { return report }
        }
        let response = try await perform(withDocument(request(.printJob), throttle), with: client)
        let report = report(response, job: response.remoteJob)
        if let job = report.remoteJob { progress(.accepted(job)) }
        return report
    }

    /// Validate-Job, twice at most. Some printers advertise it and do not have it, or fail over it, so nothing but a
    /// clear refusal of the job counts; the job itself will show whatever else is wrong. A printer that never
    /// responds to it, or whose HTTP server does not let it through, gets no other.
    private func validate(with client: IPPClient) async throws(TransportError) {
        let request = request(.validateJob)
        for _ in 0..<2 {
            do throws(TransportError) {
                let response = try await client.send(request)
                if response.message.status.isSuccess || response.message.status == .serverErrorOperationNotSupported {
                    return
                }
                let error = error(response, request, client)
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

    /// Create-Job; nil where the printer advertises it and fails, so that Print-Job is tried.
    private func createJob(with client: IPPClient) async throws(TransportError) -> RemoteJob? {
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
        return response.remoteJob
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
        var report = JobReport(attributes, job: job) ?? JobReport(state: .pending, evidence: .accepted, remoteJob: job)
        report.remarks = remarks
        return report
    }

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
        if compressed != nil, operation != .createJob {
            request.operationAttributes.append(IPPAttribute("compression", keyword: "gzip"))
        }
        if operation != .sendDocument { request.jobAttributes = jobAttributes }
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

    init(documentLength: Int64, printer: PrinterCapabilities, usesCreateJob: Bool) {
        let isLong = documentLength >= Self.longDocument
        validates = isLong && printer.supports(.validateJob)
        createsJobFirst = isLong && usesCreateJob && printer.supports(.createJob) && printer.supports(.sendDocument)
    }
}

/// Thins out the counts of bytes sent: at most about a hundred reports for a document, and always the last.
private final class ProgressThrottle: Sendable {
    private let length: Int64
    private let step: Int64
    private let report: @Sendable (DeliveryProgress) -> Void
    private let last = Atomic<Int64>(0)

    init(length: Int64, report: @escaping @Sendable (DeliveryProgress) -> Void) {
        self.length = length
        step = max(length / 100, Int64(DocumentBody.chunkSize))
        self.report = report
    }

    /// The counts come in order.
    func sent(_ bytes: Int64) {
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

extension Ticket {
    /// The job template attributes (RFC 8011 §5.2) of this ticket that the printer says it takes. The rest is left out,
    /// since some printers refuse a whole job over an attribute that they do not know.
    func jobAttributes(for printer: PrinterCapabilities, format: DocumentFormat) -> [IPPAttribute] {
        var attributes: [IPPAttribute] = []
        func add(_ name: String, _ value: IPPValue) { attributes.append(IPPAttribute(name, value)) }
        func add(_ name: String, number: Int?) {
            if let number, printer.accepts(name) { add(name, .integer(Int32(clamping: number))) }
        }
        func add(_ name: String, keyword: String?) {
            if let keyword, printer.accepts(name, keyword: keyword) { add(name, .keyword(IPPText(keyword))) }
        }
        func add(_ name: String, enumValue: Int32?) {
            if let enumValue, printer.accepts(name, number: enumValue) { add(name, .enum(enumValue)) }
        }

        // A raster stream says itself how often to print each page (PWG 5102.4); both would multiply.
        if format != .pwgRaster, format != .appleRaster { add("copies", number: copies) }
        add("sides", keyword: sides?.rawValue)
        if let media, let attribute = media.isEmpty ? nil : printer.media(media) { attributes.append(attribute) }
        if let pageRanges, printer.accepts("page-ranges") {
            let ranges = pageRanges.map { IPPRange(Int32(clamping: $0.first), Int32(clamping: $0.last)) }
            attributes.append(IPPAttribute("page-ranges", ranges.map { .rangeOfInteger($0) }))
        }
        add("number-up", number: numberUp)
        add("orientation-requested", enumValue: orientation?.ippEnum)
        add("print-color-mode", keyword: colorMode?.rawValue)
        add("print-quality", enumValue: quality?.ippEnum)
        add("job-priority", number: priority)
        if let finishing = cut?.attribute(for: printer) { attributes.append(finishing) }
        return attributes
    }
}

extension Ticket.Cut {
    /// The `finishings` or `finishings-col`. PWG 5100.1 says when to cut and not how deep, so partial and full are the
    /// same here. Nil where the printer lists no cut.
    fileprivate func attribute(for printer: PrinterCapabilities) -> IPPAttribute? {
        switch self {
        case .none:
            guard printer.firstListed("finishings", Self.cuts) != nil else { return nil }
            return IPPAttribute("finishings", .enum(Self.noFinishing))
        case .partial, .full:
            if let number = printer.firstListed("finishings", Self.cuts) {
                return IPPAttribute("finishings", .enum(number))
            }
            return printer.template(Self.templates).map { template in
                IPPAttribute("finishings-col", .collection([IPPAttribute("finishing-template", keyword: template)]))
            }
        }
    }

    /// `none` of RFC 8011 §5.2.6.
    private static let noFinishing: Int32 = 3
    /// trim-after-job, trim-after-documents, trim-after-copies, trim: PWG 5100.1 §6.1.
    private static let cuts: [Int32] = [63, 61, 62, 11]
    private static let templates = ["trim-after-job", "trim-after-documents", "trim-after-copies", "trim"]
}

extension Ticket.Orientation {
    /// RFC 8011 §5.2.10.
    fileprivate var ippEnum: Int32 {
        switch self {
        case .portrait: 3
        case .landscape: 4
        case .reverseLandscape: 5
        case .reversePortrait: 6
        }
    }
}

extension Ticket.Quality {
    /// RFC 8011 §5.2.13.
    fileprivate var ippEnum: Int32 {
        switch self {
        case .draft: 3
        case .normal: 4
        case .high: 5
        }
    }
}
