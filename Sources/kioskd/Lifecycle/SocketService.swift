internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// The API's server on its socket, from listening to the socket's removal.
struct SocketService: Service {
    let place: SocketPlace
    let idleTimeout: TimeAmount
    let responder: APIResponder
    let logger: Logger

    func run() async throws {
        defer { place.withdraw() }
        let (failures, failure) = AsyncStream.makeStream(of: (any Error).self)
        var serverLogger = logger
        // What it says at `info` and below is about its own workings.
        if serverLogger.logLevel > .debug { serverLogger.logLevel = .warning }
        let server = try APIServer.service(
            at: place.stagingPath, idleTimeout: idleTimeout, responder: responder, logger: serverLogger
        ) {
            do {
                try place.publish()
                logger.notice("ready: listening at \(place.path)")
            } catch {
                failure.yield(error)
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { for await error in failures { throw error } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
