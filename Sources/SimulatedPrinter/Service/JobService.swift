import KioskIPPCodec
import KioskPrintModel

/// A Print-Job or Send-Document request whose document follows. The job of a Print-Job is created with the document's
/// first byte.
struct DocumentRequest {
    let request: IPPRequest
    let format: String
    /// How the document is compressed; nil where it is not.
    let compression: DocumentCompression?
    fileprivate let isLast: Bool
    /// The job that Print-Job asks for; nil for Send-Document.
    fileprivate let newJob: JobRequest?
    fileprivate let unsupported: [IPPAttribute]
    fileprivate var jobID: Int32?
}

/// The job operations of RFC 8011 and PWG 5100.11 on the printer's model.
struct JobService {
    private(set) var model: PrinterModel
    /// How many more requests to print get the response `server-error-busy`.
    var busyResponses = 0
    /// Whether the printer says that it ignores all job template attributes.
    var ignoresTemplates = false
    private var actions: [PrinterModel.Action] = []
    private let printer: PrinterIdentity
    private let capabilities: SimulatedModel
    private let template: JobTemplate

    init(_ printer: PrinterIdentity, _ capabilities: SimulatedModel, condition: PrinterCondition) {
        self.printer = printer
        self.capabilities = capabilities
        template = JobTemplate(capabilities)
        model = PrinterModel(printsWhileReceiving: capabilities.printsWhileReceiving, condition: condition)
    }

    /// Passes an input to the model. What it led to waits for `takeActions`.
    mutating func apply(_ input: (inout PrinterModel) -> [PrinterModel.Action]) {
        actions += input(&model)
    }

    mutating func forgetHistory() { model.forgetHistory() }

    mutating func powerOn(at now: Duration) { model.powerOn(at: now) }

    /// Returns what happened since the last call.
    mutating func takeActions() -> [PrinterModel.Action] {
        defer { actions = [] }
        return actions
    }

    // MARK: Operations without a document

    func validateJob(_ request: IPPRequest) throws(IPPStatusError) -> IPPMessage {
        let (_, unsupported) = try jobRequest(request)
        return request.message.success(unsupported: unsupported)
    }

    mutating func createJob(_ request: IPPRequest, at now: Duration) throws(IPPStatusError) -> IPPMessage {
        let (newJob, unsupported) = try jobRequest(request)
        try checkBusy()
        let job: SimulatedJob
        do {
            job = try model.createJob(newJob, at: now)
        } catch {
            throw IPPStatusError(error)
        }
        actions.append(.jobCreated(job))
        return request.message.success([statusGroup(job, at: now)], unsupported: unsupported)
    }

    func getJobAttributes(_ request: IPPRequest, at now: Duration) throws(IPPStatusError) -> IPPMessage {
        let job = try job(of: request)
        let requested = RequestedAttributes(request, default: ["all"])
        return request.message.success([group(job, requested, at: now)])
    }

    func getJobs(_ request: IPPRequest, at now: Duration) throws(IPPStatusError) -> IPPMessage {
        try request.checkTarget(printer)
        var which = WhichJobs.notCompleted
        if let attribute = request["which-jobs"] {
            guard let supported = attribute.string.flatMap(WhichJobs.init) else {
                throw IPPStatusError(
                    .clientErrorAttributesOrValuesNotSupported, "This which-jobs is not supported.",
                    unsupported: [attribute])
            }
            which = supported
        }
        var jobs = model.jobs.filter { which.includes($0.state) }
        if request["my-jobs"]?.boolean == true { jobs = jobs.filter { $0.user == request.user } }
        // RFC 8011 §4.2.6.2: the next to complete first, or the last completed first.
        if which == .completed { jobs.reverse() }
        if let limit = request["limit"]?.integer {
            guard limit > 0 else { throw .badRequest("The limit must be 1 or more.") }
            jobs = Array(jobs.prefix(Int(limit)))
        }
        let requested = RequestedAttributes(request, default: ["job-id", "job-uri"])
        return request.message.success(jobs.map { group($0, requested, at: now) })
    }

    mutating func cancelJob(_ request: IPPRequest, at now: Duration) throws(IPPStatusError) -> IPPMessage {
        let id = try job(of: request).id
        do { actions += try model.cancelJob(id, at: now) } catch { throw IPPStatusError(error) }
        return request.message.success()
    }

    /// Cancels the jobs that the request lists, or none unless all are the user's and unfinished (PWG 5100.11 §4.2).
    mutating func cancelMyJobs(_ request: IPPRequest, at now: Duration) throws(IPPStatusError) -> IPPMessage {
        try request.checkTarget(printer)
        let mine = model.queuedJobs.filter { $0.user == request.user }.map(\.id)
        let ids = request["job-ids"]?.integers ?? mine
        guard ids.allSatisfy(mine.contains) else {
            throw IPPStatusError(.clientErrorNotPossible, "Not all of these jobs are yours and unfinished.")
        }
        for id in ids {
            do { actions += try model.cancelJob(id, at: now) } catch { throw IPPStatusError(error) }
        }
        return request.message.success()
    }

    mutating func holdJob(_ request: IPPRequest) throws(IPPStatusError) -> IPPMessage {
        let id = try job(of: request).id
        do { actions += try model.holdJob(id) } catch { throw IPPStatusError(error) }
        return request.message.success()
    }

    mutating func releaseJob(_ request: IPPRequest, at now: Duration) throws(IPPStatusError) -> IPPMessage {
        let id = try job(of: request).id
        do { actions += try model.releaseJob(id, at: now) } catch { throw IPPStatusError(error) }
        return request.message.success()
    }

