import HTTPTypes
import Hummingbird
import KioskAPI
import KioskEngine
import PrintModel

/// `/v1/events`: what happens, as server-sent events, from now on or from where a client left off.
struct EventRoutes: Sendable {
    let engine: PrintEngine
    let access: AccessRules

    func add(to router: Router<APIContext>) {
        router.get("/v1/events", use: stream)
    }

    @Sendable private func stream(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let lastID = try Self.lastEventID(request)
        let place = try context.limits.eventStreams.reserve(for: context.caller)
        let requester = await access.requester(of: context)
        let events = engine.events(after: lastID)
        let pump = EventPump(
            events: events, view: { requester.view(of: $0) }, channel: context.channel, presence: context.presence)
        return Response(
            status: .ok,
            headers: [.contentType: APIMediaTypes.eventStream, .cacheControl: "no-store"],
            body: ResponseBody { writer in
                defer { place.giveBack() }
                try await pump.run(&writer)
                try await writer.finish(nil)
            }
        )
    }

    private static func lastEventID(_ request: Request) throws -> Int64? {
        guard let text = request.header(APIHeaders.lastEventID), !text.isEmpty else { return nil }
        guard let id = Int64(text), id >= 0 else {
            throw Problem(
                .invalidParameter,
                detail: "Last-Event-ID is no number; send back the id of the last event seen, or leave it out")
        }
        return id
    }
}
