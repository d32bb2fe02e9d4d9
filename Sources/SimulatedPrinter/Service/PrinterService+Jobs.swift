import IPPCodec
import PrintModel

// Operations on jobs that carry no document.
extension PrinterService {
    func validateJob(_ request: IPPRequest) throws(IPPRefusal) -> IPPMessage {
        let (_, unsupported) = try jobRequest(request)
        return success(request, unsupported: unsupported)
    }

    mutating func createJob(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        let (wanted, unsupported) = try jobRequest(request)
        try checkBusy()
        let job: SimulatedJob
        do {
            job = try model.createJob(wanted, at: now)
        } catch {
            throw IPPRefusal(error)
        }
        actions.append(.jobChanged(job))
        return success(request, [statusGroup(job, at: now)], unsupported: unsupported)
    }

    func getJobAttributes(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        let job = try job(of: request)
        let asked = RequestedAttributes(request, nothingAsked: ["all"])
        return success(request, [group(job, asked, at: now)])
    }

    func getJobs(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        try checkPrinter(request)
        var which = WhichJobs.notCompleted
        if let attribute = request["which-jobs"] {
            guard let known = attribute.string.flatMap(WhichJobs.init) else {
                throw IPPRefusal(
                    .clientErrorAttributesOrValuesNotSupported, "This which-jobs is not supported.",
                    unsupported: [attribute])
            }
            which = known
        }
        var jobs = model.jobs.filter { which.includes($0.state) }
        if request["my-jobs"]?.boolean == true { jobs = jobs.filter { $0.user == request.user } }
        // RFC 8011 §4.2.6.2: the next to complete first, or the last completed first.
        if which == .completed { jobs.reverse() }
        if let limit = request["limit"]?.integer {
            guard limit > 0 else { throw .badRequest("The limit must be 1 or more.") }
            jobs = Array(jobs.prefix(Int(limit)))
        }
        let asked = RequestedAttributes(request, nothingAsked: ["job-id", "job-uri"])
        return success(request, jobs.map { group($0, asked, at: now) })
    }

    mutating func cancelJob(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        let id = try job(of: request).id
        do {
            actions += try model.cancelJob(id, at: now)
        } catch {
            throw IPPRefusal(error)
        }
        return success(request)
    }

    /// PWG 5100.11 §4.2.
    mutating func cancelMyJobs(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        try checkPrinter(request)
        let mine = model.queuedJobs.filter { $0.user == request.user }.map(\.id)
        let asked = request["job-ids"]?.integers ?? mine
        // All or none (PWG 5100.11 §4.2).
        guard asked.allSatisfy(mine.contains) else {
            throw IPPRefusal(.clientErrorNotPossible, "Not all of these jobs are yours and unfinished.")
        }
        for id in asked {
            do {
                actions += try model.cancelJob(id, at: now)
            } catch {
                throw IPPRefusal(error)
            }
        }
        return success(request)
    }

    mutating func holdJob(_ request: IPPRequest) throws(IPPRefusal) -> IPPMessage {
        let id = try job(of: request).id
        do {
            actions += try model.holdJob(id)
        } catch {
            throw IPPRefusal(error)
        }
        return success(request)
    }

    mutating func releaseJob(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        let id = try job(of: request).id
        do {
            actions += try model.releaseJob(id, at: now)
        } catch {
            throw IPPRefusal(error)
        }
        return success(request)
    }

    /// PWG 5100.11 §4.1.
    mutating func closeJob(_ request: IPPRequest, at now: Duration) throws(IPPRefusal) -> IPPMessage {
        let job = try job(of: request)
        do {
            actions += try model.closeJob(job.id, at: now)
        } catch {
            throw IPPRefusal(error)
        }
        return success(request, [statusGroup(model.job(job.id) ?? job, at: now)])
    }

    /// The target of a job operation: `job-uri`, or `printer-uri` and `job-id` (RFC 8011 §4.1.5).
    func job(of request: IPPRequest) throws(IPPRefusal) -> SimulatedJob {
        let id: Int32?
        if let uri = request["job-uri"]?.string {
            let prefix = PrinterIdentity.path + "/"
            id = uri.uriPath.flatMap { $0.hasPrefix(prefix) ? Int32($0.dropFirst(prefix.count)) : nil }
        } else {
            try checkPrinter(request)
            guard let number = request["job-id"]?.integer else {
                throw .badRequest("The attribute job-id is missing.")
            }
            id = number
        }
        guard let id, let job = model.job(id) else {
            throw IPPRefusal(.clientErrorNotFound, "There is no such job.")
        }
        return job
    }

    func statusGroup(_ job: SimulatedJob, at now: Duration) -> IPPGroup {
        IPPGroup(.job, JobAttributes(model: model, identity: identity, now: now).status(of: job))
    }

    private func group(_ job: SimulatedJob, _ asked: RequestedAttributes, at now: Duration) -> IPPGroup {
        let attributes = JobAttributes(model: model, identity: identity, now: now).description(of: job)
        return IPPGroup(
            .job,
            asked.filter(attributes, group: "job-description") + asked.filter(job.template, group: "job-template"))
    }

    mutating func checkBusy() throws(IPPRefusal) {
        guard busyAnswers > 0 else { return }
        busyAnswers -= 1
        throw IPPRefusal(.serverErrorBusy, "The printer is busy; try again.")
    }

    /// What Print-Job, Validate-Job and Create-Job share (RFC 8011 §4.2.1.1).
    func jobRequest(_ request: IPPRequest) throws(IPPRefusal) -> (JobRequest, unsupported: [IPPAttribute]) {
        try checkPrinter(request)
        try checkFormat(request)
        _ = try isPacked(request)
        guard !model.condition.isRefusing else { throw IPPRefusal(.notAccepting) }
        let (supported, unsupported) = template.sort(request.jobAttributes)
        if !unsupported.isEmpty, request["ipp-attribute-fidelity"]?.boolean == true {
            throw IPPRefusal(
                .clientErrorAttributesOrValuesNotSupported, "The printer cannot do all that the job asks for.",
                unsupported: unsupported)
        }
        var wanted = JobRequest()
        wanted.name = request["job-name"]?.string ?? request["document-name"]?.string ?? wanted.name
        wanted.user = request.user
        wanted.format = request["document-format"]?.string ?? profile.formats[0]
        wanted.template = supported
        return (wanted, unsupported)
    }

    /// Whether the document comes as gzip; other compressions are refused.
    func isPacked(_ request: IPPRequest) throws(IPPRefusal) -> Bool {
        guard let compression = request["compression"] else { return false }
        switch compression.string {
        case "none": return false
        case "gzip": return true
        default:
            throw IPPRefusal(
                .clientErrorCompressionNotSupported, "Documents are taken as they are, or as gzip.",
                unsupported: [compression])
        }
    }
}
