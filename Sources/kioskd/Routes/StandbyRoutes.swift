import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAPIMessages
import KioskAccess
import KioskEngine
import KioskFleet
import KioskPrintModel
import KioskStandby

/// `/v1/standby`: what the partner has this kiosk keep, and what became of it.
struct StandbyRoutes: Sendable {
    /// Nil where the kiosk has no partner.
    let keeper: StandbyKeeper?
    let access: AccessRules

    func add(to router: Router<APIContext>) {
        router.get("/v1/standby", use: list)
        router.put("/v1/standby/{node}/{id}", use: hold)
        router.delete("/v1/standby/{node}/{id}", use: end)
    }

    /// Throws for whoever is neither the partner nor an administrator.
    private func keeper(for context: APIContext) throws(Problem) -> StandbyKeeper {
        let isPartner = context.caller.token?.scopes.contains(.standby) == true
        guard isPartner || access.administrators.include(context.caller) else {
            throw Problem(
                .notAllowed, detail: "mirrored jobs are for administrators, and for the partner with its token")
        }
        guard let keeper else {
            throw Problem(.notFound, detail: "this kiosk has no partner; start kioskd with --partner")
        }
        return keeper
    }

    @Sendable private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        let keeper = try keeper(for: context)
        let query = try StandbyQuery(query: request.uri.query)
        if let node = query.node { _ = try Self.node(node) }
        return try await .json(keeper.list(query))
    }

    @Sendable private func hold(_ request: Request, _ context: APIContext) async throws -> Response {
        let keeper = try keeper(for: context)
        try request.refuseQuery()
        let (node, id) = try place(in: context)
        let body = try await request.boundedBody(
            APILimits.maximumJSONSubmission, context, of: context.limits.bodies,
            instead: "a job of this size is not mirrored")
        defer { body.reservation.giveBack() }
        let job = try await body.decoded(as: StandbyJob.self)
        do {
            return try await .json(keeper.hold(job, of: node, id))
        } catch let error as StandbyError {
            throw Problem(error.code == .full ? .storageFull : .documentTooLarge, detail: error.message)
        }
    }

    @Sendable private func end(_ request: Request, _ context: APIContext) async throws -> Response {
        let keeper = try keeper(for: context)
        let (node, id) = try place(in: context)
        let items = try QueryItems(request.uri.query)
        try items.refuseKeys(besides: ["queue"])
        guard let queue = items["queue"], StandbyJob.isQueueName(queue) else {
            throw Problem(.invalidParameter, detail: "queue is missing; write the name of the kiosk's queue")
        }
        try await keeper.end(StandbyKey(node: node, queue: queue, job: id))
        return .noContent
    }

    private func place(in context: APIContext) throws -> (node: String, id: Job.ID) {
        (try Self.node(context.parameters.get("node") ?? ""), try context.jobID())
    }

    private static func node(_ text: String) throws(Problem) -> String {
        do {
            return try NodeName(text).text
        } catch {
            throw Problem(.invalidParameter, detail: "node: \(error)")
        }
    }
}
