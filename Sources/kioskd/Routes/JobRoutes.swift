import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAccess
import KioskEngine
import KioskPrintModel
import NIOCore
import ServiceLifecycle

/// `/v1/jobs`: sending, listing, following, cancelling, releasing and reprinting jobs.
struct JobRoutes: Sendable {
    private let engine: PrintEngine
    private let receiver: DocumentReceiver
    private let waiter: JobWaiter
    private let access: AccessRules
    private let audit: AuditLog?
    private let mirror: JobMirror?

    /// `audit`: nil where nobody keeps one. `partnership`: nil where the kiosk has no partner.
    init(
        engine: PrintEngine, access: AccessRules, audit: AuditLog?, maximumDocumentLength: Int64,
        partnership: Partnership? = nil
    ) {
        self.engine = engine
        self.access = access
        self.audit = audit
        mirror = partnership?.mirror
        receiver = DocumentReceiver(
            engine: engine, access: access, keeper: partnership?.keeper, maximumLength: maximumDocumentLength)
        waiter = JobWaiter(engine: engine)
    }

    func add(to router: Router<APIContext>) {
        router.post("/v1/jobs", use: submit)
        router.get("/v1/jobs", use: list)
        router.get("/v1/jobs/{id}", use: show)
        router.delete("/v1/jobs/{id}", use: cancel)
        router.post("/v1/jobs/{id}/release", use: release)
        router.post("/v1/jobs/{id}/reprint", use: reprint)
        router.get("/v1/jobs/{id}/timeline", use: timeline)
    }

    @Sendable private func submit(_ request: Request, _ context: APIContext) async throws -> Response {
        let submission = try await receiver.receive(request, context)
        if let mirror, await mirror.mirrors(submission.request) {
            return try await submitMirrored(submission, by: mirror, context)
        }
        // Where too many wait, the job is accepted all the same, and told as it is.
        guard let wait = submission.wait, wait > 0, let place = try? context.limits.waits.reserve(for: context.caller)
        else {
            return try accepted(await engine.submit(submission.request, document: submission.document))
        }
        defer { place.giveBack() }
        let job = try await waiter.wait(context) { end in
            try await engine.submit(
                submission.request, document: submission.document, settledWithin: .seconds(wait), endedBy: end)
        }
        return try accepted(job)
    }

    /// Accepts a job, and answers once the partner has it too, or does not answer.
    private func submitMirrored(
        _ submission: DocumentReceiver.Submission, by mirror: JobMirror, _ context: APIContext
    ) async throws -> Response {
        // What has come this far is not given up halfway, also where the client hangs up.
        let job = try await Task { [engine] in
            let job = try await engine.submit(submission.request, document: submission.document)
            await mirror.mirror(job, submission.request)
            return job
        }.value
        guard let wait = submission.wait, wait > 0, let place = try? context.limits.waits.reserve(for: context.caller)
        else {
            return try accepted((try? await engine.job(job.id)) ?? job)
        }
        defer { place.giveBack() }
        return try accepted(await waiter.job(job.id, settledWithin: wait, context))
    }

    /// The response to a request that made a job.
    private func accepted(_ job: Job) throws -> Response {
        try .json(job, status: job.isSettled ? .ok : .accepted, headers: [.location: APIPaths.job(job.id)])
    }

    @Sendable private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        let filter = try JobQuery(query: request.uri.query)
        let requester = await access.requester(of: context)
        // Names of others' jobs cannot be found out by looking for them, and who may only print lists their own.
        let seesOthers = context.caller.maySeeOthers && filter.name == nil
        let owner = seesOthers || requester.isOperator || requester.sharesEveryJob ? nil : requester.owner
        let jobs = try await engine.jobs(
            JobFilter(
                role: filter.role, printer: filter.printer, states: filter.states.isEmpty ? nil : Set(filter.states),
                since: filter.since, until: filter.until, name: filter.name, owner: owner, before: filter.before,
                limit: filter.limit
            )
        )
        return try .json(
            JobList(jobs: jobs.map(requester.view(of:)), next: jobs.count == filter.limit ? jobs.last?.id : nil))
    }

    @Sendable private func show(_ request: Request, _ context: APIContext) async throws -> Response {
        let items = try QueryItems(request.uri.query)
        try items.refuseKeys(besides: [WaitParameter.key])
        let id = try context.jobID()
        let requester = await access.requester(of: context)
        var job = try await engine.job(id)
        if let wait = try WaitParameter.parse(items), !job.isSettled {
            let place = try context.limits.waits.reserve(for: context.caller)
            defer { place.giveBack() }
            job = try await waiter.job(id, settledWithin: wait, context)
        }
        return try .json(requester.view(of: job))
    }

    @Sendable private func cancel(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        return try await .json(engine.cancel(context.jobID(), by: access.requester(of: context)))
    }

    @Sendable private func release(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let job = try await engine.release(context.jobID(), by: access.requester(of: context))
        audit?.note(.printAgain, about: job.id, by: context.caller)
        return try .json(job)
    }

    @Sendable private func reprint(_ request: Request, _ context: APIContext) async throws -> Response {
        let parameters = try ReprintParameters(query: request.uri.query, header: request.header)
        let requester = await access.requester(of: context)
        if context.caller.token != nil {
            try await context.caller.checkPrinting(to: engine.job(context.jobID()).role, printer: parameters.printer)
        }
        var job = try await engine.reprint(
            context.jobID(), to: parameters.printer, idempotencyKey: parameters.idempotencyKey,
            caller: requester.keyspace, by: requester, requestID: context.requestID
        )
        if let wait = parameters.wait, !job.isSettled,
            let place = try? context.limits.waits.reserve(for: context.caller)
        {
            defer { place.giveBack() }
            job = try await waiter.job(job.id, settledWithin: wait, context)
        }
        return try accepted(job)
    }

    @Sendable private func timeline(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let id = try context.jobID()
        let requester = await access.requester(of: context)
        let isTheirs = try await requester.owns(engine.job(id))
        let timeline = try await engine.timeline(of: id)
        return try .json(isTheirs ? timeline : timeline.withheld)
    }
}

