import HTTPTypes
import Hummingbird
import KioskAPI
import KioskEngine
import NIOCore
import PrintModel
import ServiceLifecycle
import Synchronization

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

/// Writes events to one client as they come, with a comment now and then, until the client goes, reads too slowly,
/// or the daemon shuts down.
struct EventPump: Sendable {
    let events: AsyncStream<EngineEvent>
    /// An event as this client may see it; nil for one that it may not.
    let view: @Sendable (EngineEvent) -> EngineEvent?
    let channel: any Channel
    let presence: ClientPresence

    /// How often an idle stream gets a comment, and for how long a client may leave its socket full.
    private static let beat: Duration = .seconds(15)
    /// Events that a client may lag behind; with more it is dropped, and comes back with the last id that it saw.
    private static let maximumLag = 4096

    /// When the write began that the client has not taken yet.
    private final class PendingWrite: Sendable {
        let began = Mutex<ContinuousClock.Instant?>(nil)
    }

    private enum Item {
        case event(EngineEvent)
        case beat
    }

    func run(_ writer: inout any ResponseBodyWriter) async throws {
        let (items, queue) = AsyncStream.makeStream(of: Item.self, bufferingPolicy: .bufferingOldest(Self.maximumLag))
        let listener = presence.on(.finishedSending) { queue.finish() }
        defer { listener.cancel() }
        // Some clients show not even the answer's head before the first byte of its body.
        queue.yield(.beat)
        let write = PendingWrite()
        try await withGracefulShutdownHandler {
            async let _: Void = forward(to: queue)
            async let _: Void = beat(queue, write)
            for await item in items {
                write.began.withLock { $0 = .now }
                try await writer.write(Self.buffer(item))
                write.began.withLock { $0 = nil }
            }
        } onGracefulShutdown: {
            queue.finish()
        }
    }

    private func forward(to queue: AsyncStream<Item>.Continuation) async {
        for await event in events {
            guard let event = view(event) else { continue }
            // Progress may be skipped; any other event that finds no room ends the stream.
            if case .dropped = queue.yield(.event(event)), event.kind != .jobProgress { break }
        }
        queue.finish()
    }

    private func beat(_ queue: AsyncStream<Item>.Continuation, _ write: PendingWrite) async {
        while (try? await Task.sleep(for: Self.beat)) != nil {
            if let since = write.began.withLock({ $0 }), .now - since > Self.beat {
                // Only this ends a write that waits for a client which reads nothing.
                channel.close(promise: nil)
                return queue.finish()
            }
            queue.yield(.beat)
        }
    }

    private static func buffer(_ item: Item) throws -> ByteBuffer {
        switch item {
        case .event(let event): ByteBuffer(bytes: try event.serverSentEvent().encoded)
        case .beat: ByteBuffer(bytes: ServerSentEvent.keepAlive)
        }
    }
}
