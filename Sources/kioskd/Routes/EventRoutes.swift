internal import HTTPTypes
internal import Hummingbird
internal import KioskAPI
internal import KioskEngine
internal import PrintModel

/// `/v1/events`: what happens, as server-sent events, from now on or from where a client left off.
struct EventRoutes: Sendable {
    let engine: PrintEngine

    func add(to router: Router<APIContext>) {
        router.get("/v1/events", use: stream)
    }

    @Sendable private func stream(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let events = engine.events(after: try Self.lastEventID(request))
        let pump = EventPump(events: events, channel: context.channel, inputClosed: context.inputClosed)
        return Response(
            status: .ok,
            headers: [.contentType: APIMediaTypes.eventStream, .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await pump.run(&writer)
                try await writer.finish(nil)
            }
        )
    }

    private static func lastEventID(_ request: Request) throws -> Int64? {
        guard let text = request.header(APIHeaders.lastEventID), !text.isEmpty else { return nil }
        guard let id = Int64(text), id >= 0 else {
            throw Problem(.invalidParameter, detail: "Last-Event-ID is no number; send back the id of the last event seen, or leave it out")
        }
        return id
    }
}