    /// Close-Job (PWG 5100.11 §4.1).
    mutating func closeJob(_ request: IPPRequest, at now: Duration) throws(IPPStatusError) -> IPPMessage {
        let job = try job(of: request)
        do { actions += try model.closeJob(job.id, at: now) } catch { throw IPPStatusError(error) }
        return request.message.success([statusGroup(model.job(job.id) ?? job, at: now)])
    }

    // MARK: Operations with a document

    mutating func printJob(_ request: IPPRequest) throws(IPPStatusError) -> DocumentRequest {
        let (newJob, unsupported) = try jobRequest(request)
        try checkBusy()
        return DocumentRequest(
            request: request, format: newJob.format, compression: try request.compression(), isLast: true,
            newJob: newJob, unsupported: unsupported, jobID: nil)
    }

    func sendDocument(_ request: IPPRequest) throws(IPPStatusError) -> DocumentRequest {
        let job = try job(of: request)
        try request.checkFormat(capabilities)
        let compression = try request.compression()
        guard let isLast = request["last-document"]?.boolean else {
            throw .badRequest("The attribute last-document is missing.")
        }
        guard !job.state.isFinal, !job.isClosed, !job.isReceiving else {
            throw IPPStatusError(.notPossible(job.state))
        }
        return DocumentRequest(
            request: request, format: request["document-format"]?.string ?? job.format, compression: compression,
            isLast: isLast, newJob: nil, unsupported: [], jobID: job.id)
    }

    /// Begins the document with its first byte: from now on the job has a document with this number.
    mutating func beginDocument(
        _ document: inout DocumentRequest, number: Int, at now: Duration
    ) throws(PrinterModel.JobError) -> SimulatedJob? {
        let isNew = document.jobID == nil
        if let newJob = document.newJob, isNew { document.jobID = try model.createJob(newJob, at: now).id }
        guard let id = document.jobID else { throw .notFound }
        try model.beginDocument(id, number: number, format: document.format)
        let job = model.job(id)
        if let job { actions.append(isNew ? .jobCreated(job) : .jobChanged(job)) }
        return job
    }

    /// Notes how many bytes of the job's document have arrived in all.
    mutating func received(_ jobID: Int32, bytes: Int64) { model.received(jobID, bytes: bytes) }

    /// Ends the document, which is `bytes` long, and returns the response to its request.
    mutating func finishDocument(
        _ document: DocumentRequest, bytes: Int64, at now: Duration
    ) throws(IPPStatusError) -> IPPMessage {
        guard let id = document.jobID, document.newJob == nil || bytes > 0 else {
            throw .badRequest("The request has no document.")
        }
        if bytes > 0 {
            model.received(id, bytes: bytes)
            actions += model.endDocument(id, isLast: document.isLast, at: now)
        } else {
            // RFC 8011 §4.3.1: the last Send-Document may come without a document, and closes the job.
            guard document.isLast else { throw .badRequest("The request has no document.") }
            do { actions += try model.closeJob(id, at: now) } catch { throw IPPStatusError(error) }
        }
        guard let job = model.job(id) else { throw IPPStatusError(.clientErrorNotFound, "The job is gone.") }
        // The response shows the job as it was accepted: printing begins afterwards.
        actions += model.advance(to: now)
        if job.state == .canceled {
            throw IPPStatusError(.serverErrorJobCanceled, "The job was canceled meanwhile.")
        }
        return document.request.message.success([statusGroup(job, at: now)], unsupported: document.unsupported)
    }

    // MARK: What operations share

    /// The job that Print-Job, Validate-Job and Create-Job ask for (RFC 8011 §4.2.1.1), and the attributes that the
    /// printer ignores.
    private func jobRequest(
        _ request: IPPRequest
    ) throws(IPPStatusError) -> (JobRequest, unsupported: [IPPAttribute]) {
        try request.checkTarget(printer)
        try request.checkFormat(capabilities)
        _ = try request.compression()
        guard !model.condition.isRejectingJobs else { throw IPPStatusError(.notAcceptingJobs) }
        let (supported, unsupported) = template.partition(request.jobAttributes, ignoringAll: ignoresTemplates)
        if !unsupported.isEmpty, request["ipp-attribute-fidelity"]?.boolean == true {
            throw IPPStatusError(
                .clientErrorAttributesOrValuesNotSupported,
                "The printer does not support all attributes of the job.", unsupported: unsupported)
        }
        var job = JobRequest()
        job.name = request["job-name"]?.string ?? request["document-name"]?.string ?? job.name
        job.user = request.user
        job.format = request["document-format"]?.string ?? capabilities.formats[0]
        job.template = supported
        return (job, unsupported)
    }

    private mutating func checkBusy() throws(IPPStatusError) {
        guard busyResponses > 0 else { return }
        busyResponses -= 1
        throw IPPStatusError(.serverErrorBusy, "The printer is busy; try again.")
    }

    private func job(of request: IPPRequest) throws(IPPStatusError) -> SimulatedJob {
        guard let id = try request.jobID(on: printer), let job = model.job(id) else { throw .jobNotFound }
        return job
    }

    private func statusGroup(_ job: SimulatedJob, at now: Duration) -> IPPGroup {
        IPPGroup(.job, JobAttributes(model: model, printer: printer, now: now).status(of: job))
    }

    private func group(_ job: SimulatedJob, _ requested: RequestedAttributes, at now: Duration) -> IPPGroup {
        let attributes = JobAttributes(model: model, printer: printer, now: now).description(of: job)
        return IPPGroup(
            .job,
            requested.filter(attributes, group: "job-description")
                + requested.filter(job.template, group: "job-template"))
    }
}