extension Requester {
    /// Their own space of idempotency keys: the same key of different callers means different jobs.
    var keyspace: String? { owner?.description }
}

/// Keeps a request open until its job is settled.
struct JobWaiter: Sendable {
    let engine: PrintEngine

    /// The job once it is settled; as it is when the time is up, the client hangs up or the daemon shuts down.
    func job(_ id: Job.ID, settledWithin seconds: Int, _ context: APIContext) async throws -> Job {
        guard seconds > 0 else { return try await engine.job(id) }
        return try await wait(context) { end in
            try await engine.wait(for: id, timeout: .seconds(seconds), endedBy: end)
        }
    }

    /// Asks the engine for a job, with what ends its wait when the client hangs up or the daemon shuts down.
    func wait(_ context: APIContext, _ ask: (WaitEnd) async throws -> Job) async throws -> Job {
        let end = WaitEnd()
        let listener = context.presence.on(.finishedSending) { end.now() }
        defer { listener.cancel() }
        return try await withGracefulShutdownHandler {
            try await ask(end)
        } onGracefulShutdown: {
            end.now()
        }
    }
}

/// Reads a submission: what is wanted, and the document into the engine's intake as it comes.
struct DocumentReceiver: Sendable {
    let engine: PrintEngine
    let access: AccessRules
    /// Nil where the kiosk keeps jobs for no partner.
    let keeper: StandbyKeeper?
    /// The maximum length of a document in bytes.
    let maximumLength: Int64

    struct Submission {
        var request: JobRequest
        var document: ReceivedDocument
        /// The seconds that the response may wait.
        var wait: Int?
    }

    func receive(_ request: Request, _ context: APIContext) async throws -> Submission {
        let contentType = request.headers[.contentType].flatMap { DocumentFormat($0) }
        return contentType?.mimeType == APIMediaTypes.json
            ? try await receiveJSON(request, context) : try await receiveRaw(request, context)
    }

    /// The body is the document.
    private func receiveRaw(_ request: Request, _ context: APIContext) async throws -> Submission {
        let parameters = try SubmissionParameters(query: request.uri.query, header: request.parameterHeader)
        let jobRequest = try await jobRequest(parameters, context)
        // What can be refused is refused before the body is asked for.
        try await engine.check(jobRequest)
        let length = request.contentLength
        if let length, length > maximumLength { throw tooLarge }
        context.wantBody(of: request)
        let document = try await take(for: jobRequest) { intake in
            var received: Int64 = 0
            for try await buffer in request.body {
                received += Int64(buffer.readableBytes)
                try await intake.append(Array(buffer.readableBytesView))
            }
            // A cancelled or closed connection may end the body without an error.
            try Task.checkCancellation()
            if let length, received != length { throw cutOff(received, of: length) }
        }
        return Submission(request: jobRequest, document: document, wait: parameters.wait)
    }

    /// The body is JSON with the document in it.
    private func receiveJSON(_ request: Request, _ context: APIContext) async throws -> Submission {
        let body = try await request.boundedBody(APILimits.maximumJSONSubmission, context, of: context.limits.bodies)
        defer { body.reservation.giveBack() }
        let submission = try await body.decoded(as: JobSubmission.self)
        let parameters = try SubmissionParameters(
            submission: submission, query: request.uri.query, header: request.parameterHeader
        )
        let jobRequest = try await jobRequest(parameters, context)
        try await engine.check(jobRequest)
        let document = try await take(for: jobRequest) { intake in
            try await intake.append(submission.document.bytes)
        }
        return Submission(request: jobRequest, document: document, wait: parameters.wait)
    }

    /// A stored document; nothing stays behind when `fill` throws.
    private func take(
        for request: JobRequest, _ fill: (DocumentIntake) async throws -> Void
    ) async throws -> ReceivedDocument {
        let intake = engine.makeIntake(for: request)
        do {
            try await fill(intake)
            return try await intake.finish()
        } catch {
            await intake.discard()
            throw error
        }
    }

    private func jobRequest(_ parameters: SubmissionParameters, _ context: APIContext) async throws -> JobRequest {
        try context.caller.checkPrinting(to: parameters.role, printer: parameters.printer)
        let requester = await access.requester(of: context)
        let jobRequest = JobRequest(
            role: parameters.role, printer: parameters.printer, name: parameters.name ?? Self.standardName,
            // The kernel knows who prints better than they say (RFC 8011 §9.3: the most authenticated name counts).
            user: requester.isOperator ? parameters.user : nil, format: parameters.format, ticket: parameters.ticket,
            idempotencyKey: parameters.idempotencyKey, caller: requester.keyspace, rights: requester.rights,
            owner: requester.owner,
            ownerName: requester.name, requestID: context.requestID
        )
        try await keeper?.refuseHeld(jobRequest)
        return jobRequest
    }

    /// What a job is called that nobody named.
    private static let standardName = "Untitled"

    private var tooLarge: Problem {
        Problem(
            .documentTooLarge,
            detail:
                "the document is longer than \(maximumLength) bytes; send a smaller one, or start kioskd with --max-document-size"
        )
    }

    private func cutOff(_ received: Int64, of length: Int64) -> Problem {
        Problem(
            .bodyCutOff,
            detail: "the body ended after \(received) of \(length) bytes; nothing was stored; send it again"
        )
    }
}
