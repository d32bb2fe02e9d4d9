import HummingbirdCore
import KioskAPI
import NIOCore
import ServiceLifecycle
import Synchronization

/// The source of a stream of server-sent events.
protocol EventSource: Sendable {
    associatedtype Event: Sendable

    /// Puts events into the queue until there are no more. Cancelled when the client has gone.
    func forward(to queue: EventQueue<Event>) async

    /// The bytes to send for an event; empty where there is nothing to send.
    func encoded(_ event: Event) throws -> ByteBuffer
}

/// The events that one client has not been sent yet. Its length is bounded.
struct EventQueue<Event: Sendable>: Sendable {
    fileprivate let continuation: AsyncStream<StreamItem<Event>>.Continuation

    /// Adds an event; false where there is no room for it.
    func append(_ event: Event) -> Bool {
        if case .enqueued = continuation.yield(.event(event)) { true } else { false }
    }
}

/// What an event stream sends next.
private enum StreamItem<Event: Sendable>: Sendable {
    case event(Event)
    case keepAlive
}

/// Writes server-sent events to one client as they come, with a comment now and then, until their source ends, the
/// client goes or reads too slowly, or the daemon shuts down.
struct EventPump: Sendable {
    let channel: any Channel
    let presence: ClientPresence
    /// Whether the client may still see events; asked before each, and at each comment.
    let isStillIn: @Sendable () -> Bool

    /// How often an idle stream gets a comment, and for how long a client may leave its socket full.
    private static let keepAliveInterval: Duration = .seconds(15)
    /// The events that wait for one client at most.
    private static let maximumQueueLength = 4096

    /// When the write began that the client has not taken yet.
    private final class PendingWrite: Sendable {
        let began = Mutex<ContinuousClock.Instant?>(nil)
    }

    func run<Source: EventSource>(_ source: Source, into writer: inout any ResponseBodyWriter) async throws {
        let (items, queue) = AsyncStream.makeStream(
            of: StreamItem<Source.Event>.self, bufferingPolicy: .bufferingOldest(Self.maximumQueueLength))
        let listener = presence.on(.finishedSending) { queue.finish() }
        defer { listener.cancel() }
        // Some clients show not even the response's head before the first byte of its body.
        queue.yield(.keepAlive)
        let write = PendingWrite()
        try await withGracefulShutdownHandler {
            async let _: Void = forward(source, to: queue)
            async let _: Void = keepAlive(queue, write)
            for await item in items {
                guard isStillIn() else { break }
                let bytes =
                    switch item {
                    case .event(let event): try source.encoded(event)
                    case .keepAlive: ByteBuffer(bytes: ServerSentEvent.keepAlive)
                    }
                // An empty chunk would end the body (RFC 9112 §7.1).
                guard bytes.readableBytes > 0 else { continue }
                write.began.withLock { $0 = .now }
                try await writer.write(bytes)
                write.began.withLock { $0 = nil }
            }
        } onGracefulShutdown: {
            queue.finish()
        }
    }

    private func forward<Source: EventSource>(
        _ source: Source, to queue: AsyncStream<StreamItem<Source.Event>>.Continuation
    ) async {
        await source.forward(to: EventQueue(continuation: queue))
        queue.finish()
    }

    private func keepAlive<Event: Sendable>(
        _ queue: AsyncStream<StreamItem<Event>>.Continuation, _ write: PendingWrite
    ) async {
        while (try? await Task.sleep(for: Self.keepAliveInterval)) != nil {
            if let since = write.began.withLock({ $0 }), .now - since > Self.keepAliveInterval {
                // Only this ends a write that waits for a client which reads nothing.
                channel.close(promise: nil)
                return queue.finish()
            }
            queue.yield(.keepAlive)
        }
    }
}
