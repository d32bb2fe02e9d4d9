import Hummingbird
import Logging
import NIOCore
import PrintModel

/// One request's surroundings: the parameters of its path, its connection, and its caller.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The caller that the kernel named when the connection was opened.
    let caller: Caller
    let presence: ClientPresence
    let limits: CallerLimits

    struct Source: RequestContextSource {
        let channel: any Channel
        let caller: Caller
        let presence: ClientPresence
        let limits: CallerLimits
        let logger: Logger
    }

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        caller = source.caller
        presence = source.presence
        limits = source.limits
    }

    /// Tells a client that waits (`Expect: 100-continue`) to send the body. With `time`, the body must end within it.
    func wantBody(within time: TimeAmount? = nil) async throws {
        try await channel.triggerUserOutboundEvent(ConnectionHandler.BodyWanted(time: time)).get()
    }

    /// Logs who changed to whom a printer's documents and login go.
    func noteTrust(in printer: SavedPrinter, insteadOf before: SavedPrinter?) {
        let (old, new) = (before?.target.trust ?? .system, printer.target.trust)
        guard old != new else { return }
        logger.notice("\(caller) changed the trust of \(printer.id) (\(printer.url)) from \(old) to \(new)")
    }
}
