import HTTPTypes
import Hummingbird
import KioskAPI
import KioskEngine
import NIOCore
import PrintModel
import ServiceLifecycle

/// `/v1/jobs`: sending, listing, following, cancelling, releasing and reprinting jobs.
struct JobRoutes: Sendable {
    private let engine: PrintEngine
    private let receiver: DocumentReceiver
    private let waiter: JobWaiter
    private let access: AccessRules

    init(engine: PrintEngine, access: AccessRules, maximumDocumentLength: Int64) {
        self.engine = engine
        self.access = access
        receiver = DocumentReceiver(engine: engine, access: access, maximumLength: maximumDocumentLength)
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
        let job = try await engine.submit(submission.request, document: submission.document)
        return try await accepted(job, wait: submission.wait, context)
    }

    /// The answer to whoever made a job.
    private func accepted(_ job: Job, wait: Int?, _ context: APIContext) async throws -> Response {
        var job = job
        // The job is accepted: where too many wait, it is told as it is.
        if let wait, !job.isSettled, let place = try? context.limits.waits.reserve(for: context.caller) {
            defer { place.giveBack() }
            job = try await waiter.job(job.id, settledWithin: wait, context)
        }
        return try .json(
            job, status: job.isSettled ? .ok : .accepted, headers: [.location: APIPaths.job(job.id)]
        )
    }

    @Sendable private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        let filter = try KioskAPI.JobFilter(query: request.uri.query)
        let requester = await access.requester(of: context)
        // Names of others' jobs cannot be found out by looking for them.
        let owner = filter.name == nil || requester.isOperator || requester.sharesEveryJob ? nil : requester.user
        let jobs = try await engine.jobs(
            KioskEngine.JobFilter(
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
        return try await .json(engine.release(context.jobID(), by: access.requester(of: context)))
    }

    @Sendable private func reprint(_ request: Request, _ context: APIContext) async throws -> Response {
        let parameters = try ReprintParameters(query: request.uri.query, header: request.header)
        let requester = await access.requester(of: context)
        let job = try await engine.reprint(
            context.jobID(), to: parameters.printer, idempotencyKey: parameters.idempotencyKey,
            caller: requester.keyspace, by: requester
        )
        return try await accepted(job, wait: parameters.wait, context)
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
    /// The user's own space of idempotency keys: the same key of different users means different jobs.
    var keyspace: String? { user.map { "uid:\($0)" } }
}

/// Keeps a request open until its job is settled.
struct JobWaiter: Sendable {
    let engine: PrintEngine

    /// The job once it is settled; as it is when the time is up, the client hangs up or the daemon shuts down.
    func job(_ id: Job.ID, settledWithin seconds: Int, _ context: APIContext) async throws -> Job {
        guard seconds > 0 else { return try await engine.job(id) }
        let (stops, stop) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listener = context.presence.on(.finishedSending) { stop.yield() }
        defer { listener.cancel() }
        return try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Job?.self) { group in
                group.addTask { try await engine.wait(for: id, timeout: .seconds(seconds)) }
                group.addTask {
                    for await _ in stops { break }
                    return nil
                }
                defer { group.cancelAll() }
                if let job = try await group.next() ?? nil { return job }
                return try await engine.job(id)
            }
        } onGracefulShutdown: {
            stop.yield()
        }
    }
}
