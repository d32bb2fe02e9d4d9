internal import Hummingbird
internal import Logging
internal import NIOCore
internal import PrintModel

extension APIContext {
    /// Who is at the other end of this request's connection.
    func whoCalls() async throws -> Caller {
        let channel = channel
        let caller = try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { try Caller(of: $0) }
        }.get()
        guard let caller else { throw Caller.Unknown(reason: "it is no socket") }
        return caller
    }

    /// Logs who changed to whom a printer's documents and login go.
    func noteTrust(in printer: SavedPrinter, insteadOf before: SavedPrinter?) {
        let (old, new) = (before?.target.trust ?? .system, printer.target.trust)
        guard old != new else { return }
        let who = caller.map { "\($0)" } ?? "somebody"
        logger.notice("\(who) changed the trust of \(printer.id) (\(printer.url)) from \(old) to \(new)")
    }
}
