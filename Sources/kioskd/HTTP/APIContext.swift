internal import Hummingbird
internal import NIOCore

/// One request's surroundings: the parameters of its path, and its connection.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// Set on routes that are for administrators.
    var caller: Caller?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Tells a client that waits for it (`Expect: 100-continue`) to send the body.
    func wantBody() async throws {
        try await channel.triggerUserOutboundEvent(ConnectionHandler.BodyWanted()).get()
    }

    /// Succeeds when the client has hung up or sends nothing more.
    var inputClosed: EventLoopFuture<Void> {
        let channel = channel
        return channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: ConnectionHandler.self).whenInputCloses(on: channel.eventLoop)
        }.flatMap { $0 }
    }
}
