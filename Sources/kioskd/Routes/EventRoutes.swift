import HTTPTypes
import Hummingbird
import KioskAPI
import KioskEngine
import KioskPrintModel
import NIOCore

/// `/v1/events`: what happens, as server-sent events, from now on or from where a client left off.
struct EventRoutes: Sendable {
    let engine: PrintEngine
    let access: AccessRules

    func add(to router: Router<APIContext>) {
        router.get("/v1/events", use: stream)
    }

    @Sendable private func stream(_ request: Request, _ context: APIContext) async throws -> Response {
        let watchesPrinters = try EventStreamParameters(query: request.uri.query).watchesPrinters
        let lastID = try Self.lastEventID(request)
        let reservation = try context.limits.eventStreams.reserve(for: context.caller)
        let requester = await access.requester(of: context)
        let caller = context.caller
        let source = EngineEventSource(
            engine: engine, events: engine.events(after: lastID),
            // Printers are nothing to those who may not see them.
            watchesPrinters: watchesPrinters && caller.maySeeOthers,
            view: { event in
                // Who may only print follows their own jobs.
                guard caller.maySeeOthers || event.job.map(requester.owns) == true else { return nil }
                return requester.view(of: event)
            })
        return .eventStream(source, context) { reservation.giveBack() }
    }

    private static func lastEventID(_ request: Request) throws -> Int64? {
        guard let text = request.header(APIHeaders.lastEventID), !text.isEmpty else { return nil }
        guard let id = Int64(text), id >= 0 else {
            throw Problem(
                .invalidParameter,
                detail: "Last-Event-ID is not a number; send back the id of the last event seen, or leave it out")
        }
        return id
    }
}

/// The engine's events as one client may see them. A client that lags too far behind is dropped, and comes back with
/// the last id that it saw.
private struct EngineEventSource: EventSource {
    let engine: PrintEngine
    let events: AsyncStream<EngineEvent>
    /// Whether printers are asked more often meanwhile.
    let watchesPrinters: Bool
    /// An event as this client may see it; nil for one that it may not.
    let view: @Sendable (EngineEvent) -> EngineEvent?

    func forward(to queue: EventQueue<EngineEvent>) async {
        if watchesPrinters {
            await engine.watchingPrinters { await forwardAll(to: queue) }
        } else {
            await forwardAll(to: queue)
        }
    }

    private func forwardAll(to queue: EventQueue<EngineEvent>) async {
        for await event in events {
            guard let event = view(event) else { continue }
            // Progress may be skipped; any other event that finds no room ends the stream.
            if !queue.append(event), event.kind != .jobProgress { break }
        }
    }

    func encoded(_ event: EngineEvent) throws -> ByteBuffer {
        ByteBuffer(bytes: try event.serverSentEvent().encoded)
    }
}

extension Response {
    /// A stream of a source's events. `ended` is called once it has ended, however it ended.
    static func eventStream(
        _ source: some EventSource, _ context: APIContext, ended: @escaping @Sendable () -> Void
    ) -> Response {
        let pump = EventPump(
            channel: context.channel, presence: context.presence, isStillIn: context.isStillIn)
        return Response(
            status: .ok,
            headers: [.contentType: APIMediaTypes.eventStream, .cacheControl: "no-store"],
            body: ResponseBody { writer in
                defer { ended() }
                try await pump.run(source, into: &writer)
                try await writer.finish(nil)
            }
        )
    }
}
