import Hummingbird
import KioskAPI
import KioskAdminPage
import KioskDocumentPrinting
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry

/// The screens of the queue and of one job, and what their forms do.
struct JobPages: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor
    let access: AccessRules
    let previews: PreviewRoute

    private static let pageLength = 50
    /// The jobs that wait for a decision are shown on top, up to this number.
    private static let maximumUndecided = 20

    func add(to router: Router<APIContext>, _ pages: PageServer) {
        pages.get("/jobs", router, use: list)
        pages.get("/jobs/{id}", router, use: show)
        pages.post("/jobs/cancel", router, use: cancelAll)
        pages.post("/jobs/{id}/cancel", router) {
            try await act($0, done: "job-canceled") { _ = try await engine.cancel($0, by: $1) }
        }
        pages.post("/jobs/{id}/confirm", router) { page in
            try await act(page, done: "job-confirmed") { id, requester in
                _ = try await engine.confirm(id, by: requester)
                editor.audit?.note(.cameOut, about: id, by: page.context.caller)
            }
        }
        pages.post("/jobs/{id}/release", router) { page in
            try await act(page, done: "job-released") { id, requester in
                _ = try await engine.release(id, by: requester)
                editor.audit?.note(.printAgain, about: id, by: page.context.caller)
            }
        }
        pages.post("/jobs/{id}/reprint", router, use: reprint)
    }

    // MARK: Screens

    @Sendable private func list(_ page: PageRequest) async throws -> Response {
        let filter = JobsScreen.Filter(page.query)
        let requester = await access.requester(of: page.context)
        let since = filter.since.map { Timestamp.now.advanced(bySeconds: -$0.seconds) }
        let jobs = try await engine.jobs(
            JobFilter(
                role: filter.role, printer: filter.printer, states: filter.state?.states, since: since,
                name: filter.name, before: filter.before, limit: Self.pageLength))
        let held = try await engine.jobs(JobFilter(states: [.pendingHeld], limit: Self.maximumUndecided))
        let registry = await editor.registry
        let undecided = held.filter(\.isUnconfirmed)
        // Read later: what is to be decided above the list is shown as such in it.
        let later = Dictionary(uniqueKeysWithValues: undecided.map { ($0.id, $0) })
        var screen = JobsScreen(
            filter: filter, jobs: jobs.map { requester.view(of: later[$0.id] ?? $0) },
            undecided: undecided.map(requester.view(of:)),
            next: jobs.count == Self.pageLength ? jobs.last?.id : nil,
            roles: registry.roles.map(\.name), printers: registry.printers)
        screen.obstacles = await obstacles(jobs, registry)
        return page.answer(.jobs, screen.screen(page.texts))
    }

    /// The printers of each waiting job, where none of them would take it now.
    private func obstacles(_ jobs: [Job], _ registry: Registry) async -> [Job.ID: [PrinterStatus]] {
        let waiting = jobs.filter { $0.state == .pending }
        guard !waiting.isEmpty else { return [:] }
        let statuses = await engine.printers()
        let found = waiting.map { job in
            let named = job.printer.map { [$0] } ?? job.role.flatMap { registry.role($0) }?.printers ?? []
            let candidates = statuses.filter { named.contains($0.printer.id) }
            let isStuck = candidates.allSatisfy { !$0.availability.isAvailable }
            return (job.id, isStuck ? Array(candidates.prefix(Self.maximumObstacles)) : [])
        }
        return Dictionary(found) { first, _ in first }
    }

    private static let maximumObstacles = 3

    @Sendable private func show(_ page: PageRequest) async throws -> Response {
        let id = try page.context.jobID()
        let requester = await access.requester(of: page.context)
        let job = try await engine.job(id)
        let timeline = try await engine.timeline(of: id)
        let isTheirs = requester.owns(job)
        let document = isTheirs ? try? await engine.keptDocument(of: id, by: requester) : nil
        let isKept = document != nil
        let screen = JobScreen(
            job: requester.view(of: job), timeline: isTheirs ? timeline : timeline.withheld,
            printers: await editor.registry.printers, hasPreview: isKept && previews.canShow(job),
            isReprintable: isKept)
        return page.answer(.jobs, screen.screen(page.texts))
    }

    // MARK: Forms

    private func act(
        _ page: PageRequest, done: String, _ action: (Job.ID, Requester) async throws -> Void
    ) async throws -> Response {
        try await action(page.context.jobID(), access.requester(of: page.context))
        return page.seeOther(back(page), done: done)
    }

    /// Cancels all that waits for a role. What ends meanwhile by itself is no error.
    @Sendable private func cancelAll(_ page: PageRequest) async throws -> Response {
        guard let role = page.fields.text("role").flatMap({ RoleName(rawValue: $0) }) else {
            throw Problem(.invalidParameter, detail: "the form names no role; load the page again")
        }
        let requester = await access.requester(of: page.context)
        var filter = JobFilter(role: role, states: Set(JobState.allCases.filter { !$0.isFinal }), limit: 1000)
        while true {
            let jobs = try await engine.jobs(filter)
            for job in jobs { _ = try? await engine.cancel(job.id, by: requester) }
            guard jobs.count == filter.limit, let last = jobs.last else { break }
            filter.before = last.id
        }
        return page.seeOther(back(page), done: "jobs-canceled")
    }

    @Sendable private func reprint(_ page: PageRequest) async throws -> Response {
        let requester = await access.requester(of: page.context)
        let printer = try page.fields.text("printer").map { text in
            guard let id = PrinterID(rawValue: text) else {
                throw Problem(.unknownPrinter, detail: "there is no such printer; load the page again")
            }
            return id
        }
        let job = try await engine.reprint(
            page.context.jobID(), to: printer, caller: requester.keyspace, by: requester)
        return page.seeOther("/jobs/\(job.id)", done: "job-reprinted")
    }

    /// The screen that the form stood on: the queue with its filter, or a job.
    private func back(_ page: PageRequest) -> String {
        let text = page.fields.text("back") ?? ""
        let (path, query) = text[...].splitOnce(at: "?")
        if path == "/jobs" {
            return JobsScreen.Filter((try? QueryItems(query.map(String.init))) ?? QueryItems()).path
        }
        let id = path.hasPrefix("/jobs/") ? Job.ID(path.dropFirst("/jobs/".count)) : nil
        return id.map { "/jobs/\($0)" } ?? "/jobs"
    }
}

extension PreviewRoute {
    /// Whether a job's document has a picture.
    func canShow(_ job: Job) -> Bool {
        job.format.isReceipt || pages?.formats.contains(job.format) == true && job.printer != nil
    }
}
