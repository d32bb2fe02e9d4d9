import HummingbirdCore
import KioskIPP
import KioskServiceManager
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The API's server on its socket, from listening to the socket's removal. A socket that somebody removes or replaces
/// is made again; connections that were open before stay open.
struct SocketService: Service {
    let place: SocketPlace
    /// The socket that the service manager passed; nil where the daemon makes its own.
    private let inherited: InheritedSocket?
    let idleTimeout: TimeAmount
    let limits: CallerLimits
    let responder: APIResponder
    let logger: Logger
    private let descriptors: DescriptorLimit
    private let onListening: @Sendable () async -> Void

    /// `onListening` is called whenever a socket accepts connections.
    init(
        place: SocketPlace, inherited: InheritedSocket?, idleTimeout: TimeAmount, limits: CallerLimits,
        responder: APIResponder, logger: Logger, onListening: @escaping @Sendable () async -> Void
    ) {
        self.place = place
        self.inherited = inherited
        self.onListening = onListening
        self.idleTimeout = idleTimeout
        self.limits = limits
        self.responder = responder
        self.logger = logger
        descriptors = DescriptorLimit(refused: limits.refusals.bounds.users, logger: logger)
    }

    /// The time between two checks that the socket is still in its place.
    private static let interval = Duration.seconds(1)

    func run() async throws {
        defer { place.withdraw() }
        try await withThrowingDiscardingTaskGroup { group in
            // An earlier server goes on serving the connections that it has; nobody reaches it any more.
            group.addTask { try await serve(inherited) }
            var complaint: String?
            while await isStillWanted() {
                guard place.isLost else { continue }
                do throws(StartError) {
                    try place.takeAgain()
                    complaint = nil
                    logger.warning("the socket \(place.path) is gone: it is made again")
                    group.addTask { await serveAgain() }
                } catch {
                    // Once, as long as it stays so.
                    if complaint != error.message {
                        logger.error("the socket \(place.path) is gone, and cannot be made again: \(error)")
                    }
                    complaint = error.message
                }
            }
        }
    }

    private func isStillWanted() async -> Bool {
        await cancelWhenGracefulShutdown { try? await Task.sleep(for: Self.interval) }
        return !Task.isShuttingDownGracefully && !Task.isCancelled
    }

    private func serveAgain() async {
        do {
            try await serve()
        } catch {
            logger.error("the socket \(place.path) cannot be made again: \(error)")
            place.isStillLost()
        }
    }

    /// Serves a socket that listens already; else one that is made for it.
    private func serve(_ inherited: InheritedSocket? = nil) async throws {
        let stage = try inherited == nil ? place.stage() : nil
        defer { stage?.remove() }
        let entrance = stage.map { APIServer.Entrance.path($0.path) } ?? inherited.map { .inherited($0) }
        guard let entrance else { return }
        let (failures, failure) = AsyncStream.makeStream(of: (any Error).self)
        var serverLogger = logger
        // What it says at `info` and below is about its own workings.
        if serverLogger.logLevel > .debug { serverLogger.logLevel = .warning }
        let server = APIServer.service(
            at: entrance, idleTimeout: idleTimeout, limits: limits, descriptors: descriptors,
            responder: responder,
            logger: serverLogger
        ) { _ in
            do {
                if let stage { try place.publish(stage) }
                logger.notice("ready: listening at \(place)")
                await onListening()
            } catch {
                failure.yield(error)
            }
        }
        // What a connection's task waits for comes from its event loop.
        let executor = EventLoopTaskExecutor(MultiThreadedEventLoopGroup.singleton.next())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: executor) { try await server.run() }
            group.addTask { for await error in failures { throw error } }
            defer { group.cancelAll() }
            try await group.next()
            // Else the daemon would go on, and nobody reach it.
            guard Task.isShuttingDownGracefully || Task.isCancelled else {
                throw StartError(.failed, "nobody listens at \(place) any more; start kioskd again")
            }
        }
    }
}
