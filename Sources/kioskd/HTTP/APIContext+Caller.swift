internal import NIOCore

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
}
